"""The voice library: a list of all voices, with the facts and actions of the selected one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QSplitter, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.script.text_search import fold_text
from app.settings.user_settings import GraphPrecision
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_chooser import VoiceList
from app.ui.voices.voice_facts_page import VoiceFactsPage
from app.ui.widgets.controls import (
    DIALOG_MARGINS,
    SELECT_AS_CURRENT,
    PlainLabel,
    create_button,
    create_close_button,
    create_search_field,
    escape_tip,
    fill_box,
)
from app.ui.widgets.dialogs import ClosableDialog
from app.ui.widgets.painting import create_voice_icon
from app.ui.widgets.voice_listening import ListeningRows, VoicePick
from app.voices.voice_labels import NATURAL_VOICE_ID, list_speaker_names


class VoiceLibrarySearch(QObject):
    """Holds the controls around the list of the library.

    Signals:
        changed(): the search text has changed.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tip = localize("名前、話者、スタイルで声を絞り込みます。", "Finds voices by name, speaker or style.")
        self.query = create_search_field(localize("声を検索", "Search voices"), tip)
        self.query.textChanged.connect(lambda _text: self.changed.emit())
        tip = localize("お気に入りの声は一覧の先頭に表示します。", "Favourites come first in every list.")
        self.favourite = create_button(localize("★ お気に入り", "★ Favourite"), tip, is_checkable=True)
        compare_tip = localize(
            "選んだ声をオーディションで聞き比べます。（Ctrl や Shift で複数選択）",
            "Compares the selected voices on the board (Ctrl or Shift selects several).",
        )
        self.compare = create_button(localize("聞き比べる…", "Compare…"), compare_tip)

    def filter_voices(self, voices: Sequence[CatalogVoice]) -> tuple[CatalogVoice, ...]:
        """Return the voices with every search word in their name or that of a speaker or style."""
        search_words = fold_text(self.query.text()).split()
        return tuple(voice for voice in voices if all(word in _build_search_text(voice) for word in search_words))

    @Slot(bool, bool, int)
    def update_buttons(self, is_one: bool, is_favourite: bool, comparable_count: int) -> None:
        """Enable the buttons for the selected voices."""
        self.favourite.setEnabled(is_one)
        self.favourite.setChecked(is_favourite)
        self.compare.setEnabled(comparable_count > 0)


def _build_search_text(voice: CatalogVoice) -> str:
    speakers = [name for _, name in voice.speakers]
    names = (voice.name, *(known for speaker in speakers for known in list_speaker_names(speaker)), *(name for _, name in voice.styles))
    return fold_text(" ".join(names))


SIZE, LOWEST = (900, 620), 480
LIBRARY_PICTURE_PX = 36


