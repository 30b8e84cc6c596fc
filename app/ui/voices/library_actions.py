"""What the voice library and the menu entries about voices do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from app.language import localized
from app.ui.playback.save_dialog import title as file_title
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.tasks import VoiceTasks
from app.ui.widgets.open_files import ask_for_files, ask_for_one
from app.voices.containers.suffixes import VOICE_SUFFIXES
from app.voices.vocabulary import TOKENIZER_NAME, VOCABULARY_NAME
from app.voices.wanted_bert import SBV2_BERT

if TYPE_CHECKING:
    from app.ui.voices.voice_library import VoiceLibrary

BERT_SUFFIXES = (".onnx", ".safetensors")
VOICE_FILES = tuple(f"*{suffix}" for suffix in VOICE_SUFFIXES)


class LibraryActions(QObject):
    """Asks for files, addresses and names, and has the tasks done.

    Attributes:
        dialog: the library while it is open.

    Signals:
        use_requested(str), play_requested(str): the selected lines are to speak with this voice; only once.
        compare_requested(list[str]): the selected lines are to be compared in these voices.
        force_requested(str): this voice is to speak with a BERT that is not its own.
        lab_requested(str): this voice is to be looked into.

    Args:
        parent: window that the dialogs belong to.
    """

    use_requested = Signal(str)
    play_requested = Signal(str)
    compare_requested = Signal(object)
    force_requested = Signal(str)
    lab_requested = Signal(str)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog, tasks: VoiceTasks, document: ScriptDocument, selection: Selection) -> None:
        super().__init__(parent)
        self._parent, self._catalog, self._tasks = parent, catalog, tasks
        self._document, self._selection = document, selection
        self.dialog: VoiceLibrary | None = None
        self._offered: set[str] = set()  # BERTs about which the user is being asked

    @Slot()
    def open(self) -> None:
        """Shows the library at the voice of the current line."""
        from app.ui.voices.voice_library import VoiceLibrary

        if self.dialog is None:
            self.dialog = VoiceLibrary(self._parent, self._catalog)
            self.dialog.wanted.connect(self._on_requested)
            self.dialog.add_requested.connect(self.add)
            self.dialog.compare_requested.connect(self.compare_requested)
            self.dialog.dropped.connect(self.add_files)
            self.dialog.finished.connect(self._on_finished)
        self.dialog.choose(self._selection.settings.voice)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    @Slot(object)
    def add_files(self, files: Sequence[Path]) -> None:
        """Voices from files and folders, for the lines that are selected now; a BERT is known by the vocabulary beside it."""
        berts = [file for file in files if is_bert_source(file)]
        for file in berts:
            self._tasks.add_bert_file(file, SBV2_BERT)
        self._tasks.add_files([file for file in files if file not in berts], self._selection.ids)

    @Slot()
    def add(self, kind: str = "file", address: str = "") -> None:
        """Asks for a voice: a "file", a "folder" or an "address", which may be known already."""
        parent = self._over
        if kind == "file":
            kinds = localized("声", "Voices") + f" ({' '.join(VOICE_FILES)})"
            self.add_files(ask_for_files(parent, localized("声のファイルを選択", "Choose voice files"), kinds))
        elif kind == "folder":
            folder = QFileDialog.getExistingDirectory(parent, localized("声のフォルダーを選択", "Choose a voice folder"))
            self.add_files([Path(folder)] if folder else [])
        else:
            from app.ui.voices.add_address import AddAddress

            dialog = AddAddress(parent, address)
            dialog.url_given.connect(lambda url: self._tasks.add_url(url, self._selection.ids))
            dialog.uuid_given.connect(lambda uuid: self._tasks.add_from_hub(uuid, self._selection.ids))
            dialog.open()

    def add_address(self, address: str = "") -> None:
        """Asks for the address of a voice."""
        self.add("address", address)

    @Slot()
    def add_bert(self) -> None:
        """Asks for the file of the BERT that SBV2 voices use."""
        self._choose_bert_file(SBV2_BERT)

    @Slot()
    def measure(self) -> None:
        """Measures what the voice of the current line can be computed on."""
        voice = self._catalog.find(self._selection.settings.voice)
        if voice is not None and voice.place != "aivisspeech":
            self._tasks.measure(voice)

    @Slot(object)
    def offer_bert(self, voice: CatalogVoice) -> None:
        """Asks what to do about a missing BERT, once for all voices that need it."""
        from app.ui.voices.bert_offer import BertOffer

        bert = voice.manifest.bert
        if bert in self._offered:
            return
        self._offered.add(bert)
        offer = BertOffer(self._parent, voice.name, bert, force_offered=bool(self._catalog.berts))
        offer.finished.connect(lambda: self._offered.discard(bert))
        offer.download_requested.connect(self._tasks.download_bert)
        offer.file_requested.connect(lambda: self._choose_bert_file(bert))
        offer.force_requested.connect(lambda: self.force_requested.emit(voice.id))
        offer.open()

    @property
    def _over(self) -> QWidget:
        """What a further dialog belongs to."""
        return self.dialog or self._parent

    def _choose_bert_file(self, bert: str) -> None:
        kinds = localized("BERT のモデル", "BERT model") + " (*.onnx *.safetensors)"
        file = ask_for_one(self._parent, localized("BERT のファイルを選択", "Choose a BERT file"), kinds)
        if file is not None:
            self._tasks.add_bert_file(file, bert)

    @Slot()
    def _on_finished(self) -> None:
        self.dialog = None

    @Slot(str, object)
    def _on_requested(self, action: str, voice: CatalogVoice) -> None:
        match action:
            case "use" | "play" | "lab":
                {"use": self.use_requested, "play": self.play_requested, "lab": self.lab_requested}[action].emit(voice.id)
            case "prepare":
                self._tasks.prepare(voice, ())
            case "bert":
                self.offer_bert(voice)
            case "licence":
                from app.ui.widgets.text_dialog import show_text

                show_text(self._over, voice.name, voice.licence.strip())
            case "update" | "renew":
                {"update": self._tasks.update, "renew": self._tasks.renew}[action](voice)
            case "folder":
                folder = voice.path if voice.path.is_dir() else voice.path.parent
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            case "rename":
                self._rename(voice)
            case "export":
                self._export(voice)
            case "remove":
                self._remove(voice)

    def _rename(self, voice: CatalogVoice) -> None:
        title, label = localized("名前を変更", "Rename"), localized("新しい名前", "New name")
        name, chosen = QInputDialog.getText(self._over, title, label, text=voice.name)
        if chosen and name.strip() and name.strip() != voice.name:
            self._tasks.rename(voice, name.strip())

    def _export(self, voice: CatalogVoice) -> None:
        title = localized("声を書き出す", "Export voice")
        start = str(Path.home() / f"{file_title(voice.name)}.zip")
        file, _ = QFileDialog.getSaveFileName(self._over, title, start, "ZIP (*.zip)")
        if file:
            path = Path(file)
            named = path.suffix.lower() == ".zip"  # else the dialog has asked about another name
            target = path if named else path.with_name(path.name + ".zip")
            self._tasks.export(voice, target, replacing=named)

    def _remove(self, voice: CatalogVoice) -> None:
        """Asks first: a voice may be hard to get again."""
        box = QMessageBox(self._over)
        box.setWindowTitle(localized("声を削除", "Delete voice"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(localized(f"声「{voice.name}」をディスクから削除しますか？", f"Delete the voice “{voice.name}” from disk?"))
        used = sum(line.settings.voice == voice.id for line in self._document.script.lines)
        note = localized("追加元のファイルは削除されません。", "The original file is not deleted.")
        box.setInformativeText(note + localized(f" この声を使う行: {used}", f" Lines that use it: {used}") if used else note)
        remove = box.addButton(localized("削除", "Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(localized("キャンセル", "Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.exec()
        if box.clickedButton() is remove:
            self._tasks.remove(voice)


def is_bert_source(path: Path) -> bool:
    """A model with a vocabulary beside it, as BERTs are published, or the folder that holds both; no voice has a vocabulary."""
    if path.is_dir():
        try:
            return any(is_bert_source(file) for file in path.iterdir() if file.suffix.lower() in BERT_SUFFIXES)
        except OSError:  # the task that adds it says why it cannot be read
            return False
    beside = any(path.with_name(name).is_file() for name in (TOKENIZER_NAME, VOCABULARY_NAME))
    return beside and path.suffix.lower() in BERT_SUFFIXES
