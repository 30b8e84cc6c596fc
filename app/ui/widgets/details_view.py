"""The details of a message, to read and copy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QResizeEvent, QTextLine
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.common.language import localize

# Further lines are scrolled to.
MAX_VISIBLE_LINES = 5
# Pixels below the last line, without which Qt scrolls already.
SCROLL_GUARD_PX = 1


class DetailsView(QWidget):
    """A read-only text field with a copy button; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.text = _FirstLinesEdit()
        self.text.setObjectName("details")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(localize("詳細", "Details"))
        self.copy = QPushButton(localize("コピー", "Copy"))
        self.copy.setAccessibleName(localize("詳細をコピー", "Copy the details"))
        self.copy.setToolTip(localize("クリップボードにコピーします。", "Copies them to the clipboard."))
        self.copy.clicked.connect(self._copy_text)
        row = QHBoxLayout(self)
        # The margin aligns the details with the text of the message.
        row.setContentsMargins(30, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_text(self, text: str) -> None:
        """Set the text and fold the view."""
        self.hide()
        self.text.setPlainText(text)

    @Slot()
    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


class _FirstLinesEdit(QPlainTextEdit):
    """A text field as high as its first lines."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height, as another width wraps the text elsewhere."""
        super().resizeEvent(event)
        # Lines are measured one by one: Japanese ones are higher than the metrics of the font say.
        heights = [line.height() for line in islice(self._iterate_lines(), MAX_VISIBLE_LINES + 1)]
        margin = self.document().documentMargin()
        # Below more lines no pixel is free, as the next line begins there.
        below = margin + SCROLL_GUARD_PX if len(heights) <= MAX_VISIBLE_LINES else 0
        frame = self.height() - self.viewport().height()
        self.setFixedHeight(math.ceil(margin + sum(heights[:MAX_VISIBLE_LINES]) + below) + max(0, frame))

    def _iterate_lines(self) -> Iterator[QTextLine]:
        document = self.document()
        for number in range(min(MAX_VISIBLE_LINES + 1, document.blockCount())):
            block = document.findBlockByNumber(number)
            # This call lays the block out, as Qt does so only when a block is first needed.
            document.documentLayout().blockBoundingRect(block)
            yield from (block.layout().lineAt(line) for line in range(block.layout().lineCount()))
