"""Asks for the address of a voice, or its UUID on AivisHub."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.language import localized
from app.ui.link_kinds import read_address, refusal
from app.ui.theme.measures import DIALOG_MARGINS


class AddAddress(QDialog):
    """One field that understands both.

    Args:
        address: stands in it already.

    Signals:
        url_given(str), uuid_given(str): what was typed.
    """

    url_given = Signal(str)
    uuid_given = Signal(str)

    def __init__(self, parent: QWidget, address: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("URL・AivisHub から追加", "Add from URL or AivisHub"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(600)
        words = QLabel(
            localized(
                "声のファイルの URL、または AivisHub の音声合成モデルの URL か UUID を入力してください。",
                "Enter the URL of a voice file, or the URL or UUID of a model on AivisHub.",
            )
        )
        words.setWordWrap(True)
        self.field = QLineEdit()
        self.field.setAccessibleName(localized("URL または UUID", "URL or UUID"))
        self.field.setToolTip(localized("Enter で追加します。", "Press Enter to add."))
        self.field.setPlaceholderText("https://…")
        self.field.textChanged.connect(self._on_typed)
        self.reason = QLabel()
        self.reason.setObjectName("error")
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.setWordWrap(True)
        self.buttons = QDialogButtonBox()
        self.add = self.buttons.addButton(localized("追加", "Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setObjectName("primary")
        self.add.setToolTip(localized("声をダウンロードして追加します。", "Downloads and adds the voice."))
        cancel = self.buttons.addButton(localized("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localized("追加せずに閉じます。", "Closes without adding anything."))
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        column.addWidget(words)
        column.addWidget(self.field)
        column.addWidget(self.reason)
        column.addWidget(self.buttons, 0, Qt.AlignmentFlag.AlignRight)
        self._on_typed("")
        self.field.setText(address)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        usable = any(read_address(text))
        # Before the name of a server is typed, a reason would only be in the way.
        error = refusal(text) if not usable and text.partition("://")[2].strip() else None
        self.add.setEnabled(usable)
        self.reason.setText(f"{error.message} {error.hint}" if error else "")
        self.reason.setVisible(error is not None)
        self._column.activate()
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))  # Qt forgets the second line of words that are folded

    @Slot()
    def _on_accepted(self) -> None:
        url, uuid = read_address(self.field.text())
        self.accept()
        if uuid:
            self.uuid_given.emit(uuid)
        elif url:
            self.url_given.emit(url)
