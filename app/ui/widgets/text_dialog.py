"""A page of text to read, and perhaps to agree to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.language import localized
from app.ui.theme.measures import DIALOG_MARGINS

SIZE = (620, 460)
LOW, FEW_LINES, FEW_LETTERS = 260, 6, 240  # height of a dialog with a short text, and what is short


class TextDialog(QDialog):
    """Shows a text without standing in the way of the window.

    Args:
        lead: a sentence above the text.
        accept: what the button says that agrees; empty where there is nothing to agree to.
    """

    def __init__(self, parent: QWidget, title: str, text: str, lead: str = "", accept: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        short = text.count("\n") < FEW_LINES and len(text) < FEW_LETTERS
        self.resize(SIZE[0], LOW if short else SIZE[1])
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        if lead:
            words = QLabel(lead)
            words.setTextFormat(Qt.TextFormat.PlainText)
            words.setWordWrap(True)
            words.setObjectName("heading")
            column.addWidget(words)
        self.page = QPlainTextEdit(text)
        self.page.setReadOnly(True)
        self.page.setAccessibleName(title)
        column.addWidget(self.page, 1)
        self.buttons = QDialogButtonBox()
        if accept:
            self.accept_button = self.buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
            self.accept_button.setObjectName("primary")
            self.decline_button = self.buttons.addButton(localized("同意しない", "Decline"), QDialogButtonBox.ButtonRole.RejectRole)
            self.accept_button.setToolTip(
                localized("利用規約に同意して、この声を使います。", "Accepts the licence and makes the voice available.")
            )
            self.decline_button.setToolTip(localized("この声を使いません。", "Does not use this voice."))
            self.buttons.accepted.connect(self.accept)
        else:
            close = self.buttons.addButton(localized("閉じる", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
            close.setToolTip(localized("閉じる（Esc）", "Close (Esc)"))
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)


def show_text(parent: QWidget, title: str, text: str) -> TextDialog:
    """A text to read."""
    dialog = TextDialog(parent.window(), title, text)
    dialog.open()
    return dialog


def show_details(parent: QWidget, text: str) -> TextDialog:
    """The details behind a message; users copy them when they ask for help."""
    dialog = show_text(parent, localized("詳細", "Details"), text)
    copy = dialog.buttons.addButton(localized("コピー", "Copy"), QDialogButtonBox.ButtonRole.ActionRole)
    copy.setAccessibleName(localized("詳細をコピー", "Copy the details"))
    copy.setToolTip(localized("クリップボードにコピーします。", "Copies them to the clipboard."))
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
    return dialog


def ask_licence(parent: QWidget, name: str, text: str) -> TextDialog:
    """The licence of a voice to agree to; the dialog's `accepted` or `rejected` follows."""
    dialog = TextDialog(
        parent,
        localized("声の利用規約", "Voice licence"),
        text.strip(),
        localized(
            f"「{name}」を使う前に、利用規約をお読みください。",
            f"Please read the licence before using “{name}”.",
        ),
        localized("同意する", "Accept"),
    )
    dialog.open()
    return dialog
