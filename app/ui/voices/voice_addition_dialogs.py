"""The dialogs that ask for what a new voice needs: its address, or its BERT."""

from PySide6.QtCore import Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.voices.voice_card_labels import describe_bert_need
from app.ui.web_links import find_address_error, parse_address
from app.ui.widgets.controls import DIALOG_MARGINS, PlainLabel, create_button, describe_control, fill_box
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB, STANDARD_LICENCE, STANDARD_LICENCE_JA


class MissingBertDialog(QDialog):
    """Asks how to get the missing BERT.

    Args:
        bert: id of the missing BERT; only the standard one can be downloaded.
        may_force: another BERT is installed, with which the voice would speak with wrong intonation.

    Signals:
        download_requested(), file_requested(), force_requested(): the user's choice; none is emitted when it is put off.
    """

    download_requested = Signal()
    file_requested = Signal()
    force_requested = Signal()

    def __init__(self, parent: QWidget, name: str, bert: str, *, may_force: bool = True) -> None:
        super().__init__(parent)
        common = bert == SBV2_BERT_ID
        self.setWindowTitle(localize("BERT をダウンロード", "Download BERT") if common else localize("BERT を追加", "Add BERT"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        lead = localize(f"「{name}」を使うには BERT モデルが必要です。", f"“{name}” requires a BERT model.")
        self.download = self._create_choice(
            localize(f"ダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download ({STANDARD_DOWNLOAD_MB} MB)"), self.download_requested
        )
        self.download.setObjectName("primary")
        licence = localize(f"ライセンス: {STANDARD_LICENCE_JA}", f"Licence: {STANDARD_LICENCE}")
        licence_label = PlainLabel(licence, "muted", wraps=True)
        self.file = self._create_choice(localize("ファイルから追加…", "Add from file…"), self.file_requested)
        self.file.setObjectName("" if common else "primary")
        self.force = self._create_choice(
            localize("別の BERT で代用する（抑揚が不自然になります）", "Use another BERT for now (intonation will be off)"),
            self.force_requested,
        )
        self.later = create_button(localize("あとで", "Later"), localize("あとで", "Later"), self.reject)
        labels = (PlainLabel(lead, "heading", wraps=True), PlainLabel(describe_bert_need(bert), wraps=True))
        choices = (self.download, licence_label, self.file, self.force, self.later)
        self._column = fill_box(QVBoxLayout(self), *labels, 4, *choices, spacing=8, margins=DIALOG_MARGINS)
        self.download.setVisible(common)
        licence_label.setVisible(common)
        self.force.setVisible(may_force)

    def showEvent(self, event: QShowEvent) -> None:
        """Set the height that the texts need at this width."""
        super().showEvent(event)
        # Qt computes the size of a dialog without the wrapping of its labels, and would cut the texts off.
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    def _create_choice(self, text: str, choice: SignalInstance) -> QPushButton:
        def accept_choice() -> None:
            self.accept()
            choice.emit()

        return create_button(text, text, accept_choice)


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
