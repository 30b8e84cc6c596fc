"""Buttons for words whose reading is in doubt: the analysers differ, and a click takes the other reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.common.language import localize
from app.core.line_reading import LineReading
from app.core.line_words import LineWord

MAX_SHOWN_DOUBTS = 6
READING_BUTTON_GAP_PX = 6  # pixels


@dataclass(frozen=True, slots=True)
class ReadingDoubt:
    """A word of the line, as it is written, and the other reading it could have."""

    word: LineWord
    surface: str
    other: str


def find_reading_doubts(reading: LineReading) -> tuple[ReadingDoubt, ...]:
    """The first few of a line; of a word that occurs several times each."""
    found = ((word, reading.extract_text(word.start, word.end).strip()) for word in reading.words if word.other_reading)
    return tuple(ReadingDoubt(word, surface, word.other_reading) for word, surface in found if surface)[:MAX_SHOWN_DOUBTS]


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
        """Shows others; the same ones stay as they are, so that focus does."""
        if tuple(doubts) == self._doubts:
            return
        self._doubts = tuple(doubts)
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._create_button(doubt) for doubt in doubts]
        self._arrange_buttons()

    def sizeHint(self) -> QSize:
        """No room of its own: it takes what is left between its neighbours."""
        return QSize(0, max((button.sizeHint().height() for button in self.buttons), default=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer fit."""
        super().resizeEvent(event)
        self._arrange_buttons()

    def _create_button(self, doubt: ReadingDoubt) -> QPushButton:
        button = QPushButton(f"{doubt.surface} → {doubt.other}", self)
        button.setObjectName("small")
        words = localize(
            f"「{doubt.surface}」の読みを「{doubt.other}」に変更します。", f"Changes the reading of “{doubt.surface}” to {doubt.other}."
        )
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.clicked.connect(partial(self._request_reading, doubt))
        return button

    def _request_reading(self, doubt: ReadingDoubt, _checked: bool = False) -> None:
        self.reading_requested.emit(doubt.word)

    def _arrange_buttons(self) -> None:
        x = READING_BUTTON_GAP_PX
        for button in self.buttons:
            size = button.sizeHint()
            button.setGeometry(x, max(0, (self.height() - size.height()) // 2), size.width(), size.height())
            x += size.width() + READING_BUTTON_GAP_PX
            button.setVisible(x <= self.width())
