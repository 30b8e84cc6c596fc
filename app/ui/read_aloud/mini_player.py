"""The mini player: a small window in front of all others that shows what is read aloud, and by which voice."""

import base64
import binascii
from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QMoveEvent, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QTextEdit, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.synthesis_types import BOUNDS
from app.ui.read_aloud.read_aloud_player import ReadAloudPlayer
from app.ui.theme.theme import draw_icon
from app.ui.widgets.controls import ChoiceBox, GuardedDoubleSpinBox, create_button, describe_control, fill_box
from app.ui.widgets.dialogs import add_close_key

WIDTH_PX, TEXT_LINES = 460, 3
BUTTON_WIDTH_PX, SPEED_WIDTH_PX = 40, 92
KEY_STEP_PX = 24  # pixels that an arrow key with Alt moves the player
# How long it stays after the reading has ended: long enough to see the last words, and to change voice or speed for the next text.
LINGER_MS = 5000
MOVE_KEYS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class MiniPlayer(QFrame):
    """Follows the player; it takes no focus by itself, so that the user can keep typing elsewhere.

    Space pauses and resumes, Esc stops and hides it, Alt with an arrow moves it. It hides a while after the reading has ended.

    Signals:
        voice_chosen(str, str): the user chose another voice and speaker; those of the selected line if they are empty.
        speed_chosen(float): the user changed the speed.
        moved(): the player is at another place.
    """

    voice_chosen = Signal(str, str)
    speed_chosen = Signal(float)
    moved = Signal()

    def __init__(self, player: ReadAloudPlayer, parent: QWidget | None = None) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(parent, flags)
        self._player = player
        self._grip: QPoint | None = None
        self._voice_keys: list[tuple[str, str]] = []
        # Runs while nothing is read; the player hides when it ends, unless it is in use.
        self.lingering = QTimer(self, singleShot=True, interval=LINGER_MS)
        self.lingering.timeout.connect(self._hide_unused)
        self.setObjectName("miniPlayer")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setWindowTitle(localize("Koebako ミニプレイヤー", "Koebako mini player"))
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.text = self._create_text()
        self.play = self._create_button(localize("再生／一時停止", "Play / pause"), player.pause_or_resume)
        self.stop = self._create_button(localize("停止", "Stop"), player.stop_reading)
        self.dismiss = self._create_button(localize("停止して閉じる", "Stop and close"), self._close_player)
        self.voice = self._create_voice_box()
        self.speed = self._create_speed_box()
        row = fill_box(QHBoxLayout(), self.play, self.stop, (self.voice, 1), self.speed, self.dismiss)
        fill_box(QVBoxLayout(self), self.text, row, margins=(12, 12, 12, 12))
        self.setFixedWidth(WIDTH_PX)
        add_close_key(self, self._close_player)
        player.changed.connect(self._show_passage)
        player.word_changed.connect(self._mark_word)
        self._show_passage()

    def list_voices(self, voices: Sequence[tuple[str, str, str]], chosen: tuple[str, str]) -> None:
        """List the voices, each as (id, speaker, name for people), and choose one.

        Of a voice without the chosen speaker it is the first one; a voice that is missing keeps its place under its id.
        """
        names = {("", ""): localize("選択中の行の声", "Voice of selected line")}
        names |= {(voice, speaker): name for voice, speaker, name in voices if voice}
        if chosen not in names:
            chosen = next((item for item in names if item[0] == chosen[0]), chosen)
            names.setdefault(chosen, chosen[0])
        self._voice_keys = list(names)
        self.voice.blockSignals(True)
        self.voice.clear()
        self.voice.addItems(list(names.values()))
        self.voice.setCurrentIndex(self._voice_keys.index(chosen))
        self.voice.blockSignals(False)

    def show_speed(self, speed: float) -> None:
        self.speed.blockSignals(True)
        self.speed.setValue(speed)
        self.speed.blockSignals(False)

    def draw_icons(self) -> None:
        """Draw the icons in the colour of the text, which differs from theme to theme and where a button does nothing."""
        is_on, is_paused = self._player.is_on, self._player.is_paused
        colors, group = self.palette(), QPalette.ColorGroup.Active if is_on else QPalette.ColorGroup.Disabled
        color = colors.color(group, QPalette.ColorRole.WindowText)
        self.play.setIcon(draw_icon("play" if is_paused or not is_on else "pause", color))
        self.stop.setIcon(draw_icon("stop", color))
        self.dismiss.setIcon(draw_icon("close", colors.color(QPalette.ColorGroup.Active, QPalette.ColorRole.WindowText)))

    def show_with_focus(self) -> None:
        """Show the player and give it the keyboard, as the user asked for it; it hides once it is unused."""
        self.show()
        self.raise_()
        self.activateWindow()
        # Its own keys, not those of the first button.
        self.setFocus()
        if not self._player.is_on:
            self.lingering.start()

    def save_place(self) -> str:
        """Return the player's place, as text for the settings."""
        return base64.b64encode(self.saveGeometry().data()).decode()

    def restore_place(self, place: str) -> None:
        """Restore a saved place; the first time, use the lower right of the screen."""
        try:
            is_restored = bool(place) and self.restoreGeometry(QByteArray(base64.b64decode(place)))
        except binascii.Error:
            is_restored = False
        if not is_restored:
            room = self.screen().availableGeometry()
            self.adjustSize()
            self.move(room.right() - self.width() - KEY_STEP_PX, room.bottom() - self.height() - KEY_STEP_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag the player; the desktop moves it where it can, as Wayland lets no program place its windows."""
        if event.button() == Qt.MouseButton.LeftButton:
            handle = self.windowHandle()
            if handle is None or not handle.startSystemMove():
                self._grip = event.globalPosition().toPoint() - self.pos()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self.move(event.globalPosition().toPoint() - self._grip)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None

    def moveEvent(self, event: QMoveEvent) -> None:
        """Report the new place."""
        super().moveEvent(event)
        if self.isVisible():
            self.moved.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Wait no longer until it may hide."""
        super().hideEvent(event)
        self.lingering.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pause, stop or move by keys."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Space:
            self._player.pause_or_resume()
        elif key == Qt.Key.Key_Escape:
            self._close_player()
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier and key in MOVE_KEYS:
            right, down = MOVE_KEYS[key]
            self.move(self.pos() + QPoint(right * KEY_STEP_PX, down * KEY_STEP_PX))
        else:
            super().keyPressEvent(event)

    def _create_text(self) -> QPlainTextEdit:
        text = QPlainTextEdit(readOnly=True)
        text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        text.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        text.setAccessibleName(localize("読み上げているテキスト", "Text being read"))
        text.setPlaceholderText(localize("読み上げているテキストはありません。", "Nothing is being read."))
        text.setFixedHeight(TEXT_LINES * text.fontMetrics().lineSpacing() + 18)
        # The player is dragged by its text, too.
        text.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        text.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return text

    def _create_button(self, name: str, on_click: Callable[[], object]) -> QPushButton:
        button = create_button("", name, on_click, name=name, style="small")
        button.setFixedWidth(BUTTON_WIDTH_PX)
        button.setIconSize(QSize(16, 16))
        return button

    def _create_voice_box(self) -> ChoiceBox:
        tip = localize("次の部分から、この声で読み上げます。", "Reads with this voice from the next passage on.")
        box = describe_control(ChoiceBox(), localize("声", "Voice"), tip)
        box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.currentIndexChanged.connect(lambda index: self.voice_chosen.emit(*self._voice_keys[index]))
        return box

    def _create_speed_box(self) -> QDoubleSpinBox:
        tip = localize("次の部分から、この速さで読み上げます。", "Reads at this speed from the next passage on.")
        bounds, box = BOUNDS["speed"], describe_control(GuardedDoubleSpinBox(), localize("話速", "Speed"), tip)
        box.setRange(bounds.low, bounds.high)
        box.setSingleStep(0.1)
        box.setDecimals(2)
        box.setFixedWidth(SPEED_WIDTH_PX)
        box.setPrefix("× ")
        box.valueChanged.connect(self.speed_chosen)
        return box

    @Slot()
    def _close_player(self) -> None:
        self._player.stop_reading()
        self.hide()

    @Slot()
    def _hide_unused(self) -> None:
        """Hide, unless the user has the mouse or the keyboard in the player."""
        if self.underMouse() or self.isActiveWindow():
            self.lingering.start()
        else:
            self.hide()

    @Slot()
    def _show_passage(self) -> None:
        player = self._player
        if player.is_on:
            self.lingering.stop()
        elif self.isVisible():
            self.lingering.start()
        if player.passage and self.text.toPlainText() != player.passage:
            self.text.setPlainText(player.passage)
        self.play.setEnabled(player.is_on)
        self.stop.setEnabled(player.is_on)
        play_text = localize("再開", "Resume") if player.is_paused else localize("一時停止", "Pause")
        self.play.setToolTip(play_text)
        self.play.setAccessibleName(play_text)
        self.draw_icons()

    @Slot(int, int)
    def _mark_word(self, start: int, end: int) -> None:
        marked = []
        if end > start:
            cursor = self.text.textCursor()
            # Qt counts UTF-16 units, in which some characters take two.
            cursor.setPosition(_count_units(self._player.passage[:start]))
            cursor.setPosition(_count_units(self._player.passage[:end]), QTextCursor.MoveMode.KeepAnchor)
            selection = QTextEdit.ExtraSelection()
            look = QTextCharFormat()
            look.setBackground(self.palette().color(QPalette.ColorRole.Highlight))
            look.setForeground(self.palette().color(QPalette.ColorRole.HighlightedText))
            selection.format, selection.cursor = look, cursor
            marked.append(selection)
            end_cursor = QTextCursor(cursor)
            end_cursor.clearSelection()
            self.text.setTextCursor(end_cursor)
            self.text.ensureCursorVisible()
        self.text.setExtraSelections(marked)


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2
