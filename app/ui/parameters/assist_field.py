"""The field for the assist text."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QToolButton

from app.language import localized


class AssistField(QLineEdit):
    """A text whose mood colours the speech."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(localized("アシストテキスト（例: とても嬉しい！）", "Assist text, for example 「とても嬉しい！」"))
        self.setAccessibleName(localized("アシストテキスト", "Assist text"))
        self.setToolTip(localized("読み上げずに、この文の雰囲気だけを話し方に反映します。", "Not spoken; its mood colours the speech."))
        self.setClearButtonEnabled(True)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(localized("アシストテキストを消去", "Clear the assist text"))
            button.setToolTip(button.accessibleName())

    def show_text(self, text: str) -> None:
        """Shows what the line says; where that is shown already, the cursor stays."""
        if self.text() != text:
            self.setText(text)
