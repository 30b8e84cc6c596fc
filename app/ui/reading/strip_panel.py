"""Strip and waveform of the selected line below their header, with what belongs to them; all of it folds away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.sound.line_melody import LineMelody
from app.core.sound.line_reading import LineReading, LineWord
from app.core.sound.line_sound import LineSound
from app.core.synthesis_types import Overrides
from app.core.text.emoji_symbols import find_emoji
from app.ui.reading.melody.melody_commands import MelodyBar
from app.ui.reading.strip.reading_field import READING_FIELD_HEIGHT_PX, ReadingField
from app.ui.reading.strip.strip_shape import CellKind, StripShape, find_cell_text
from app.ui.reading.strip_view import StripView
from app.ui.settings.settings_store import RememberedFold, SettingsStore
from app.ui.theme.theme import Theme
from app.ui.widgets.containers import FoldButton
from app.ui.widgets.controls import ElidedLabel, create_button, escape_tip, fill_box
from app.ui.widgets.emoji_picker import EmojiButton

MAX_SUMMARY_CELLS = 400  # no window is wider


class KanaSummary(QWidget):
    """As much of the reading as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        tip = localize(
            "この行の読み。開くとアクセントと音の長さを調整できます。", "The reading of this line; open it to adjust accent and lengths."
        )
        self.setToolTip(tip)

    def show_shape(self, shape: StripShape | None) -> None:
        """Show the reading of a line."""
        text = format_kana_summary(shape) if shape is not None else ""
        if text != self.text:
            self.text = text
            self.setAccessibleName(localize(f"読み: {text}", f"Reading: {text}"))
            self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a row of text; the layout decides the width."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the beginning of the reading, elided if it is longer than the row."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        text = self.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


def format_kana_summary(shape: StripShape) -> str:
    """Return kana with a space between accent phrases."""
    starts = {phrase.start for phrase in shape.phrases}
    kana, is_after_mora = "", False
    for cell in shape.axis.cells[:MAX_SUMMARY_CELLS]:
        is_mora = cell.kind is CellKind.MORA
        kana += " " * (is_mora and is_after_mora and cell.index in starts) + find_cell_text(shape, cell)
        is_after_mora = is_mora
    return kana


MAX_SHOWN_DOUBTS = 6
READING_BUTTON_GAP_PX = 6  # pixels


@dataclass(frozen=True, slots=True)
class ReadingDoubt:
    """A word of the line, as it is written, and the other reading it could have."""

    word: LineWord
    surface: str
    other: str


def find_reading_doubts(reading: LineReading) -> tuple[ReadingDoubt, ...]:
    """Return the first doubts of a line; each occurrence of a word has its own."""
    doubted = ((word, reading.extract_text(word.start, word.end).strip()) for word in reading.words if word.other_reading)
    return tuple(ReadingDoubt(word, surface, word.other_reading) for word, surface in doubted if surface)[:MAX_SHOWN_DOUBTS]


