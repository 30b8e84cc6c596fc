"""A dialog with a text to read, and perhaps to accept."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.widgets.controls import DIALOG_MARGINS, PlainLabel, fill_box
from app.ui.widgets.dialogs import ClosableDialog

TEXT_DIALOG_SIZE_PX = (620, 460)
LOW, FEW_LINES, FEW_LETTERS = 260, 6, 240  # height in pixels for a short text, and the limits of lines and letters of one


class TextDialog(ClosableDialog):
    """A dialog that shows a text and does not block the window.

    Args:
        accept_label: text of the accept button; empty for a text that needs no acceptance.
    """

    def __init__(self, parent: QWidget, title: str, text: str, introduction: str = "", accept_label: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        short = text.count("\n") < FEW_LINES and len(text) < FEW_LETTERS
        self.resize(TEXT_DIALOG_SIZE_PX[0], LOW if short else TEXT_DIALOG_SIZE_PX[1])
        column = fill_box(QVBoxLayout(self), margins=DIALOG_MARGINS, spacing=10)
        if introduction:
            column.addWidget(PlainLabel(introduction, "heading", wraps=True))
        self.page = QPlainTextEdit(text, readOnly=True)
        self.page.setAccessibleName(title)
        column.addWidget(self.page, 1)
        self.buttons = QDialogButtonBox()
        if accept_label:
            self.accept_button = self.buttons.addButton(accept_label, QDialogButtonBox.ButtonRole.AcceptRole)
            self.accept_button.setObjectName("primary")
            self.decline_button = self.buttons.addButton(localize("同意しない", "Decline"), QDialogButtonBox.ButtonRole.RejectRole)
            self.accept_button.setToolTip(
                localize("利用規約に同意して、この声を使います。", "Accepts the licence and makes the voice available.")
            )
            self.decline_button.setToolTip(localize("この声を使いません。", "Does not use this voice."))
            self.buttons.accepted.connect(self.accept)
        else:
            close = self.buttons.addButton(localize("閉じる", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
            close.setToolTip(localize("閉じる（Esc）", "Close (Esc)"))
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)


def show_text(parent: QWidget, title: str, text: str) -> TextDialog:
    """Open a dialog with a text to read."""
    dialog = TextDialog(parent.window(), title, text)
    dialog.open()
    return dialog


def show_details(parent: QWidget, text: str) -> TextDialog:
    """Open the details of a message, which users copy into reports."""
    dialog = show_text(parent, localize("詳細", "Details"), text)
    copy = dialog.buttons.addButton(localize("コピー", "Copy"), QDialogButtonBox.ButtonRole.ActionRole)
    copy.setAccessibleName(localize("詳細をコピー", "Copy the details"))
    copy.setToolTip(localize("クリップボードにコピーします。", "Copies them to the clipboard."))
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
    return dialog


def ask_for_licence(parent: QWidget, name: str, text: str) -> TextDialog:
    """Open the licence of a voice; the dialog emits `accepted` or `rejected`."""
    dialog = TextDialog(
        parent,
        localize("声の利用規約", "Voice licence"),
        text.strip(),
        localize(f"「{name}」を使う前に、利用規約をお読みください。", f"Please read the licence before using “{name}”."),
        localize("同意する", "Accept"),
    )
    dialog.open()
    return dialog
