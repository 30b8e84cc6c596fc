"""What lies behind a message, to be read and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.language import localized

MOST_LINES, FEWER_LINES = 5, 2  # more of them scroll
LOW_WINDOW = 780  # pixels; below it there are fewer lines


class Details(QWidget):
    """A text field that cannot be changed, and a button beside it; hidden at first."""

    def __init__(self) -> None:
        super().__init__()
        self.text = QPlainTextEdit()
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

    def fit(self, window_height: int) -> None:
        """As high as the text, or as a window of this height has room for."""
        most = FEWER_LINES if window_height < LOW_WINDOW else MOST_LINES
        lines = min(most, self.text.document().blockCount())
        self.text.setFixedHeight(lines * self.text.fontMetrics().lineSpacing() + 22)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
