"""The page of natural voices: AivisHub's voices with buttons that add them, and a guide for adding by hand without a network."""

import html
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.adapters.http.hub_files import AIVISHUB_PAGES, HUGGING_FACE, OfferedVoice
from app.common.errors import AppError
from app.common.language import localize
from app.install.download_sources import STANDARD_BERT_REPOSITORY, STANDARD_BERT_REVISION
from app.ui.tasks.process_task import TaskQueue
from app.ui.tasks.tasks_panel import TasksPanel
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.voices.hub_voice_loader import HubVoiceLoader, is_playable_url
from app.ui.voices.kokoro_offer import create_kokoro_offer, find_kokoro_voice, is_kokoro_coming
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_facts_page import format_bytes
from app.ui.widgets.controls import (
    DIALOG_MARGINS,
    PlainLabel,
    create_button,
    create_close_button,
    create_tool_button,
    escape_mnemonic,
    escape_tip,
    fill_box,
)
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.painting import draw_voice_picture
from app.ui.widgets.text_dialog import show_text
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB
from app.voices.voice_labels import format_style

PICTURE, GAP = 56, 12
MOST_LETTERS, MOST_STYLES = 160, 8  # the hub's own page shows the rest of the description and of the styles
HubCardState = Literal["new", "coming", "here"]


class HubCard(ThemedWidget, QFrame):
    """A card about one voice of the hub.

    Signals:
        add_requested(): the button was pressed.  sample_requested(OfferedSample): play it.  licence_requested(): show the licence.
    """

    add_requested = Signal()
    sample_requested = Signal(object)
    licence_requested = Signal()

    def __init__(self, voice: OfferedVoice) -> None:
        super().__init__()
        self.setObjectName("card")
        self.voice = voice
        self._file: Path | None = None
        self.picture = QLabel()
        self.picture.setFixedSize(PICTURE, PICTURE)
        self.add, self.sizes = create_button("", "", self.add_requested.emit, style="primary"), PlainLabel("", "muted")
        self.samples = self._create_flat_button(
            localize("ボイスサンプル", "Samples"), localize("ボイスサンプルを再生します。", "Plays a recording of this voice.")
        )
        self.licence = self._create_flat_button(
            localize("利用規約", "Licence"), localize("この声の利用規約を表示します。", "Shows the licence of this voice.")
        )
        self.licence.clicked.connect(self.licence_requested)
        self.licence.setVisible(bool(voice.licence_text))
        self._fill_samples_menu()
        self._build_layout()
        self.draw_in_theme()

    def show_download_state(self, state: HubCardState, *, has_bert: bool) -> None:
        """Show whether the voice is installed, and how many bytes a download takes."""
        voice, bert = self.voice, STANDARD_DOWNLOAD_MB * 1_000_000 * (not has_bert)
        is_size_known = state == "here" or voice.file_bytes > 0
        total = ((voice.file_bytes if state != "here" else 0) + bert) * is_size_known
        self.add.setEnabled(state != "coming")
        self.add.setText(_format_button_text(state, total))
        self.add.setAccessibleName(f"{voice.name}: {self.add.text()}")
        amount = format_bytes(voice.file_bytes) if is_size_known else localize("（サイズ不明）", "(unknown size)")
        sizes = [localize(f"声 {amount}", f"voice {amount}")] if state != "here" else []
        sizes += [f"BERT {format_bytes(bert)}"] if bert else []
        self.sizes.setText(localize("＋", " + ").join(sizes) if len(sizes) > 1 or not is_size_known else "")
        self.add.setToolTip(
            localize("声を追加して、選んだ行を再生します。", "Adds the voice and plays the selected line.")
            if state != "here"
            else localize("選んだ行の声をこの声に変更して、再生します。", "Uses this voice for the selected line and plays it.")
        )

    def show_picture(self, file: Path | None) -> None:
        """Show the icon in `file`; without one a letter is drawn."""
        if file != self._file:
            self._file = file
            self.draw_in_theme()

    def _create_flat_button(self, text: str, tip: str) -> QToolButton:
        button = create_tool_button(text, tip, name=f"{self.voice.name}: {text}", style="quiet")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(14, 14))
        return button

    def _fill_samples_menu(self) -> None:
        """Fill the menu of recordings; a recording in a format that cannot be played here opens in the browser."""
        menu = QMenu(self.samples)
        for sample in self.voice.samples:
            title = escape_mnemonic(f"{format_style(sample.style)}  {sample.transcript[:40]}".strip())
            elsewhere = "" if is_playable_url(sample.url) else localize("（ブラウザーで開く）", " (opens in the browser)")
            action = menu.addAction(title + elsewhere)
            action.setToolTip(escape_tip(sample.transcript))
            action.triggered.connect(lambda _checked=False, sample=sample: self.sample_requested.emit(sample))
        self.samples.setMenu(menu)
        self.samples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.samples.setVisible(bool(self.voice.samples))

    def _build_layout(self) -> None:
        description = self.voice.description
        about = " · ".join(part for part in (self.voice.maker, self.voice.licence) if part)
        styles = [format_style(name) for name in dict.fromkeys(self.voice.styles)]
        more = "…" * (len(styles) > MOST_STYLES)
        style_names = localize("スタイル: ", "Styles: ") + localize("、", ", ").join(styles[:MOST_STYLES]) + more if styles else ""
        labels = (
            PlainLabel(self.voice.name, "heading", wraps=True),
            PlainLabel(about, "muted", wraps=True),
            PlainLabel(description if len(description) <= MOST_LETTERS else description[:MOST_LETTERS].rstrip() + "…", wraps=True),
            PlainLabel(style_names, "muted", wraps=True),
        )
        words = fill_box(QVBoxLayout(), *labels, fill_box(QHBoxLayout(), self.samples, self.licence, None, spacing=8), None, spacing=2)
        for label in labels:
            # Without a minimum width of 1 a word-wrapped label asks for the width of its longest word, and the card would not shrink.
            label.setMinimumWidth(1)
            label.setVisible(bool(label.text()))
        top, foot = Qt.AlignmentFlag.AlignTop, QWidget()
        fill_box(QVBoxLayout(foot), self.add, (self.sizes, Qt.AlignmentFlag.AlignHCenter), spacing=3)
        fill_box(QHBoxLayout(self), (self.picture, top), (words, 1), (foot, top), spacing=GAP, margins=(GAP, GAP, GAP, 8))

    def draw_in_theme(self) -> None:
        """Draw the picture and the icons."""
        self.picture.setPixmap(draw_voice_picture(self.voice.name, self._file, PICTURE, self.devicePixelRatioF(), self.palette()))
        color = self.palette().color(self.foregroundRole())
        self.samples.setIcon(draw_icon("play", color))
        self.licence.setIcon(draw_icon("notice", color))


