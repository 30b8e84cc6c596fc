"""Strip and waveform of the selected line below their header, with what belongs to them; all of it folds away."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.emoji_symbols import find_emoji
from app.core.line_sound import LineSound
from app.core.synthesis_types import Overrides
from app.ui.plain_text import PlainLabel
from app.ui.reading.strip.alternative_readings import AlternativeReadingsBar, find_reading_doubts
from app.ui.reading.strip.kana_summary import KanaSummary
from app.ui.reading.strip.reading_field import READING_FIELD_HEIGHT_PX, ReadingField
from app.ui.reading.strip.strip_shape import StripShape
from app.ui.reading.strip.strip_view import StripView
from app.ui.theme.theme import Theme
from app.ui.widgets.emoji_picker import EmojiButton
from app.ui.widgets.fold_button import FoldButton

MAX_NAMED_CHANGES = 5  # emoji that are left out


class StripPanel(QFrame):
    """The panel under the selected line.

    Attributes:
        title: folds and unfolds.
        view: strip and waveform.
        strip, waveform, reading, summary: the parts.
        others: readings that words in doubt could have.
        emoji, reset_phrase, reset_all: buttons; the first is hidden but for voices that speak emoji.

    Signals:
        toggled(bool): open or folded.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("card")
        self.title = FoldButton(
            localize("読みとアクセント", "Reading and accent"),
            localize(
                "この行の読み、アクセント、音の長さ、波形を表示します。", "Shows the reading, accent, lengths and waveform of the line."
            ),
        )
        self.title.setChecked(True)
        self.title.toggled.connect(self._toggle_strip)
        self.summary = KanaSummary()
        self.summary.hide()
        self.note = PlainLabel()
        self.note.setObjectName("muted")
        self.reading = ReadingField()
        self.reset_phrase = _create_button(
            localize("句をリセット", "Reset phrase"),
            localize(
                "選んだ音を含むアクセント句の、アクセントと長さをリセットします。",
                "Resets the accent and lengths of the selected accent phrase.",
            ),
        )
        self.reset_all = _create_button(
            localize("すべてリセット", "Reset all"),
            localize(
                "この行の読み、アクセント、音の長さをすべてリセットします。", "Resets all readings, accents and lengths of this line."
            ),
        )
        self.emoji = EmojiButton()
        self.emoji.hide()
        self.view = StripView(theme)
        self.strip, self.waveform = self.view.strip, self.view.waveform
        self._arrange_widgets()
        self.reading.closed.connect(self._focus_strip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _arrange_widgets(self) -> None:
        self._tools = QWidget()  # hidden as one, whichever of them are shown
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.addWidget(self.emoji)
        top = QHBoxLayout()
        top.addStrut(READING_FIELD_HEIGHT_PX)
        for widget in (self.title, self.note, self.reading):
            top.addWidget(widget)
        top.addWidget(self.summary, 1)
        self.others = AlternativeReadingsBar()  # takes the free room, with or without buttons
        top.addWidget(self.others, 1)
        top.addWidget(self._tools)
        top.addWidget(self.reset_phrase)
        top.addWidget(self.reset_all)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(8, 4, 10, 4)
        whole.setSpacing(2)
        whole.addLayout(top)
        whole.addWidget(self.view)

    @property
    def is_open(self) -> bool:
        """True while more than its header is shown."""
        return self.title.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Opens or folds it."""
        self.title.setChecked(is_open)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.view.set_theme(theme)

    def show_line(self, shape: StripShape | None, sound: LineSound | None, is_current: bool) -> None:
        """Shows a line, with its last sound; `is_current` when it was spoken as it is now."""
        self.view.show_line(shape, sound, is_current)
        self.summary.show_shape(shape)
        self.note.setText("" if shape is None else _describe_shape(shape))
        self.others.show_doubts(() if shape is None else find_reading_doubts(shape.reading))
        edits = shape.overrides if shape is not None else Overrides()
        shaped = bool(edits.moras or edits.pauses or edits.phrases)
        self.reset_phrase.setEnabled(shaped)
        self.reset_all.setEnabled(shaped or bool(edits.readings))

    def add_tool(self, widget: QWidget) -> None:
        """A button more in the header, which is there whether the strip is open or not."""
        layout = self._tools.layout()
        assert layout is not None
        layout.addWidget(widget)
        QWidget.setTabOrder(self.emoji, widget)

    def show_empty(self) -> None:
        """A line without text: the place stays, so that nothing moves when the first letter is typed."""
        self.close_reading_field()
        self.show_line(None, None, False)
        self.waveform.hide()
        self.note.setText(localize("テキストを入力すると、ここに読みが表示されます。", "Type some text to see its reading here."))

    def open_reading_field(self, surface: str, kana: str) -> None:
        """Opens the field for a word."""
        for widget in (self.title, self._tools, self.reset_phrase, self.reset_all, self.others):
            widget.hide()  # what is wrong with a reading needs their room
        self.reading.open_for_word(surface, kana)

    def close_reading_field(self) -> None:
        """Gives up the field for a word; another line is shown."""
        self.reading.hide()
        self._update_header()

    @Slot()
    def _focus_strip(self) -> None:
        self._update_header()
        self.strip.setFocus()

    def _update_header(self) -> None:
        self.title.show()
        self._tools.show()
        for widget in (self.reset_phrase, self.reset_all, self.others):
            widget.setVisible(self.is_open)

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
    left_out = [] if shape.reading.emoji else list(dict.fromkeys(place.symbol for place in find_emoji(shape.reading.extract_text())))
    named = "".join(left_out[:MAX_NAMED_CHANGES]) + "…" * (len(left_out) > MAX_NAMED_CHANGES)
    return localize(f"この声は絵文字 {named} に対応していません。", f"This voice ignores {named}") if left_out else ""


def _create_button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName("small")
    button.setToolTip(tip)
    button.setAccessibleName(text)
    return button
