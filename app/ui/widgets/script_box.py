"""Where the text is typed."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QPlainTextEdit

from app.language import say


class ScriptBox(QPlainTextEdit):
    """A large plain text field; Tab leaves it, as in every form."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("script")
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self.setFont(font)
        self.setTabChangesFocus(True)
        self.setAccessibleName(say("読み上げる文章", "Text to speak"))
        self.setPlaceholderText(
            say(
                "ここに文章を入力し、Ctrl+Enter で再生します。\n止めるときは Esc か、もう一度 Ctrl+Enter。",
                "Type Japanese text here, then press Ctrl+Enter to hear it.\nEsc, or Ctrl+Enter again, stops.",
            )
        )

    @property
    def text(self) -> str:
        """The text, with plain line breaks."""
        return self.toPlainText()