class AlternativeReadingsBar(QWidget):
    """A row of buttons, as many as there is room for.

    Signals:
        reading_requested(LineWord): the word is to be read as its `other`.
    """

    reading_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._doubts: tuple[ReadingDoubt, ...] = ()
        self.buttons: list[QPushButton] = []

    def show_doubts(self, doubts: Sequence[ReadingDoubt]) -> None:
        """Show these doubts; equal ones stay as they are, so that focus does."""
        if tuple(doubts) == self._doubts:
            return
        self._doubts = tuple(doubts)
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._create_button(doubt) for doubt in doubts]
        self._arrange_buttons()

    def sizeHint(self) -> QSize:
        """Request no width: the bar takes the space that its neighbours leave."""
        return QSize(0, max((button.sizeHint().height() for button in self.buttons), default=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as fit."""
        super().resizeEvent(event)
        self._arrange_buttons()

    def _create_button(self, doubt: ReadingDoubt) -> QPushButton:
        tip = localize(
            f"「{doubt.surface}」の読みを「{doubt.other}」に変更します。", f"Changes the reading of “{doubt.surface}” to {doubt.other}."
        )
        button = create_button(f"{doubt.surface} → {doubt.other}", tip, lambda: self.reading_requested.emit(doubt.word), style="small")
        button.setParent(self)
        button.setAccessibleName(tip)
        return button

    def _arrange_buttons(self) -> None:
        x = READING_BUTTON_GAP_PX
        for button in self.buttons:
            size = button.sizeHint()
            button.setGeometry(x, max(0, (self.height() - size.height()) // 2), size.width(), size.height())
            x += size.width() + READING_BUTTON_GAP_PX
            button.setVisible(x <= self.width())


MAX_NAMED_CHANGES = 5  # emoji that are left out


class StripPanel(QFrame):
    """The panel under the selected line: `title` folds it, and `melody` its lane; `emoji` is hidden but for voices that speak emoji.

    Signals:
        toggled(bool): open or folded.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("card")
        tip = localize(
            "この行の読み、アクセント、音の長さ、波形を表示します。", "Shows the reading, accent, lengths and waveform of the line."
        )
        self.title = FoldButton(localize("読みとアクセント", "Reading and accent"), tip)
        self.title.setChecked(True)
        self.title.toggled.connect(self._toggle_strip)
        self.summary = KanaSummary()
        self.summary.hide()
        self.note = ElidedLabel("")
        self.note.setObjectName("muted")
        self._can_reset = (False, False)  # whether there is something for `reset_phrase`, and for `reset_all`
        self.reading = ReadingField()
        tip = localize(
            "選んだ音を含むアクセント句の、アクセント、イントネーション、長さをリセットします。",
            "Resets the accent, melody and lengths of the selected accent phrase.",
        )
        self.reset_phrase = create_button(localize("句をリセット", "Reset phrase"), tip, style="small")
        tip = localize(
            "この行の読み、アクセント、イントネーション、音の長さをすべてリセットします。",
            "Resets all readings, accents, pitches and lengths of this line.",
        )
        self.reset_all = create_button(localize("すべてリセット", "Reset all"), tip, style="small")
        self.emoji = EmojiButton()
        self.emoji.hide()
        self.others = AlternativeReadingsBar()  # takes the free room, with or without buttons
        self.view = StripView(theme)
        self.strip, self.lane, self.waveform = self.view.strip, self.view.lane, self.view.waveform
        self.melody = MelodyBar()
        self.melody.toggled.connect(self.view.show_lane)
        self._tools = QWidget()  # hidden as one, whichever of them are shown
        fill_box(QHBoxLayout(self._tools), self.emoji)
        top = QHBoxLayout()
        top.addStrut(READING_FIELD_HEIGHT_PX)
        fill_box(top, self.title, self.note, self.reading, (self.summary, 1), (self.others, 1))
        # Those that come and go are left of those that stay, so that these do not move.
        fill_box(top, self.reset_phrase, self.reset_all, self._tools, self.melody)
        fill_box(QVBoxLayout(self), top, self.view, spacing=2, margins=(8, 4, 10, 4))
        self.reading.closed.connect(self._focus_strip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def is_open(self) -> bool:
        """Return whether more than the header is shown."""
        return self.title.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Open or fold the strip."""
        self.title.setChecked(is_open)

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self.view.set_theme(theme)

    def show_line(self, shape: StripShape | None, melody: LineMelody | None, sound: LineSound | None, is_current: bool) -> None:
        """Show a line with its melody and its last sound; `is_current` means that it was spoken as it is now."""
        self.view.show_line(shape, melody, sound, is_current)
        self.summary.show_shape(shape)
        self.view.show_hint("")
        self.show_note("" if shape is None else _describe_shape(shape))
        self.others.show_doubts(() if shape is None else find_reading_doubts(shape.reading))
        edits = shape.overrides if shape is not None else Overrides()
        is_shaped = bool(edits.moras or edits.pauses or edits.phrases)
        self._can_reset = is_shaped, is_shaped or bool(edits.readings)
        if self.title.isVisibleTo(self):  # else the field for a word has the header
            self._show_resets()

    def show_note(self, text: str) -> None:
        """Show what is to be said about the line in the header."""
        self.note.setText(text)
        self.note.setToolTip(escape_tip(text))

    def add_tool(self, widget: QWidget) -> None:
        """Add a button to the header, which is shown whether the strip is open or not."""
        layout = self._tools.layout()
        assert layout is not None
        layout.addWidget(widget)
        QWidget.setTabOrder(self.emoji, widget)

    def show_empty(self) -> None:
        """Show a line without text in the same height, so that nothing moves when the first letter is typed."""
        self.close_reading_field()
        self.show_line(None, None, None, False)
        self.waveform.hide()
        self.view.show_hint(localize("テキストを入力すると、ここに読みが表示されます。", "Type some text to see its reading here."))

    def open_reading_field(self, surface: str, written: str, *, takes_english: bool) -> None:
        for widget in (self.title, self._tools, self.melody, self.reset_phrase, self.reset_all, self.others):
            widget.hide()  # what is wrong with a reading needs their room
        self.reading.open_for_word(surface, written, takes_english=takes_english)

    def close_reading_field(self) -> None:
        """Close the field for a word after another line was shown."""
        self.reading.hide()
        self._update_header()

    @Slot()
    def _focus_strip(self) -> None:
        self._update_header()
        self.strip.setFocus()

    def _update_header(self) -> None:
        self.title.show()
        self._tools.show()
        for widget in (self.melody, self.others):
            widget.setVisible(self.is_open)
        self._show_resets()

    def _show_resets(self) -> None:
        """Show the buttons that have something to reset."""
        for button, is_usable in zip((self.reset_phrase, self.reset_all), self._can_reset, strict=True):
            if button.hasFocus() and not is_usable:
                self.strip.setFocus()
            button.setVisible(is_usable and self.is_open)

    @Slot(bool)
    def _toggle_strip(self, is_open: bool) -> None:
        self.close_reading_field()
        self.view.setVisible(is_open)
        self.summary.setVisible(not is_open)
        self.toggled.emit(is_open)


def _describe_shape(shape: StripShape) -> str:
    if not shape.axis.cells:
        return localize("読み上げられる文字がありません。", "There is nothing here to read aloud.")
    if not shape.reading.is_complete:
        return localize("行が長いため、先頭の部分だけを表示しています。", "Only the beginning of this long line is shown.")
    left_out = [] if shape.reading.emoji else list(dict.fromkeys(match.symbol for match in find_emoji(shape.reading.extract_text())))
    emoji = "".join(left_out[:MAX_NAMED_CHANGES]) + "…" * (len(left_out) > MAX_NAMED_CHANGES)
    return localize(f"この声は絵文字 {emoji} に対応していません。", f"This voice ignores {emoji}") if left_out else ""


LOW_WINDOWS_PX = {"strip": 760, "melody": 900}  # heights below which a window has no room for the part and enough lines


class ReadingFold(RememberedFold):
    """Keeps the strip or the melody, its action and its setting in step."""

    def __init__(self, part: StripPanel | MelodyBar, action: QAction, settings: SettingsStore, setting: Literal["strip", "melody"]) -> None:
        action.setChecked(part.is_open)
        action.toggled.connect(part.set_open)
        part.toggled.connect(action.setChecked)
        super().__init__(part, part, settings, setting, LOW_WINDOWS_PX[setting])
