"""A field for the assist text."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QToolButton

from app.common.language import localize


class AssistField(QLineEdit):
    """A line edit for a text whose mood colours the speech."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(localize("アシストテキスト（例: とても嬉しい！）", "Assist text, for example 「とても嬉しい！」"))
        self.setAccessibleName(localize("アシストテキスト", "Assist text"))
        self.setToolTip(localize("読み上げずに、この文の雰囲気だけを話し方に反映します。", "Not spoken; its mood colours the speech."))
        self.setClearButtonEnabled(True)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(localize("アシストテキストを消去", "Clear the assist text"))
            button.setToolTip(button.accessibleName())

    def show_text(self, text: str) -> None:
        """Show the line's text."""
        # Setting the text that is shown already would move the cursor of a user who is typing.
        if self.text() != text:
            self.setText(text)
