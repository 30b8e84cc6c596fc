"""What lies behind a message, to be read and copied."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QResizeEvent, QTextLine
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.language import localized

MOST_LINES = 5  # more of them scroll
SPARE = 1  # pixel below the last line, without which Qt scrolls already


class Details(QWidget):
    """A text field that cannot be changed, and a button beside it; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.text = _FirstLines()
        self.text.setObjectName("details")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(localized("詳細", "Details"))
        self.copy = QPushButton(localized("コピー", "Copy"))
        self.copy.setAccessibleName(localized("詳細をコピー", "Copy the details"))
        self.copy.setToolTip(localized("クリップボードにコピーします。", "Copies them to the clipboard."))
        self.copy.clicked.connect(self._on_copy)
        row = QHBoxLayout(self)
        row.setContentsMargins(30, 0, 0, 0)  # under the words of the message
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_text(self, text: str) -> None:
        """Holds another text, folded."""
        self.hide()
        self.text.setPlainText(text)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


class _FirstLines(QPlainTextEdit):
    """As high as the first lines at its width: Japanese ones are higher than what the font says of itself."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width folds other lines."""
        super().resizeEvent(event)
        heights = [line.height() for line in islice(self._lines(), MOST_LINES + 1)]
        margin = self.document().documentMargin()
        below = margin + SPARE if len(heights) <= MOST_LINES else 0  # where there are more, the next one would begin there
        frame = self.height() - self.viewport().height()
        self.setFixedHeight(math.ceil(margin + sum(heights[:MOST_LINES]) + below) + max(0, frame))

    def _lines(self) -> Iterator[QTextLine]:
        document = self.document()
        for number in range(min(MOST_LINES + 1, document.blockCount())):
            block = document.findBlockByNumber(number)
            document.documentLayout().blockBoundingRect(block)  # lays it out
            yield from (block.layout().lineAt(line) for line in range(block.layout().lineCount()))