def _format_button_text(state: HubCardState, download_bytes: int) -> str:
    if state == "coming":
        return localize("追加しています…", "Adding…")
    amount = localize(f"（{format_bytes(download_bytes)}）", f" ({format_bytes(download_bytes)})") if download_bytes else ""
    name = localize("この声で再生", "Use and play") if state == "here" else localize("追加して再生", "Add and play")
    return name + amount


BERT_PAGE_URL = f"{HUGGING_FACE}/{STANDARD_BERT_REPOSITORY}/tree/{STANDARD_BERT_REVISION}"
VOICE_SEARCH_URL = f"https://{AIVISHUB_PAGES}/search"


def create_download_guide() -> QLabel:
    """Return a label of three steps; its addresses can be opened, selected and copied."""
    label = QLabel(
        localize(
            f"<b>手動で追加するには</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>声：{_format_link(VOICE_SEARCH_URL)} から .aivmx ファイルをダウンロードします。</li>"
            f"<li>BERT（{STANDARD_DOWNLOAD_MB} MB、多くの声で共通）：{_format_link(BERT_PAGE_URL)} から model_fp16.onnx と tokenizer.json を"
            f"同じフォルダーにダウンロードします。</li>"
            f"<li>.aivmx と model_fp16.onnx を Koebako のウィンドウにドラッグ＆ドロップします。</li></ol>",
            f"<b>To add a voice by hand</b>"
            f"<ol style='margin-left: 18px; -qt-list-indent: 0'>"
            f"<li>Voice: download an .aivmx file from {_format_link(VOICE_SEARCH_URL)}.</li>"
            f"<li>BERT ({STANDARD_DOWNLOAD_MB} MB, shared by most voices): download model_fp16.onnx and tokenizer.json into one folder "
            f"from {_format_link(BERT_PAGE_URL)}.</li>"
            f"<li>Drop the .aivmx file and model_fp16.onnx on the Koebako window.</li></ol>",
        )
    )
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    label.setOpenExternalLinks(True)
    label.setAccessibleName(localize("手動で追加する手順", "How to add a voice by hand"))
    return label


def _format_link(address: str) -> str:
    return f"<a href='{html.escape(address)}'>{html.escape(address)}</a>"


SIZE, LOWEST = (820, 620), 420


