"""Long work on voices and BERTs: begins it, asks what has to be asked, and brings its result into the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from app.language import say
from app.ui.background import works
from app.ui.background.child import ChildJob
from app.ui.background.queue import WorkQueue
from app.ui.background.work import Work
from app.ui.findings import summary
from app.ui.licence_questions import LicenceQuestions
from app.ui.shelf import ShelfVoice
from app.ui.widgets.jobs_panel import JobsPanel
from app.voices.description import SBV2_BERT

if TYPE_CHECKING:
    from app.ui.voice_desk import VoiceDesk
    from app.ui.window import MainWindow


class VoiceWorks(QObject):
    """Long work of a window.

    Attributes:
        queue: the work.
        panel: shows it.
        licences: asks for them.
    """

    def __init__(self, desk: VoiceDesk, window: MainWindow) -> None:
        super().__init__(desk)
        self._desk, self._window = desk, window
        self._added: list[str] = []  # voices that came in and were not looked at yet
        self.queue = WorkQueue(self)
        self.panel = JobsPanel(self.queue)
        self.licences = LicenceQuestions(window, desk.banner)
        window.left.below.addWidget(self.panel)
        self.queue.asked.connect(self._on_asked)
        self.queue.finished.connect(self._on_finished)
        self.queue.failed.connect(self._on_failed)
        self.queue.removed.connect(self._on_removed)

    @Slot(object)
    def add_files(self, files: Sequence[Path]) -> None:
        """Voices from files, folders and zips, for the lines that are selected now."""
        lines = self._window.script.chosen_ids
        for file in files:
            self.queue.add(works.add_file(file.absolute(), lines if len(files) == 1 else ()))

    def add_url(self, url: str) -> None:
        """A voice from an address."""
        self.queue.add(works.add_url(url, self._window.script.chosen_ids))

    def add_from_hub(self, uuid: str) -> None:
        """A voice from AivisHub."""
        self.queue.add(works.add_from_hub(uuid, self._window.script.chosen_ids))

    def prepare(self, voice: ShelfVoice, lines: Sequence[str]) -> None:
        """A voice of AivisSpeech; the original stays where it is."""
        self.queue.add(works.add_file(voice.path, lines))

    @Slot()
    def download_bert(self) -> None:
        """The BERT that SBV2 voices use."""
        self.queue.add(works.download_bert())

    def choose_bert_file(self, bert: str) -> None:
        """A BERT that the user has."""
        kinds = say("BERT のモデル", "BERT model") + " (*.onnx *.safetensors)"
        file, _ = QFileDialog.getOpenFileName(self._window, say("BERT のファイルを選ぶ", "Choose a BERT"), "", kinds)
        if file:
            self.queue.add(works.add_bert_file(Path(file), "" if bert == SBV2_BERT else bert))

    @Slot()
    def measure(self) -> None:
        """What the voice of the current line can be computed on, and how fast."""
        voice = self._desk.shelf.find(self._desk.current)
        if voice is not None and voice.place != "aivisspeech":
            self.queue.add(works.measure_backends(voice.manifest.id))

    def change(self, work: Work) -> None:
        """A change of an installed voice, which is let go first."""
        self._desk.controller.close_voice(str(work.note.get("voice", "")))
        self.queue.add(work)

    def on_shelf(self) -> None:
        """The shelf was read anew: what came in may lack its BERT."""
        added, self._added = self._added, []
        lacking = [voice for name in added if (voice := self._desk.shelf.find(name)) is not None and not voice.has_bert]
        if lacking and not self._window.settings.force_bert:
            self._desk.offer_bert(lacking[0])

    @Slot(object)
    def _on_asked(self, job: ChildJob) -> None:
        """A licence is asked for here; other questions have their buttons in the panel."""
        if job.licence is None:
            return
        licence = job.licence
        self.licences.ask(licence.voice_id, licence.name, licence.text, lambda: self.queue.again(job), lambda: self._decline(job))

    def _decline(self, job: ChildJob) -> None:
        self.queue.clear(job)
        self._desk.banner.tell(
            "notice",
            say("ライセンスに同意しなかったため、声は追加していません。", "The licence was declined, so the voice was not added."),
        )

    @Slot(object)
    def _on_finished(self, job: ChildJob) -> None:
        kind = job.work.note.get("kind")
        if kind == works.ADD_VOICE:
            self._on_voices(job)
        elif kind == works.ADD_BERT:
            self._on_bert()
        elif kind == works.EXPORT:
            target = job.work.note["target"]
            self._desk.banner.tell("notice", say(f"書き出しました: {target.name}", f"Exported: {target.name}"), str(target.parent))
        elif kind == works.PROBE:
            self._on_measured(job)
        if kind in (works.ADD_VOICE, works.ADD_BERT, works.CHANGE):
            self._desk.shelf.look()
        if kind in (works.ADD_VOICE, works.ADD_BERT):
            self.queue.add(works.check_precisions())

    @Slot(object)
    def _on_removed(self, job: ChildJob) -> None:
        """What a process had staged that was stopped in the middle is swept with the next look."""
        if job.has_process:
            job.ended.connect(self._desk.shelf.look)

    def _on_voices(self, job: ChildJob) -> None:
        found = [item for item in job.results if item.get("type") == "voice"]
        if not found:
            return
        for item in found:
            self._desk.controller.close_voice(str(item["id"]))
        self._added += [str(item["id"]) for item in found]
        lines = [line for line in job.work.note.get("lines", ()) if self._window.document.script.find(line)]
        if lines or not self._window.document.script.lines:
            self._desk.use(str(found[0]["id"]), lines)
        names = say("、", ", ").join(str(item["name"]) for item in found)
        told = say(f"声「{names}」を追加しました。", f'The voice "{names}" was added.')
        if all(item.get("already") for item in found):
            told = say(f"声「{names}」はすでにあります。", f'The voice "{names}" is here already.')
            if job.work.note.get("update"):
                told = say(f"声「{names}」は最新です。", f'The voice "{names}" is up to date.')
        elif all(item.get("updated") for item in found):
            told = say(f"声「{names}」を更新しました。", f'The voice "{names}" was updated.')
        spoken = say("選んでいた行は、この声で話します。", "The lines that were selected speak with it.") if lines else ""
        reasons = [str(item["opaque_reason"]) for item in found if item.get("opaque_reason")]
        self._desk.banner.tell("notice", told, " ".join([spoken, *reasons]).strip())

    def _on_measured(self, job: ChildJob) -> None:
        self._window.status.show_measured(job.results)
        if self._window.status.backend == "auto":  # which takes what was found, unless something sounds just now
            self._window.playback.stop()
            self._desk.controller.open_voice("auto", hold=self._window.settings.load_voice == "at_start")
        self._desk.banner.tell("notice", say("バックエンドを測りました。", "The backends were measured."), summary(job.results))

    def _on_bert(self) -> None:
        self._window.preferences.change(force_bert=False)
        self._desk.controller.force_bert(False)
        for voice in [item.id for item in self._desk.controller.voices.values() if item.forced_bert]:
            self._desk.open_anew(voice)
        self._desk.banner.tell("notice", say("BERT が入りました。声が話せます。", "The BERT is installed; voices that need it can speak."))

    @Slot(object)
    def _on_failed(self, job: ChildJob) -> None:
        """The panel tells of most; what it does not show is told here."""
        if job.work.quiet and job.error is not None:
            if job.work.note.get("kind") == works.CHANGE:
                self._desk.banner.tell("trouble", f"{job.work.title}: {job.error.message}", job.error.hint)
            self.queue.clear(job)
