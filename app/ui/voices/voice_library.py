"""All voices: what each is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.language import localized
from app.sound_choice import SoundPrecision
from app.ui.plain_text import plain_tip
from app.ui.theme.measures import DIALOG_MARGINS
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.library_search import LibrarySearch
from app.ui.voices.voice_facts import VoiceFacts
from app.ui.widgets.voice_picture import voice_icon

SIZE, LOWEST = (900, 620), 480
PICTURE = 36


class VoiceLibrary(QDialog):
    """The voices on a shelf, beside what is known of the selected one.

    Signals:
        wanted(str, CatalogVoice): one of "play", "use", "prepare", "bert", "licence", "update", "rename", "export", "lab", "folder", "remove".
        compare_requested(list[str]): ids of the selected voices.
        add_requested(str): a voice from "file", "folder" or "address".
        dropped(list[Path]): files that may be voices.
    """

    wanted = Signal(str, object)
    add_requested = Signal(str)
    dropped = Signal(object)
    compare_requested = Signal(object)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog) -> None:
        super().__init__(parent)
        self._catalog = catalog
        self.setWindowTitle(localized("声の管理", "Voice library"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setMinimumHeight(LOWEST)
        self.resize(*SIZE)
        self.list = QListWidget()
        self.list.setAccessibleName(localized("声の一覧", "Voices"))
        self.list.setIconSize(QSize(PICTURE, PICTURE))
        self.list.setSpacing(2)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.list.currentRowChanged.connect(self._show_current)
        self.list.itemSelectionChanged.connect(self._show_selected)
        self.found = LibrarySearch()
        self.found.changed.connect(self.show_voices)
        self.found.favourite.clicked.connect(self._prefer)
        self.found.compare.clicked.connect(lambda: self.compare_requested.emit([voice.id for voice in self._chosen]))
        self.facts = VoiceFacts()
        self.facts.wanted.connect(self._on_requested)
        self.facts.precision_chosen.connect(
            self._on_precision, Qt.ConnectionType.QueuedConnection
        )  # the page and its button are made again
        self.hint = QLabel(
            localized(
                "声のファイル（.aivmx、.aivm、.safetensors、.onnx、.sbv2、.zip）やフォルダーは、ここにドラッグ＆ドロップしても追加できます。",
                "You can also drop voice files (.aivmx, .aivm, .safetensors, .onnx, .sbv2, .zip) and folders here.",
            )
        )
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self._build()
        self.list.setFocus()  # the search is above it, but arrows are wanted first
        catalog.changed.connect(self.show_voices)
        self.show_voices()

    @property
    def current(self) -> CatalogVoice | None:
        """The selected voice."""
        row = self.list.currentRow()
        return self._voices[row] if 0 <= row < len(self._voices) else None

    def choose(self, voice: str) -> None:
        """Selects a voice; what was looked for makes way where it is not among it."""
        if self._row_of(voice) is None:
            self.found.clear()
        if (row := self._row_of(voice)) is not None:
            self.list.setCurrentRow(row)

    def _row_of(self, voice: str) -> int | None:
        return next((row for row, item in enumerate(self._voices) if voice in (item.id, item.manifest.id)), None)

    @property
    def _chosen(self) -> list[CatalogVoice]:
        """The selected voices that can be heard."""
        rows = sorted(index.row() for index in self.list.selectedIndexes())
        return [self._voices[row] for row in rows if self._voices[row].place != "aivisspeech" and self._voices[row].has_bert]

    @Slot()
    def show_voices(self) -> None:
        """What is on the shelf now; the selected one stays selected."""
        before = self.current.id if hasattr(self, "_voices") and self.current else None
        self._voices = self.found.matching(self._catalog.voices)
        self.list.blockSignals(True)  # what is selected meanwhile is not among them
        self.list.clear()
        for voice in self._voices:
            star = "★ " if self._catalog.is_favourite(voice) else ""
            item = QListWidgetItem(voice_icon(voice.name, voice.icon, PICTURE, self), f"{star}{voice.name}\n{self._about(voice)}")
            item.setSizeHint(QSize(1, PICTURE + 12))  # as wide as the list, so that a long name ends in dots
            item.setToolTip(plain_tip(voice.name))
            self.list.addItem(item)
        rows = [row for row, voice in enumerate(self._voices) if voice.id == before]
        self.list.setCurrentRow(rows[0] if rows else 0)
        self.list.blockSignals(False)
        self._show_current()

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the letters of voices for another theme."""
        if event.type() == QEvent.Type.ThemeChange:
            self.show_voices()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files are welcome."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Hands them on."""
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            self.dropped.emit(files)
            event.acceptProposedAction()

    def _build(self) -> None:
        self._make_adders()
        close = QPushButton(localized("閉じる", "Close"))
        close.setToolTip(localized("このウィンドウを閉じます。", "Closes this window."))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        panes = QSplitter(Qt.Orientation.Horizontal)
        shelf = QWidget()
        rows = QVBoxLayout(shelf)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        rows.addWidget(self.found.query)
        rows.addLayout(self.found.buttons())
        rows.addWidget(self.list, 1)
        panes.addWidget(shelf)
        panes.addWidget(self.facts)
        panes.setSizes([300, 560])
        panes.setChildrenCollapsible(False)
        buttons = QHBoxLayout()
        for button in self.adders.values():
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        column.addWidget(panes, 1)
        column.addWidget(self.hint)
        column.addLayout(buttons)

    def _make_adders(self) -> None:
        self.adders = {
            "file": self._adder(
                "file",
                localized("ファイルから追加…", "Add from file…"),
                localized("声のファイルまたは zip を選びます。", "A voice file or a zip."),
            ),
            "folder": self._adder(
                "folder",
                localized("フォルダーから追加…", "Add from folder…"),
                localized("Style-Bert-VITS2 の声のフォルダーを選びます。", "A folder with a Style-Bert-VITS2 voice."),
            ),
            "address": self._adder(
                "address",
                localized("URL・AivisHub から追加…", "Add from URL or AivisHub…"),
                localized("声をダウンロードします。", "Downloads a voice."),
            ),
        }

    def _adder(self, kind: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(self._emitter(kind))
        return button

    def _emitter(self, kind: str) -> Callable[[], None]:
        return lambda: self.add_requested.emit(kind)

    @Slot()
    def _show_current(self, *_row: object) -> None:
        self._show_selected()
        if self.current is None and self._catalog.voices:
            self.facts.show_not_found()
        elif self.current is None:
            self.facts.show_none(is_read=self._catalog.is_read)
        else:
            self.facts.show_voice(self.current, self._catalog.precision_of(self.current))

    @Slot()
    def _show_selected(self) -> None:
        voice = self.current
        self.found.show_selected(voice is not None, voice is not None and self._catalog.is_favourite(voice), len(self._chosen))

    @Slot()
    def _prefer(self) -> None:
        if self.current is not None:
            self._catalog.prefer(self.current, not self._catalog.is_favourite(self.current))

    def _about(self, voice: CatalogVoice) -> str:
        fast = self._catalog.precision_of(voice) == "fast"
        return f"{whence(voice)}{localized('・高速', ', Fast')}" if fast else whence(voice)

    @Slot(str)
    def _on_precision(self, precision: SoundPrecision) -> None:
        if self.current is not None:
            self._catalog.choose_precision(self.current, precision)

    @Slot(str)
    def _on_requested(self, action: str) -> None:
        if self.current is not None:
            self.wanted.emit(action, self.current)


def whence(voice: CatalogVoice) -> str:
    """What it lacks and where it is from, in a few words, of which a narrow list shows the first."""
    if voice.place == "shipped":
        return localized("付属の声", "Included with Koebako")
    if voice.place == "aivisspeech":
        return localized("要準備・AivisSpeech の声", "Not prepared, from AivisSpeech")
    if not voice.has_bert:
        return localized("BERT なし・追加した声", "BERT missing, added by you")
    return localized("追加した声", "Added by you")