class NaturalVoicesDialog(ClosableDialog):
    """Shows a card per voice in the order of the hub.

    Signals:
        add_requested(OfferedVoice): the button of its card was pressed.  sample_requested(OfferedSample): play it.
    """

    add_requested = Signal(object)
    sample_requested = Signal(object)

    def __init__(self, parent: QWidget, loader: HubVoiceLoader, catalog: VoiceCatalog, queue: TaskQueue) -> None:
        super().__init__(parent)
        self._shelf, self._catalog, self._queue = loader, catalog, queue
        self._coming_uuids: Collection[str] = ()
        self.setWindowTitle(localize("自然な声を追加", "Add a natural voice"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumHeight(LOWEST)
        self.resize(*SIZE)
        self.cards: dict[str, HubCard] = {}
        # The card of the voice that the program knows itself; it needs no connection to the hub.
        self.kokoro = self._create_card(create_kokoro_offer())
        self.status, self.failure, self.hint = PlainLabel("", "muted"), PlainLabel("", "error", wraps=True), PlainLabel(wraps=True)
        tip = localize("AivisHub にもう一度接続します。", "Connects to AivisHub again.")
        self.retry = create_button(localize("再試行", "Retry"), tip, self.load_voices)
        # Enter connects again where it could not be done.
        self.retry.setAutoDefault(True)
        self.by_hand = create_download_guide()
        self.jobs = TasksPanel(queue)
        self._column = QVBoxLayout()
        self._build_layout()
        loader.changed.connect(self.show_voices)
        loader.loading_failed.connect(self._show_loading_failure)
        loader.sample_failed.connect(self._show_error_text)
        catalog.changed.connect(self._update_card_states)

    @Slot()
    def load_voices(self) -> None:
        """Request the voices that are not known yet."""
        self.show_failure(None)
        self._shelf.load_voices()
        self.show_voices()

    def show_pending_downloads(self, uuids: Collection[str]) -> None:
        """Mark these voices as being added."""
        self._coming_uuids = uuids
        self._update_card_states()

    @Slot()
    def show_voices(self) -> None:
        """Show the voices known now."""
        # Existing cards are kept: a card made again would lose the keyboard focus.
        for voice in self._shelf.voices:
            if voice.uuid not in self.cards:
                self.cards[voice.uuid] = self._create_card(voice)
                self._column.insertWidget(len(self.cards) - 1, self.cards[voice.uuid])
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

    def _create_card(self, voice: OfferedVoice) -> HubCard:
        card = HubCard(voice)
        card.add_requested.connect(lambda: self.add_requested.emit(voice))
        card.sample_requested.connect(self.sample_requested)
        card.licence_requested.connect(lambda: show_text(self, f"{voice.name} · {voice.licence}", voice.licence_text))
        return card

    @Slot()
    def _update_card_states(self) -> None:
        has_bert = SBV2_BERT_ID in self._catalog.berts
        installed_uuids = {item.model_card.uuid for item in self._catalog.voices if item.origin != "aivisspeech"}
        has_kokoro = find_kokoro_voice(self._catalog) is not None
        self.kokoro.show_download_state("coming" if is_kokoro_coming(self._queue) else "here" if has_kokoro else "new", has_bert=True)
        for uuid, card in self.cards.items():
            card.show_download_state(
                "coming" if uuid in self._coming_uuids else "here" if uuid in installed_uuids else "new", has_bert=has_bert
            )

    @Slot(object)
    def _show_loading_failure(self, error: AppError) -> None:
        self.show_voices()
        self.show_failure(error)

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
        lead = localize(
            "AivisHub が標準で配布している、学習済みの声です。ボタンを押すと、声と必要な BERT をまとめてダウンロードし、選んだ行を再生します。",
            "The default voices of AivisHub. The button downloads a voice with the BERT it requires, then plays the selected line.",
        )
        body = QWidget()
        body.setObjectName("side")
        self._column.setSpacing(8)
        fill_box(QVBoxLayout(body), self._column, None, margins=(0, 0, 6, 0))
        self.page = QScrollArea(widgetResizable=True)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setAccessibleName(localize("AivisHub の声", "Voices of AivisHub"))
        self.page.setWidget(body)
        labels = (PlainLabel(lead, wraps=True), self.status, self.failure, self.hint)
        retry = (self.retry, Qt.AlignmentFlag.AlignLeft)
        column = fill_box(QVBoxLayout(self), self.kokoro, *labels, retry, self.by_hand, (self.page, 1), spacing=10, margins=DIALOG_MARGINS)
        # Takes the room of the cards while they are hidden, and none while they are shown.
        column.addStretch(0)
        note = PlainLabel(localize("ダウンロードは閉じても続きます。", "Downloads continue when you close this window."), "muted")
        fill_box(column, self.jobs, fill_box(QHBoxLayout(), (note, 1), create_close_button(self)), margins=DIALOG_MARGINS)