class VoiceLibraryDialog(ClosableDialog):
    """Shows the list of voices, with the facts about the selected one.

    Signals:
        action_requested(str, CatalogVoice): one of "play", "use", "default", "prepare", "bert", "licence", "update", "renew", "rename", "export",
            "lab", "folder", "remove".
        compare_requested(list[str]): ids of the selected voices.
        add_requested(str): add a voice from "file", "folder" or "address".
        files_dropped(list[Path]): files that may be voices.
    """

    action_requested = Signal(str, object)
    add_requested = Signal(str)
    files_dropped = Signal(object)
    compare_requested = Signal(object)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog) -> None:
        super().__init__(parent)
        self._catalog = catalog
        self.setWindowTitle(localize("声の管理", "Voice library"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setMinimumHeight(LOWEST)
        self.resize(*SIZE)
        self.list = VoiceList()
        self.list.setAccessibleName(localize("声の一覧", "Voices"))
        self.list.setIconSize(QSize(LIBRARY_PICTURE_PX, LIBRARY_PICTURE_PX))
        self.list.setSpacing(2)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.list.currentRowChanged.connect(self._show_current_voice)
        self.list.itemSelectionChanged.connect(self._update_search_buttons)
        listening = ListeningRows(self.list, lambda index: self._find_pick(index.row()))
        listening.requested.connect(catalog.introduction_requested)
        self.search = VoiceLibrarySearch()
        self.search.changed.connect(self.show_voices)
        self.search.favourite.clicked.connect(self._toggle_favourite)
        self.search.compare.clicked.connect(lambda: self.compare_requested.emit([voice.id for voice in self._playable_selection]))
        self.facts = VoiceFactsPage()
        self.facts.action_requested.connect(self._request_action)
        # Queued, because the change rebuilds the page and with it the button that emits this signal.
        self.facts.precision_chosen.connect(self._change_precision, Qt.ConnectionType.QueuedConnection)
        drop_hint = localize(
            "声のファイル（.aivmx、.aivm、.safetensors、.onnx、.sbv2、.zip）やフォルダーは、ここにドラッグ＆ドロップしても追加できます。",
            "You can also drop voice files (.aivmx, .aivm, .safetensors, .onnx, .sbv2, .zip) and folders here.",
        )
        self.hint = PlainLabel(drop_hint, "muted", wraps=True)
        self._build_layout()
        # The search field comes first in the tab order, but the arrow keys are needed first.
        self.list.setFocus()
        catalog.changed.connect(self.show_voices)
        self.show_voices()

    @property
    def current_voice(self) -> CatalogVoice | None:
        row = self.list.currentRow()
        return self._voices[row] if 0 <= row < len(self._voices) else None

    def select_voice(self, voice: str) -> None:
        """Select a voice; a search that hides the voice is cleared."""
        if self._find_row(voice) is None:
            self.search.query.clear()
        if (row := self._find_row(voice)) is not None:
            self.list.setCurrentRow(row, SELECT_AS_CURRENT)

    def _find_row(self, voice: str) -> int | None:
        return next((row for row, item in enumerate(self._voices) if voice in (item.id, item.manifest.id)), None)

    @property
    def _playable_selection(self) -> list[CatalogVoice]:
        """Return the selected voices that can be played."""
        rows = sorted(index.row() for index in self.list.selectedIndexes())
        return [self._voices[row] for row in rows if self._voices[row].origin != "aivisspeech" and self._voices[row].has_bert]

    @Slot()
    def show_voices(self) -> None:
        """Fill the list with the voices that match the search; the selected voice stays selected."""
        selected_id = self.current_voice.id if hasattr(self, "_voices") and self.current_voice else None
        self._voices = self.search.filter_voices(self._catalog.voices)
        # Rows selected while the list is filled do not match `_voices`, and would show the facts of another voice.
        self.list.blockSignals(True)
        self.list.clear()
        for voice in self._voices:
            star = "★ " if self._catalog.is_favourite(voice) else ""
            item = QListWidgetItem(
                create_voice_icon(voice.name, voice.icon, LIBRARY_PICTURE_PX, self), f"{star}{voice.name}\n{self._describe_voice(voice)}"
            )
            # The hint is narrower than the list, so that a long name is elided instead of widening the list.
            item.setSizeHint(QSize(1, max(LIBRARY_PICTURE_PX, 2 * self.list.fontMetrics().lineSpacing()) + 12))
            item.setToolTip(escape_tip(voice.name))
            self.list.add_voice(item, voice)
        rows = [row for row, voice in enumerate(self._voices) if voice.id == selected_id]
        self.list.setCurrentRow(rows[0] if rows else 0, SELECT_AS_CURRENT)
        self.list.blockSignals(False)
        self._show_current_voice()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the letters of voices for another theme."""
        if event.type() == QEvent.Type.ThemeChange:
            self.show_voices()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped files."""
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            self.files_dropped.emit(files)
            event.acceptProposedAction()

    def _build_layout(self) -> None:
        self.adders = {kind: create_button(text, tip, partial(self.add_requested.emit, kind)) for kind, text, tip in _list_add_actions()}
        panes, shelf = QSplitter(Qt.Orientation.Horizontal), QWidget()
        marks = fill_box(QHBoxLayout(), (self.search.favourite, 1), (self.search.compare, 1), spacing=6)
        fill_box(QVBoxLayout(shelf), self.search.query, marks, (self.list, 1), spacing=8)
        panes.addWidget(shelf)
        panes.addWidget(self.facts)
        panes.setSizes([300, 560])
        panes.setChildrenCollapsible(False)
        buttons = fill_box(QHBoxLayout(), *self.adders.values(), None, create_close_button(self))
        fill_box(QVBoxLayout(self), (panes, 1), self.hint, buttons, spacing=10, margins=DIALOG_MARGINS)

    @Slot()
    def _show_current_voice(self, *_row: object) -> None:
        self._update_search_buttons()
        if self.current_voice is None and self._catalog.voices:
            self.facts.show_no_match()
        elif self.current_voice is None:
            self.facts.show_no_voice(is_catalog_read=self._catalog.is_read)
        else:
            self.facts.show_voice(self.current_voice, self._catalog.find_precision(self.current_voice))

    @Slot()
    def _update_search_buttons(self) -> None:
        voice = self.current_voice
        self.search.update_buttons(
            voice is not None, voice is not None and self._catalog.is_favourite(voice), len(self._playable_selection)
        )

    @Slot()
    def _toggle_favourite(self) -> None:
        if self.current_voice is not None:
            self._catalog.set_favourite(self.current_voice, not self._catalog.is_favourite(self.current_voice))

    def _find_pick(self, row: int) -> VoicePick | None:
        voice = self._voices[row] if row < len(self._voices) else None
        return VoicePick(voice.id) if voice is not None and voice.can_introduce_itself else None

    def _describe_voice(self, voice: CatalogVoice) -> str:
        fast = localize("・高速", ", Fast") if self._catalog.find_precision(voice) == "fast" else ""
        default = localize("・既定の声", ", default") if voice.is_default else ""
        return f"{describe_source(voice)}{fast}{default}"

    @Slot(str)
    def _change_precision(self, precision: GraphPrecision) -> None:
        if self.current_voice is not None:
            self._catalog.choose_precision(self.current_voice, precision)

    @Slot(str)
    def _request_action(self, action: str) -> None:
        if self.current_voice is not None:
            self.action_requested.emit(action, self.current_voice)


def _list_add_actions() -> tuple[tuple[str, str, str], ...]:
    """Return the ways to add a voice as (kind, text, tip)."""
    folder_tip = localize("Style-Bert-VITS2 の声のフォルダーを選びます。", "A folder with a Style-Bert-VITS2 voice.")
    address = localize("URL・AivisHub から追加…", "Add from URL or AivisHub…")
    return (
        (
            "file",
            localize("ファイルから追加…", "Add from file…"),
            localize("声のファイルまたは zip を選びます。", "A voice file or a zip."),
        ),
        ("folder", localize("フォルダーから追加…", "Add from folder…"), folder_tip),
        ("address", address, localize("声をダウンロードします。", "Downloads a voice.")),
    )


def describe_source(voice: CatalogVoice) -> str:
    """Return in a few words what the voice lacks and where it is from."""
    # The missing part comes first, as a narrow list shows only the beginning.
    if voice.manifest.id == NATURAL_VOICE_ID:
        return localize("Koebako の自然な声", "Koebako's natural voice")
    if voice.origin == "shipped":
        return localize("付属の声", "Included with Koebako")
    if voice.origin == "aivisspeech":
        return localize("要準備・AivisSpeech の声", "Not prepared, from AivisSpeech")
    if not voice.has_bert:
        return localize("BERT なし・追加した声", "BERT missing, added by you")
    return localize("追加した声", "Added by you")
