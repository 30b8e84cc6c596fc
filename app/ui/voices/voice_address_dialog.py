"""Asks for the address of a voice, or its UUID on AivisHub."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.web_links import find_address_error, parse_address
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.controls import describe_control


class VoiceAddressDialog(QDialog):
    """A dialog with one field for a URL or a UUID.

    Signals:
        url_given(str), uuid_given(str): what was typed.
    """

    url_given = Signal(str)
    uuid_given = Signal(str)

    def __init__(self, parent: QWidget, address: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("URL・AivisHub から追加", "Add from URL or AivisHub"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(600)
        explanation = QLabel(
            localize(
                "声のファイルの URL、または AivisHub の音声合成モデルの URL か UUID を入力してください。",
                "Enter the URL of a voice file, or the URL or UUID of a model on AivisHub.",
            )
        )
        explanation.setWordWrap(True)
        tip = localize("Enter で追加します。", "Press Enter to add.")
        self.field = describe_control(QLineEdit(), localize("URL または UUID", "URL or UUID"), tip)
        self.field.setPlaceholderText("https://…")
        self.field.textChanged.connect(self._validate_address)
        self.reason = PlainLabel("", "error", wraps=True)
        self.buttons = QDialogButtonBox()
        self.add = self.buttons.addButton(localize("追加", "Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setObjectName("primary")
        self.add.setToolTip(localize("声をダウンロードして追加します。", "Downloads and adds the voice."))
        cancel = self.buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("追加せずに閉じます。", "Closes without adding anything."))
        self.buttons.accepted.connect(self._submit_address)
        self.buttons.rejected.connect(self.reject)
        buttons = (self.buttons, Qt.AlignmentFlag.AlignRight)
        self._column = fill_box(QVBoxLayout(self), explanation, self.field, self.reason, buttons, spacing=10, margins=DIALOG_MARGINS)
        self._validate_address("")
        self.field.setText(address)

    @Slot(str)
    def _validate_address(self, text: str) -> None:
        usable = any(parse_address(text))
        # Before the name of a server is typed, a reason would only be in the way.
        error = find_address_error(text) if not usable and text.partition("://")[2].strip() else None
        self.add.setEnabled(usable)
        self.reason.setText(f"{error.message} {error.hint}" if error else "")
        self.reason.setVisible(error is not None)
        self._column.activate()
        # Qt's layout forgets the second line of a wrapped label, which would be cut off.
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    @Slot()
    def _submit_address(self) -> None:
        url, uuid = parse_address(self.field.text())
        self.accept()
        if uuid:
            self.uuid_given.emit(uuid)
        elif url:
            self.url_given.emit(url)
