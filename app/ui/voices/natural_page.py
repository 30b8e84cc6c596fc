"""The page of natural voices: what AivisHub offers, each with a button that brings it; without a network what to do by hand."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.adapters.http.offers import OfferedVoice
from app.errors import AppError
from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.tasks.jobs_panel import JobsPanel
from app.ui.tasks.queue import TaskQueue
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.voices.by_hand import by_hand
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.hub_card import HubCard
from app.ui.voices.hub_shelf import HubShelf
from app.ui.widgets.text_dialog import show_text
from app.voices.wanted_bert import SBV2_BERT

SIZE, LOWEST = (820, 620), 420


class NaturalPage(QDialog):
    """Cards in the order of the hub.

    Attributes:
        cards: by UUID.
        retry: asks the hub again.

    Signals:
        add_requested(OfferedVoice): its button was pressed.  sample_requested(OfferedSample): to be heard.
    """

    add_requested = Signal(object)
    sample_requested = Signal(object)

    def __init__(self, parent: QWidget, shelf: HubShelf, catalog: VoiceCatalog, queue: TaskQueue) -> None:
        super().__init__(parent)
        self._shelf, self._catalog = shelf, catalog
        self._coming: Collection[str] = ()
        self.setWindowTitle(localized("自然な声を追加", "Add a natural voice"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumHeight(LOWEST)
        self.resize(*SIZE)
        self.cards: dict[str, HubCard] = {}
        self.status, self.failure, self.hint = PlainLabel(), PlainLabel(), PlainLabel()
        self.failure.setObjectName("error")
        self.retry = QPushButton(localized("再試行", "Retry"))
        self.retry.setToolTip(localized("AivisHub にもう一度接続します。", "Connects to AivisHub again."))
        self.retry.clicked.connect(self.ask)
        self.by_hand = by_hand()
        self.jobs = JobsPanel(queue)
        self._column = QVBoxLayout()
        self._build()
        shelf.changed.connect(self.show_voices)
        shelf.failed.connect(self._on_failed)
        shelf.sample_failed.connect(self._on_sample_failed)
        catalog.changed.connect(self._show_states)

    @Slot()
    def ask(self) -> None:
        """Asks the hub for what is not known yet."""
        self.show_failure(None)
        self._shelf.ask()
        self.show_voices()

    def show_coming(self, uuids: Collection[str]) -> None:
        """These are being added."""
        self._coming = uuids
        self._show_states()

    @Slot()
    def show_voices(self) -> None:
        """What is known now; cards that are there stay, and with them what has the focus."""
        for voice in self._shelf.voices:
            if voice.uuid not in self.cards:
                self._add_card(voice)
        for uuid, picture in self._shelf.pictures.items():
            if uuid in self.cards:
                self.cards[uuid].show_picture(picture)
        self.status.setText(localized("AivisHub に接続しています…", "Connecting to AivisHub…"))
        self.status.setVisible(self._shelf.is_asking)
        self._show_states()

    def showEvent(self, event: QShowEvent) -> None:
        """The keys scroll the cards at once."""
        super().showEvent(event)
        self.page.setFocus()

    def _add_card(self, voice: OfferedVoice) -> None:
        card = self.cards[voice.uuid] = HubCard(voice)
        card.add_requested.connect(lambda: self.add_requested.emit(voice))
        card.sample_requested.connect(self.sample_requested)
        card.licence_requested.connect(lambda: show_text(self, f"{voice.name} · {voice.licence}", voice.licence_text))
        self._column.insertWidget(len(self.cards) - 1, card)

    @Slot()
    def _show_states(self) -> None:
        has_bert = SBV2_BERT in self._catalog.berts
        here = {item.card.uuid for item in self._catalog.voices if item.place != "aivisspeech"}
        for uuid, card in self.cards.items():
            card.show_state("coming" if uuid in self._coming else "here" if uuid in here else "new", has_bert=has_bert)

    @Slot(object)
    def _on_failed(self, error: AppError) -> None:
        self.show_voices()
        self.show_failure(error)

    @Slot(object)
    def _on_sample_failed(self, error: AppError) -> None:
        self._show_words(error)

    def show_failure(self, error: AppError | None) -> None:
        """Why nothing can be shown, and what can be done by hand; None for what can be shown."""
        self._show_words(error)
        for widget in (self.retry, self.by_hand):
            widget.setVisible(error is not None)
        self.page.setVisible(error is None)

    def _show_words(self, error: AppError | None) -> None:
        self.failure.setText(error.message if error else "")
        self.hint.setText(error.hint if error else "")
        for label in (self.failure, self.hint):
            label.setVisible(bool(label.text()))

    def _build(self) -> None:
        lead = PlainLabel(
            localized(
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
        self.page.setAccessibleName(localized("AivisHub の声", "Voices of AivisHub"))
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
        column.addLayout(self._foot())

    def _foot(self) -> QHBoxLayout:
        note = QLabel(localized("ダウンロードは閉じても続きます。", "Downloads continue when you close this window."))
        note.setObjectName("muted")
        close = QPushButton(localized("閉じる", "Close"))
        close.setToolTip(localized("このウィンドウを閉じます。", "Closes this window."))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(note, 1)
        row.addWidget(close)
        return row
