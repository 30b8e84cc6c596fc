"""Buttons for words whose reading is in doubt: the analysers differ, and a click takes the other reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.core.line_reading import LineReading
from app.core.line_words import LineWord
from app.language import localized

MOST = 6
GAP = 6  # pixels


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word of the line, as it is written, and the other reading it could have."""

    word: LineWord
    surface: str
    other: str


def doubts_of(reading: LineReading) -> tuple[Doubt, ...]:
    """The first few of a line; of a word that occurs several times each."""
    found = ((word, reading.written(word.start, word.end).strip()) for word in reading.words if word.other)
    return tuple(Doubt(word, surface, word.other) for word, surface in found if surface)[:MOST]


class OtherReadings(QWidget):
    """A row of buttons, as many as there is room for.

    Signals:
        reading_requested(LineWord): the word is to be read as its `other`.
    """

    reading_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._doubts: tuple[Doubt, ...] = ()
        self.buttons: list[QPushButton] = []

    def show_doubts(self, doubts: Sequence[Doubt]) -> None:
        """Shows others; the same ones stay as they are, so that focus does."""
        if tuple(doubts) == self._doubts:
            return
        self._doubts = tuple(doubts)
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._button(doubt) for doubt in doubts]
        self._arrange()

    def sizeHint(self) -> QSize:
        """No room of its own: it takes what is left between its neighbours."""
        return QSize(0, max((button.sizeHint().height() for button in self.buttons), default=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or fewer fit."""
        super().resizeEvent(event)
        self._arrange()

    def _button(self, doubt: Doubt) -> QPushButton:
        button = QPushButton(f"{doubt.surface} → {doubt.other}", self)
        button.setObjectName("small")
        words = localized(
            f"「{doubt.surface}」の読みを「{doubt.other}」に変更します。", f"Changes the reading of “{doubt.surface}” to {doubt.other}."
        )
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.clicked.connect(partial(self._on_clicked, doubt))
        return button

    def _on_clicked(self, doubt: Doubt, _checked: bool = False) -> None:
        self.reading_requested.emit(doubt.word)

    def _arrange(self) -> None:
        x = GAP
        for button in self.buttons:
            size = button.sizeHint()
            button.setGeometry(x, max(0, (self.height() - size.height()) // 2), size.width(), size.height())
            x += size.width() + GAP
            button.setVisible(x <= self.width())
