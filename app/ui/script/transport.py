"""Under the lines: play or stop, play through, save, how far it is, and how much there is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.language import localized
from app.ui.actions.actions import Actions
from app.ui.synthesis.state import SpeechState
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

OF_LINES: tuple[str, ...] = ("play_through", "save_all", "save_joined", "edit_line", "duplicate", "delete", "move_up", "move_down")
OF_LINES += ("split_here", "split_sentences", "join_lines", "cut", "copy", "select_all")
"""Actions that an empty script has nothing for."""
FINE = 1000  # steps of the play line
BETWEEN = ("play_through", "loop", "live")
SPARE_PLAY, NARROW_SAVE = 24, 44  # pixels beside the words of the one, and of the other without its words
SPACING, NARROW_SPACING = 8, 3  # pixels between two buttons


class Transport(QWidget):
    """Buttons and play line.

    Signals:
        play_requested(), save_requested(): pressed; both also mean stop while their work is running.
    """

    play_requested = Signal()
    save_requested = Signal()

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions = actions
        self._state = SpeechState()
        self._waiting = False
        self._lines = 0
        self.play = QPushButton()
        self.play.setObjectName("primary")
        self.play.clicked.connect(self.play_requested)
        self.save = QPushButton()
        self.save.clicked.connect(self.save_requested)
        self.length = QLabel()
        self.length.setObjectName("muted")
        self.line = DeferredProgressBar()
        self.line.setObjectName("played")
        self.line.setRange(0, FINE)
        self.line.setTextVisible(False)
        self.line.setFixedHeight(4)
        self.line.setAccessibleName(localized("再生位置", "Playback position"))
        row = QHBoxLayout()
        row.setSpacing(SPACING)
        row.addWidget(self.play)
        self.buttons = {name: _button(actions[name]) for name in BETWEEN}
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.length)
        row.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.line)
        column.addLayout(row)
        self._row = row
        self._usual_play = 0
        self._name_buttons()
        self._usual_play = self.play.sizeHint().width() + SPARE_PLAY
        self.play.setMinimumWidth(self._usual_play)

    def show_state(self, state: SpeechState, waiting: bool) -> None:
        """Shows the state; `waiting` means that a line will be spoken as soon as the voice is there."""
        named = (self._state.speaking or self._waiting, self._state.saving)
        self._state, self._waiting = state, waiting
        if named != (state.speaking or waiting, state.saving):
            self._enable()
        share = state.played_s / state.made_s if state.speaking and state.made_s else 0.0
        self.line.setValue(round(FINE * min(1.0, share)))

    def show_length(self, lines: int, characters: int) -> None:
        """Shows how long the script is, and that there is nothing to play in an empty one."""
        self._lines = lines
        self._enable()
        counted = f"{lines:,} line{'s' * (lines != 1)}, {characters:,} character{'s' * (characters != 1)}"
        self.length.setText(localized(f"{lines:,} 行・{characters:,} 文字", counted))

    def minimumSizeHint(self) -> QSize:
        """What is left in a narrow column: the buttons, by their drawings alone."""
        width = self.play.sizeHint().width() + self._buttons_width(NARROW_SPACING) + NARROW_SAVE
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves words out where there is no room for them."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icons for another theme."""
        if is_theme_change(self, event):
            self._name_buttons()
        super().changeEvent(event)

    def _enable(self) -> None:
        """What runs can be stopped, although the lines are gone meanwhile."""
        stops = self._state.speaking or self._waiting
        for button, name, running in ((self.play, "play", stops), (self.save, "save_line", self._state.saving)):
            button.setEnabled(self._lines > 0 or running)
            self._actions[name].setEnabled(self._lines > 0 or running)
        for name in OF_LINES:
            self._actions[name].setEnabled(self._lines > 0)
        self._name_buttons()  # their drawings fade with them

    @Slot()
    def _name_buttons(self) -> None:
        colors = self.palette()
        group = QPalette.ColorGroup.Active if self.play.isEnabled() else QPalette.ColorGroup.Disabled
        on_accent = colors.color(group, QPalette.ColorRole.HighlightedText if self.play.isEnabled() else QPalette.ColorRole.ButtonText)
        stops = self._state.speaking or self._waiting
        self.play.setText(localized("停止", "Stop") if stops else localized("再生", "Play"))
        self.play.setIcon(icon("stop" if stops else "play", on_accent))
        self.play.setToolTip(
            localized("停止（Esc）", "Stop (Esc)")
            if stops
            else localized("選んだ行を再生（Ctrl+Enter、Space）", "Play the selected line (Ctrl+Enter, Space)")
        )
        saving = self._state.saving
        self.save.setText(localized("書き出しを中止", "Stop exporting") if saving else localized("音声を書き出す…", "Export audio…"))
        self.save.setIcon(icon("stop" if saving else "save", colors.color(QPalette.ColorRole.WindowText)))
        self.save.setToolTip(
            localized("書き出し途中のファイルは残りません。", "No unfinished files are left behind.")
            if saving
            else localized(
                "選んだ行を wav、flac、mp3、ogg、opus に書き出す（E）", "Export the selected lines as wav, flac, mp3, ogg or opus (E)"
            )
        )
        for button in (self.play, self.save):
            button.setAccessibleName(button.text())
        self._save_width = self.save.sizeHint().width()
        self._fit()

    def _fit(self) -> None:
        """Shows the length of the script, and words on the button that exports, as far as there is room."""
        room = self.width() - self._buttons_width(SPACING) - self._usual_play
        words = self.save.accessibleName()
        has_words = room >= self._save_width
        has_length = room >= self._save_width + SPACING + self.length.sizeHint().width()
        if has_words != bool(self.save.text()):
            self.save.setText(words if has_words else "")
        self.length.setVisible(has_length)
        is_narrow = room < NARROW_SAVE
        self.play.setMinimumWidth(self.play.sizeHint().width() if is_narrow else self._usual_play)
        self._row.setSpacing(NARROW_SPACING if is_narrow else SPACING)
        self.updateGeometry()  # layouts remember what the buttons asked for before they were styled

    def _buttons_width(self, spacing: int) -> int:
        """Pixels of the buttons between playing and exporting, with the space around each."""
        return sum(button.sizeHint().width() + spacing for button in self.buttons.values()) + 2 * spacing


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAccessibleName(action.iconText())
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
