"""The page of natural voices: AivisHub's voices with buttons that add them, and a guide for adding by hand without a network."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.adapters.http.aivishub_catalog import OfferedVoice
from app.common.errors import AppError
from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.tasks.task_queue import TaskQueue
from app.ui.tasks.tasks_panel import TasksPanel
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.voices.hub_card import HubCard
from app.ui.voices.hub_voice_loader import HubVoiceLoader
from app.ui.voices.manual_download import create_download_guide
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.text_dialog import show_text
from app.voices.required_bert import SBV2_BERT_ID

SIZE, LOWEST = (820, 620), 420


class NaturalVoicesDialog(QDialog):
    """Shows a card per voice in the order of the hub.

    Attributes:
        cards: the cards by UUID.
        retry: the button that contacts the hub again.

    Signals:
        add_requested(OfferedVoice): the button of its card was pressed.  sample_requested(OfferedSample): play it.
    """

    add_requested = Signal(object)
    sample_requested = Signal(object)

    def __init__(self, parent: QWidget, loader: HubVoiceLoader, catalog: VoiceCatalog, queue: TaskQueue) -> None:
        super().__init__(parent)
        self._shelf, self._catalog = loader, catalog
        self._coming: Collection[str] = ()
        self.setWindowTitle(localize("自然な声を追加", "Add a natural voice"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumHeight(LOWEST)
        self.resize(*SIZE)
        self.cards: dict[str, HubCard] = {}
        self.status, self.failure, self.hint = PlainLabel(), PlainLabel(), PlainLabel()
        self.failure.setObjectName("error")
        self.retry = QPushButton(localize("再試行", "Retry"))
        self.retry.setToolTip(localize("AivisHub にもう一度接続します。", "Connects to AivisHub again."))
        self.retry.clicked.connect(self.load_voices)
        self.by_hand = create_download_guide()
        self.jobs = TasksPanel(queue)
        self._column = QVBoxLayout()
        self._build_layout()
        loader.changed.connect(self.show_voices)
        loader.loading_failed.connect(self._show_loading_failure)
        loader.sample_failed.connect(self._show_sample_failure)
        catalog.changed.connect(self._update_card_states)

    @Slot()
    def load_voices(self) -> None:
        """Request the voices that are not known yet."""
        self.show_failure(None)
        self._shelf.load_voices()
        self.show_voices()

    def show_pending_downloads(self, uuids: Collection[str]) -> None:
        """Mark these voices as being added."""
        self._coming = uuids
        self._update_card_states()

    @Slot()
    def show_voices(self) -> None:
        """Show the voices known now."""
        # Existing cards are kept: a card made again would lose the keyboard focus.
        for voice in self._shelf.voices:
            if voice.uuid not in self.cards:
                self._add_card(voice)
        for uuid, picture in self._shelf.pictures.items():
            if uuid in self.cards:
                self.cards[uuid].show_picture(picture)
        self.status.setText(localize("AivisHub に接続しています…", "Connecting to AivisHub…"))
        self.status.setVisible(self._shelf.is_asking)
        self._update_card_states()

    def showEvent(self, event: QShowEvent) -> None:
        """Give the cards the focus, so that the keys scroll them at once."""
        super().showEvent(event)
        self.page.setFocus()

    def _add_card(self, voice: OfferedVoice) -> None:
        card = self.cards[voice.uuid] = HubCard(voice)
        card.add_requested.connect(lambda: self.add_requested.emit(voice))
        card.sample_requested.connect(self.sample_requested)
        card.licence_requested.connect(lambda: show_text(self, f"{voice.name} · {voice.licence}", voice.licence_text))
        self._column.insertWidget(len(self.cards) - 1, card)

    @Slot()
    def _update_card_states(self) -> None:
        has_bert = SBV2_BERT_ID in self._catalog.berts
        here = {item.model_card.uuid for item in self._catalog.voices if item.origin != "aivisspeech"}
        for uuid, card in self.cards.items():
            card.show_download_state("coming" if uuid in self._coming else "here" if uuid in here else "new", has_bert=has_bert)

    @Slot(object)
    def _show_loading_failure(self, error: AppError) -> None:
        self.show_voices()
        self.show_failure(error)

    @Slot(object)
    def _show_sample_failure(self, error: AppError) -> None:
        self._show_error_text(error)

    def show_failure(self, error: AppError | None) -> None:
        """Show why no voices can be shown, with the guide for adding by hand; None shows the cards."""
        self._show_error_text(error)
        for widget in (self.retry, self.by_hand):
            widget.setVisible(error is not None)
        self.page.setVisible(error is None)

    def _show_error_text(self, error: AppError | None) -> None:
        self.failure.setText(error.message if error else "")
        self.hint.setText(error.hint if error else "")
        for label in (self.failure, self.hint):
            label.setVisible(bool(label.text()))

    def _build_layout(self) -> None:
        lead = PlainLabel(
            localize(
                "AivisHub が標準で配布している、学習済みの声です。ボタンを押すと、声と必要な BERT をまとめてダウンロードし、選んだ行を再生します。",
                "The default voices of AivisHub. The button downloads a voice with the BERT it requires, then plays the selected line.",
            )
        )
        for label in (lead, self.failure, self.hint):
            label.setWordWrap(True)
        self.status.setObjectName("muted")
        body = QWidget()
        body.setObjectName("side")
        inside = QVBoxLayout(body)
        inside.setContentsMargins(0, 0, 6, 0)
        self._column.setSpacing(8)
        inside.addLayout(self._column)
        inside.addStretch(1)
        self.page = QScrollArea()
        self.page.setWidgetResizable(True)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setAccessibleName(localize("AivisHub の声", "Voices of AivisHub"))
        self.page.setWidget(body)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        for widget in (lead, self.status, self.failure, self.hint):
            column.addWidget(widget)
        column.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.by_hand)
        column.addWidget(self.page, 1)
        column.addStretch(0)
        column.addWidget(self.jobs)
        column.addLayout(self._create_footer())

    def _create_footer(self) -> QHBoxLayout:
        note = QLabel(localize("ダウンロードは閉じても続きます。", "Downloads continue when you close this window."))
        note.setObjectName("muted")
        close = QPushButton(localize("閉じる", "Close"))
        close.setToolTip(localize("このウィンドウを閉じます。", "Closes this window."))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(note, 1)
        row.addWidget(close)
        return row
