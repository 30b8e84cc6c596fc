"""Handles the actions of the voice library and of the menu entries about voices, and blends speakers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.script import LineCast
from app.core.synthesis_types import SynthesisRequest
from app.engine.synthesis_jobs import SpeakFailure, SpeechJob
from app.ui.background_thread import BackgroundThread
from app.ui.playback.sound_saving import build_file_title
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.dialogs import OpenDialog, ask_for_file, ask_for_files, show_in_front
from app.ui.widgets.voice_listening import VoicePick
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES
from app.voices.required_bert import SBV2_BERT_ID

if TYPE_CHECKING:
    from app.core.sound.voice_traits import SpeakerBlend
    from app.ui.voices.voice_dialogs import SpeakerBlendDialog
    from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
    from app.voices.prepared_voice import Voice

BERT_FILE_SUFFIXES = (".onnx", ".safetensors")
VOICE_FILE_PATTERNS = tuple(f"*{suffix}" for suffix in VOICE_SUFFIXES)


class VoiceLibraryActions(QObject):
    """Opens dialogs for files, addresses and names, and queues the tasks.

    Signals:
        use_requested(str), play_requested(str): the selected lines use this voice, or play once with it.
        compare_requested(list[str]): compare the selected lines in these voices.
        force_requested(str): let this voice use a BERT that is not its own.
        lab_requested(str): open this voice in the lab.
        blend_requested(CatalogVoice, QWidget): blend speakers of this voice, in a dialog over the widget.
    """

    dialog: OpenDialog[VoiceLibraryDialog] = OpenDialog()
    use_requested = Signal(str)
    play_requested = Signal(str)
    compare_requested = Signal(object)
    force_requested = Signal(str)
    lab_requested = Signal(str)
    blend_requested = Signal(object, object)

    def __init__(
        self, parent: QWidget, catalog: VoiceCatalog, tasks: VoiceTasks, document: ScriptDocument, selection: LineSelection
    ) -> None:
        super().__init__(parent)
        self._parent, self._catalog, self._tasks = parent, catalog, tasks
        self._document, self._selection = document, selection
        # Ids of BERTs whose dialog is open.
        self._offered_berts: set[str] = set()

    @Slot()
    def open_library(self) -> None:
        """Open the library at the voice of the current line."""
        from app.ui.voices.voice_library_dialog import VoiceLibraryDialog

        if self.dialog is None:
            self.dialog = VoiceLibraryDialog(self._parent, self._catalog)
            self.dialog.action_requested.connect(self._run_action)
            self.dialog.add_requested.connect(self.add_voice)
            self.dialog.compare_requested.connect(self.compare_requested)
            self.dialog.files_dropped.connect(self.add_files)
        self.dialog.select_voice(self._selection.settings.voice)
        show_in_front(self.dialog)

    @Slot(object)
    def add_files(self, files: Sequence[Path]) -> None:
        """Add voices from files and folders for the selected lines; a file with a vocabulary in its folder is a BERT."""
        berts = [file for file in files if is_bert_source(file)]
        for file in berts:
            self._tasks.add_bert_file(file, SBV2_BERT_ID)
        self._tasks.add_files([file for file in files if file not in berts], self._selection.ids)

    @Slot()
    def add_voice(self, kind: str = "file", address: str = "") -> None:
        """Add a voice from a "file", a "folder" or an "address"; `address` fills in the dialog."""
        parent = self._dialog_parent
        if kind == "file":
            kinds = localize("声", "Voices") + f" ({' '.join(VOICE_FILE_PATTERNS)})"
            self.add_files(ask_for_files(parent, localize("声のファイルを選択", "Choose voice files"), kinds))
        elif kind == "folder":
            folder = QFileDialog.getExistingDirectory(parent, localize("声のフォルダーを選択", "Choose a voice folder"))
            self.add_files([Path(folder)] if folder else [])
        else:
            from app.ui.voices.voice_dialogs import VoiceAddressDialog

            dialog = VoiceAddressDialog(parent, address)
            dialog.url_given.connect(lambda url: self._tasks.add_url(url, self._selection.ids))
            dialog.uuid_given.connect(lambda uuid: self._tasks.add_from_hub(uuid, self._selection.ids))
            dialog.open()

    @Slot()
    def add_bert(self) -> None:
        """Open the file dialog for the BERT that SBV2 voices use."""
        self._choose_bert_file(SBV2_BERT_ID)

    @Slot()
    def measure_current_voice(self) -> None:
        """Measure the backends with the voice of the current line."""
        voice = self._catalog.find_voice(self._selection.settings.voice)
        if voice is not None and voice.origin != "aivisspeech":
            self._tasks.measure_backends(voice)

    @Slot(object)
    def offer_bert(self, voice: CatalogVoice) -> None:
        """Open the dialog about a missing BERT, once for all voices that need this BERT."""
        from app.ui.voices.voice_dialogs import MissingBertDialog

        bert = voice.manifest.bert
        if bert in self._offered_berts:
            return
        self._offered_berts.add(bert)
        offer = MissingBertDialog(self._parent, voice.name, bert, may_force=bool(self._catalog.berts))
        offer.finished.connect(lambda: self._offered_berts.discard(bert))
        offer.download_requested.connect(self._tasks.download_bert)
        offer.file_requested.connect(lambda: self._choose_bert_file(bert))
        offer.force_requested.connect(lambda: self.force_requested.emit(voice.id))
        offer.open()

    @property
    def _dialog_parent(self) -> QWidget:
        """Return the parent of a further dialog: the library if it is open, else the window."""
        return self.dialog or self._parent

    def _choose_bert_file(self, bert: str) -> None:
        kinds = localize("BERT のモデル", "BERT model") + " (*.onnx *.safetensors)"
        file = ask_for_file(self._parent, localize("BERT のファイルを選択", "Choose a BERT file"), kinds)
        if file is not None:
            self._tasks.add_bert_file(file, bert)

    @Slot(str, object)
    def _run_action(self, action: str, voice: CatalogVoice) -> None:
        match action:
            case "use" | "play" | "lab":
                {"use": self.use_requested, "play": self.play_requested, "lab": self.lab_requested}[action].emit(voice.id)
            case "prepare":
                self._tasks.prepare_voice(voice, ())
            case "bert":
                self.offer_bert(voice)
            case "licence":
                from app.ui.widgets.text_dialog import show_text

                show_text(self._dialog_parent, voice.name, voice.licence.strip())
            case "blend":
                self.blend_requested.emit(voice, self._dialog_parent)
            case "folder":
                folder = voice.path if voice.path.is_dir() else voice.path.parent
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            case _:
                {
                    "default": self._tasks.make_default_voice,
                    "update": self._tasks.update_voice,
                    "renew": self._tasks.prepare_voice_again,
                    "rename": self._rename_voice,
                    "export": self._export_voice,
                    "remove": self._remove_voice,
                }[action](voice)

    def _rename_voice(self, voice: CatalogVoice) -> None:
        title, label = localize("名前を変更", "Rename"), localize("新しい名前", "New name")
        name, chosen = QInputDialog.getText(self._dialog_parent, title, label, text=voice.name)
        if chosen and name.strip() and name.strip() != voice.name:
            self._tasks.rename_voice(voice, name.strip())

    def _export_voice(self, voice: CatalogVoice) -> None:
        title = localize("声を書き出す", "Export voice")
        start = str(Path.home() / f"{build_file_title(voice.name)}.zip")
        file, _ = QFileDialog.getSaveFileName(self._dialog_parent, title, start, "ZIP (*.zip)")
        if file:
            path = Path(file)
            # For any other suffix the file dialog has confirmed another name than the one with .zip.
            is_zip = path.suffix.lower() == ".zip"
            target = path if is_zip else path.with_name(path.name + ".zip")
            self._tasks.export_voice(voice, target, may_replace=is_zip)

    def _remove_voice(self, voice: CatalogVoice) -> None:
        """Ask before the voice is deleted, as it may be hard to get again."""
        box = QMessageBox(self._dialog_parent)
        box.setWindowTitle(localize("声を削除", "Delete voice"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(localize(f"声「{voice.name}」をディスクから削除しますか？", f"Delete the voice “{voice.name}” from disk?"))
        used = sum(line.settings.voice == voice.id for line in self._document.script.lines)
        note = localize("追加元のファイルは削除されません。", "The original file is not deleted.")
        box.setInformativeText(note + localize(f" この声を使う行: {used}", f" Lines that use it: {used}") if used else note)
        remove = box.addButton(localize("削除", "Delete"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(localize("キャンセル", "Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.exec()
        if box.clickedButton() is remove:
            self._tasks.remove_voice(voice)


BLEND_PHRASES = ("こんにちは。", "今日は、いい天気ですね。")


def is_bert_source(path: Path) -> bool:
    """Return True for a BERT: a model with a vocabulary in the same folder, or that folder.

    BERTs are published that way; no voice has a vocabulary.
    """
    from app.voices.bert_models import TOKENIZER_NAME, VOCABULARY_NAME

    if path.is_dir():
        try:
            return any(is_bert_source(file) for file in path.iterdir() if file.suffix.lower() in BERT_FILE_SUFFIXES)
        # The task that adds the folder reports the reason.
        except OSError:
            return False
    beside = any(path.with_name(name).is_file() for name in (TOKENIZER_NAME, VOCABULARY_NAME))
    return beside and path.suffix.lower() in BERT_FILE_SUFFIXES


class BlendListening(QObject):
    """Speaks short phrases while a blend is being chosen, each with the blend that is chosen when it begins, so that no word is cut."""

    def __init__(self, dialog: SpeakerBlendDialog, voice: str, speech: SpeechController) -> None:
        super().__init__(dialog)
        self._dialog, self._voice, self._speech = dialog, voice, speech
        self._phrases = itertools.cycle(BLEND_PHRASES)
        self._spoken_blend: SpeakerBlend | None = None  # the one that sounds; None while it is silent
        dialog.blend_changed.connect(self._begin_phrase)
        dialog.finished.connect(self._stop_phrase)
        speech.speech_played.connect(self._follow_end)
        speech.speech_dropped.connect(self._forget_dropped)
        speech.speaking_failed.connect(self._show_failure)

    @Slot()
    def _begin_phrase(self) -> None:
        if self._spoken_blend is None:
            self._speech.stop_speaking()
            self._speak_phrase()

    def _speak_phrase(self) -> None:
        self._spoken_blend = blend = self._dialog.blend
        if blend is not None:
            request = SynthesisRequest(next(self._phrases))
            cast = LineCast(self._voice, blend.first, blend.name, blend)
            self._speech.speak_request_next(request, cast, source=self, is_measured=False)

    @Slot(object)
    def _follow_end(self, job: SpeechJob) -> None:
        """Speak on while the slider is held, or if it has been moved since the phrase began."""
        if job.source is self:
            is_moved = self._dialog.is_moving or self._dialog.blend != self._spoken_blend
            self._spoken_blend = None
            if is_moved and self._dialog.isVisible():
                self._speak_phrase()

    @Slot(object)
    def _forget_dropped(self, jobs: Sequence[SpeechJob]) -> None:
        if any(job.source is self for job in jobs):
            self._spoken_blend = None

    @Slot(object)
    def _show_failure(self, failure: SpeakFailure) -> None:
        if failure.job.source is self:
            self._spoken_blend = None
            self._dialog.show_error(failure.error)

    @Slot()
    def _stop_phrase(self) -> None:
        if self._spoken_blend is not None:
            self._speech.stop_speaking()


class SpeakerBlendController(QObject):
    """Lets blends be heard, and saves and removes those of the voice whose dialog is open.

    Signals:
        introduction_requested(VoicePick): a blend was saved and is to be heard.
    """

    dialog: OpenDialog[SpeakerBlendDialog] = OpenDialog()
    introduction_requested = Signal(object)

    def __init__(self, parent: QObject, *, catalog: VoiceCatalog, tasks: VoiceTasks, speech: SpeechController) -> None:
        super().__init__(parent)
        self._catalog, self._tasks, self._speech = catalog, tasks, speech
        self._background = BackgroundThread(self, "blends")
        catalog.changed.connect(self._show_blends)
        self._voice_id = ""
        self._use_style: Callable[[str], object] | None = None

    def open_dialog(
        self, voice: CatalogVoice, parent: QWidget, *, first: str = "", use_style: Callable[[str], object] | None = None
    ) -> None:
        """Ask for two speakers of a voice and the share of each.

        Args:
            first: the speaker to begin with, by name.
            use_style: gives the saved style to whom it is for; without it the style is played.
        """
        from app.ui.voices.voice_dialogs import SpeakerBlendDialog

        if self.dialog is None:
            self._voice_id, self._use_style = voice.manifest.id, use_style
            self.dialog = SpeakerBlendDialog(parent, voice, first=first, is_for_use=use_style is not None)
            BlendListening(self.dialog, voice.id, self._speech)
            self.dialog.save_requested.connect(self._save_blend)
            self.dialog.removal_requested.connect(self._remove_blend)
        self.dialog.open()

    def close(self) -> None:
        """Wait for the change that runs."""
        self._background.close(finish=True)

    def _save_blend(self, blend: SpeakerBlend) -> None:
        from app.install.speaker_blends import add_blend

        voice_id, style, use_style = self._voice_id, " ".join(blend.name.split()), self._use_style

        def use_saved() -> None:
            if use_style is None:
                self.introduction_requested.emit(VoicePick(voice_id, "", style))
            else:
                use_style(style)
                if self.dialog is not None:
                    self.dialog.accept()

        self._change_voice(lambda: add_blend(voice_id, blend), use_saved)

    def _remove_blend(self, name: str) -> None:
        from app.install.speaker_blends import remove_blend

        voice_id = self._voice_id
        self._change_voice(lambda: remove_blend(voice_id, name), lambda: None)

    def _change_voice(self, change: Callable[[], Voice], proceed: Callable[[], object]) -> None:
        """Change the voice, read the voices again, and call `proceed`."""
        # An open voice holds its files and keeps the styles that it has read.
        self._tasks.voice_changing.emit(self._voice_id)

        def finish_change(_voice: Voice) -> None:
            self._tasks.voice_changing.emit(self._voice_id)
            self._tasks.disk_changed.emit()
            proceed()

        self._background.run_work(change, finish_change, self._show_error)

    def _show_error(self, error: AppError) -> None:
        self._tasks.disk_changed.emit()
        if self.dialog is not None:
            self.dialog.show_error(error)

    def _show_blends(self) -> None:
        voice = self._catalog.find_voice(self._voice_id) if self.dialog is not None else None
        if voice is not None and self.dialog is not None:
            self.dialog.show_blends(voice)
