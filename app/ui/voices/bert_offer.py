"""Offers the BERT that a voice needs: a download, a file that is there already, or speaking without for now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import localized
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.voices.bert_words import bert_reason
from app.voices.wanted_bert import SBV2_BERT, STANDARD_DOWNLOAD_MB, STANDARD_LICENCE, STANDARD_LICENCE_JA


class BertOffer(QDialog):
    """Asks what to do.

    Args:
        bert: id of the BERT that is missing; only the standard one can be downloaded.
        force_offered: another BERT is here, with which the voice would speak wrongly.

    Signals:
        download_requested(), file_requested(), force_requested(): the user's choice; none when it is put off.
    """

    download_requested = Signal()
    file_requested = Signal()
    force_requested = Signal()

    def __init__(self, parent: QWidget, name: str, bert: str, *, force_offered: bool = True) -> None:
        super().__init__(parent)
        common = bert == SBV2_BERT
        self.setWindowTitle(localized("BERT をダウンロード", "Download BERT") if common else localized("BERT を追加", "Add BERT"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*DIALOG_MARGINS)
        self._column.setSpacing(8)
        lead = self._words(localized(f"「{name}」を使うには BERT モデルが必要です。", f"“{name}” requires a BERT model."))
        lead.setObjectName("heading")
        self._words(bert_reason(bert))
        self._column.addSpacing(4)
        self.download = self._button(
            localized(f"ダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download ({STANDARD_DOWNLOAD_MB} MB)"), self._on_download
        )
        self.download.setObjectName("primary")
        self.download.setVisible(common)
        licence = self._words(localized(f"ライセンス: {STANDARD_LICENCE_JA}", f"Licence: {STANDARD_LICENCE}"))
        licence.setObjectName("muted")
        licence.setVisible(common)
        self.file = self._button(localized("ファイルから追加…", "Add from file…"), self._on_file)
        self.file.setObjectName("" if common else "primary")
        self.force = self._button(
            localized("別の BERT で代用する（抑揚が不自然になります）", "Use another BERT for now (intonation will be off)"),
            self._on_force,
        )
        self.force.setVisible(force_offered)
        self.later = self._button(localized("あとで", "Later"), self.reject)

    def showEvent(self, event: QShowEvent) -> None:
        """As high as its words need at this width; Qt reckons without their wrapping."""
        super().showEvent(event)
        self.setMinimumHeight(self._column.totalHeightForWidth(self.width()))

    def _words(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self._column.addWidget(label)
        return label

    def _button(self, text: str, pressed: object) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(text)
        button.setAutoDefault(False)
        button.clicked.connect(pressed)
        self._column.addWidget(button)
        return button

    @Slot()
    def _on_download(self) -> None:
        self.accept()
        self.download_requested.emit()

    @Slot()
    def _on_file(self) -> None:
        self.accept()
        self.file_requested.emit()

    @Slot()
    def _on_force(self) -> None:
        self.accept()
        self.force_requested.emit()
