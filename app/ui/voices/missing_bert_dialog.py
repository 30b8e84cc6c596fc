"""Offers ways to get the BERT that a voice needs: download it, choose a file, or speak without it for now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.voices.voice_card_labels import describe_bert_need
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
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*DIALOG_MARGINS)
        self._column.setSpacing(8)
        lead = self._add_label(localize(f"「{name}」を使うには BERT モデルが必要です。", f"“{name}” requires a BERT model."))
        lead.setObjectName("heading")
        self._add_label(describe_bert_need(bert))
        self._column.addSpacing(4)
        self.download = self._add_button(
            localize(f"ダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download ({STANDARD_DOWNLOAD_MB} MB)"), self._request_download
        )
        self.download.setObjectName("primary")
        self.download.setVisible(common)
        licence = self._add_label(localize(f"ライセンス: {STANDARD_LICENCE_JA}", f"Licence: {STANDARD_LICENCE}"))
        licence.setObjectName("muted")
        licence.setVisible(common)
        self.file = self._add_button(localize("ファイルから追加…", "Add from file…"), self._request_file)
        self.file.setObjectName("" if common else "primary")
        self.force = self._add_button(
            localize("別の BERT で代用する（抑揚が不自然になります）", "Use another BERT for now (intonation will be off)"),
            self._request_force,
        )
        self.force.setVisible(may_force)
        self.later = self._add_button(localize("あとで", "Later"), self.reject)

    def showEvent(self, event: QShowEvent) -> None:
        """Set the height that the texts need at this width."""
        super().showEvent(event)
        # Qt computes the size of a dialog without the wrapping of its labels, and would cut the texts off.
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    def _add_label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self._column.addWidget(label)
        return label

    def _add_button(self, text: str, on_click: object) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(text)
        button.setAutoDefault(False)
        button.clicked.connect(on_click)
        self._column.addWidget(button)
        return button

    @Slot()
    def _request_download(self) -> None:
        self.accept()
        self.download_requested.emit()

    @Slot()
    def _request_file(self) -> None:
        self.accept()
        self.file_requested.emit()

    @Slot()
    def _request_force(self) -> None:
        self.accept()
        self.force_requested.emit()
