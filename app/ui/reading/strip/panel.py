"""Strip and waveform of the selected line, one above the other on one axis, with what belongs to them; all of it folds away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.core.emoji import find_emoji
from app.core.line_sound import LineSound
from app.core.types import Overrides
from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.reading.strip.keys import key_words
from app.ui.reading.strip.other_readings import OtherReadings, doubts_of
from app.ui.reading.strip.painting import HEIGHT
from app.ui.reading.strip.reading_field import HEIGHT as FIELD_HEIGHT
from app.ui.reading.strip.reading_field import ReadingField
from app.ui.reading.strip.shape import Shape
from app.ui.reading.strip.strip import PhoneStrip
from app.ui.reading.strip.summary import KanaSummary
from app.ui.reading.strip.waveform import HEIGHT as WAVE_HEIGHT
from app.ui.reading.strip.waveform import Waveform
from app.ui.theme.icons import icon
from app.ui.theme.theme import Theme, is_theme_change
from app.ui.widgets.emoji_picker import EmojiButton

SCROLL_BAR = 10
AHEAD = 120  # pixels that stay in sight before the playhead
MOST_NAMED = 5  # emoji that are left out


class StripPanel(QFrame):
    """What lies under the selected line.

    Attributes:
        title: folds and unfolds.
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
        self.title = QToolButton()
        self.title.setObjectName("fold")
        self.title.setText(localized("読みとアクセント", "Reading and accent"))
        self.title.setAccessibleName(self.title.text())
        self.title.setToolTip(
            localized(
                "この行の読み、アクセント、音の長さ、波形を表示します。", "Shows the reading, accent, lengths and waveform of the line."
            )
        )
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setCheckable(True)
        self.title.setChecked(True)
        self.title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.title.toggled.connect(self._on_toggled)
        self.summary = KanaSummary()
        self.summary.hide()
        self.note = PlainLabel()
        self.note.setObjectName("muted")
        self.reading = ReadingField()
        self.reset_phrase = _button(
            localized("句をリセット", "Reset phrase"),
            localized(
                "選んだ音を含むアクセント句の、アクセントと長さをリセットします。",
                "Resets the accent and lengths of the selected accent phrase.",
            ),
        )
        self.reset_all = _button(
            localized("すべてリセット", "Reset all"),
            localized(
                "この行の読み、アクセント、音の長さをすべてリセットします。", "Resets all readings, accents and lengths of this line."
            ),
        )
        self.emoji = EmojiButton()
        self.emoji.hide()
        self._tools = QWidget()  # hidden as one, whichever of them are shown
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.addWidget(self.emoji)
        self.strip, self.waveform = PhoneStrip(theme), Waveform(theme)
        self.strip.setToolTip(key_words())
        self._body = QWidget()
        self._body.setObjectName("strip")
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.waveform)
        column.addStretch(1)
        self.view = QScrollArea()
        self.view.setWidget(self._body)
        self.view.setWidgetResizable(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setFixedHeight(HEIGHT + WAVE_HEIGHT + SCROLL_BAR)
        top = QHBoxLayout()
        top.addStrut(FIELD_HEIGHT)
        for widget in (self.title, self.note, self.reading):
            top.addWidget(widget)
        top.addWidget(self.summary, 1)
        self.others = OtherReadings()  # takes the free room, with or without buttons
        top.addWidget(self.others, 1)
        top.addWidget(self._tools)
        top.addWidget(self.reset_phrase)
        top.addWidget(self.reset_all)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(8, 4, 10, 4)
        whole.setSpacing(2)
        whole.addLayout(top)
        whole.addWidget(self.view)
        self.strip.moved.connect(self.show_place)
        self.reading.closed.connect(self._on_closed)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._draw()

    @property
    def is_open(self) -> bool:
        """True while more than its header is shown."""
        return self.title.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Opens or folds it."""
        self.title.setChecked(is_open)

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the arrow for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.strip.set_theme(theme)
        self.waveform.set_theme(theme)

    def show_line(self, shape: Shape | None, sound: LineSound | None, is_current: bool) -> None:
        """Shows a line, with its last sound; `is_current` when it was spoken as it is now."""
        self.strip.show_shape(shape)
        self.summary.show_shape(shape)
        self.note.setText("" if shape is None else _note(shape))
        self.others.show_doubts(() if shape is None else doubts_of(shape.reading))
        if shape is not None:
            self.waveform.show()
            self.waveform.show_sound(sound, shape.axis, is_current)
            self._body.setMinimumWidth(round(shape.axis.width))
        edits = shape.overrides if shape is not None else Overrides()
        shaped = bool(edits.moras or edits.pauses or edits.phrases)
        self.reset_phrase.setEnabled(shaped)
        self.reset_all.setEnabled(shaped or bool(edits.readings))

    def show_empty(self) -> None:
        """A line without text: the place stays, so that nothing moves when the first letter is typed."""
        self.close_reading()
        self.show_line(None, None, False)
        self.waveform.hide()
        self.note.setText(localized("テキストを入力すると、ここに読みが表示されます。", "Type some text to see its reading here."))

    def show_played(self, played_s: float | None) -> None:
        """Moves what shows the sound of this moment, and keeps it in sight."""
        stepped = self.strip.show_played(played_s)
        self.waveform.show_played(played_s)
        shape = self.strip.shape
        if stepped and shape is not None and played_s is not None:
            self.show_place(shape.axis.x_of(played_s))

    def show_start(self) -> None:
        """Scrolls to where a line begins."""
        self.view.horizontalScrollBar().setValue(0)

    @Slot(float)
    def show_place(self, x: float) -> None:
        """Scrolls to a pixel of the axis."""
        self.view.ensureVisible(round(x), 0, AHEAD, 0)

    def type_reading(self, surface: str, kana: str) -> None:
        """Opens the field for a word."""
        for widget in (self.title, self._tools, self.reset_phrase, self.reset_all, self.others):
            widget.hide()  # what is wrong with a reading needs their room
        self.reading.open_for(surface, kana)

    def close_reading(self) -> None:
        """Gives up the field for a word; another line is shown."""
        self.reading.hide()
        self._show_header()

    @Slot()
    def _on_closed(self) -> None:
        self._show_header()
        self.strip.setFocus()

    def _show_header(self) -> None:
        self.title.show()
        self._tools.show()
        for widget in (self.reset_phrase, self.reset_all, self.others):
            widget.setVisible(self.is_open)

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.close_reading()
        self.view.setVisible(is_open)
        self.summary.setVisible(not is_open)
        self._draw()
        self.toggled.emit(is_open)

    def _draw(self) -> None:
        self.title.setIcon(icon("open" if self.is_open else "closed", self.palette().color(QPalette.ColorRole.WindowText)))


def _note(shape: Shape) -> str:
    if not shape.axis.cells:
        return localized("読み上げられる文字がありません。", "There is nothing here to read aloud.")
    if not shape.reading.complete:
        return localized("行が長いため、先頭の部分だけを表示しています。", "Only the beginning of this long line is shown.")
    left_out = [] if shape.reading.emoji else list(dict.fromkeys(place.symbol for place in find_emoji(shape.reading.text)))
    named = "".join(left_out[:MOST_NAMED]) + "…" * (len(left_out) > MOST_NAMED)
    return localized(f"この声は絵文字 {named} に対応していません。", f"This voice ignores {named}") if left_out else ""


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName("small")
    button.setToolTip(tip)
    button.setAccessibleName(text)
    return button
