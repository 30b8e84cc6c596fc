"""Long work on voices and BERTs: starts it, asks for licences, and reports what it brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.tasks.process import ProcessTask
from app.ui.tasks.queue import TaskQueue
from app.ui.tasks.task import LicenceText, Stage, TaskSpec
from app.ui.voices import task_specs
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.licence_questions import LicenceQuestions
from app.ui.voices.task_specs import BertAdditionSpec, CandidateSpec, ProbeSpec, VoiceAdditionSpec, VoiceChangeSpec, VoiceExportSpec
from app.voices.wanted_bert import SBV2_BERT


@dataclass(frozen=True, slots=True)
class VoiceRow:
    """A voice that came in, as `koebako voices` reports it.

    Attributes:
        was_here, is_updated: it was there already, and is the same; or is another version now.
        opaque_reason: why it runs as one graph; empty where it does not.
    """

    id: str
    name: str
    was_here: bool = False
    is_updated: bool = False
    opaque_reason: str = ""


@dataclass(frozen=True, slots=True)
class VoiceAdditionResult:
    """What a task brought in that adds voices."""

    spec: VoiceAdditionSpec
    voices: tuple[VoiceRow, ...]
    has_bert: bool


def read_addition(spec: VoiceAdditionSpec, lines: Sequence[Mapping[str, Any]]) -> VoiceAdditionResult:
    """Read the result lines of our command line."""
    voices = tuple(
        VoiceRow(str(line["id"]), str(line["name"]), bool(line.get("already")), bool(line.get("updated")), line.get("opaque_reason") or "")
        for line in lines
        if line.get("type") == "voice"
    )
    return VoiceAdditionResult(spec, voices, any(line.get("type") == "bert" for line in lines))


class VoiceTasks(QObject):
    """Queues what is to be done to voices.

    Attributes:
        queue: the work.

    Signals:
        voices_added(VoiceAdditionResult), bert_added(), exported(Path), measured(list): it is done.
        declined(): a licence was not accepted, so no voice was added.
        change_failed(str, AppError): title of the change, and why it failed.
        changing(str): id of an installed voice whose files are about to change.
        disk_changed(): there may be other voices or BERTs now.
    """

    voices_added = Signal(object)
    bert_added = Signal()
    exported = Signal(object)
    measured = Signal(object)
    declined = Signal()
    change_failed = Signal(str, object)
    changing = Signal(str)
    disk_changed = Signal()

    def __init__(self, queue: TaskQueue, licences: LicenceQuestions) -> None:
        super().__init__(queue)
        self.queue, self._licences = queue, licences
        self._asked_ahead: set[ProcessTask] = set()  # while they run
        self._accepted_ahead: set[ProcessTask] = set()
        queue.added.connect(self._on_task_added)
        queue.asked.connect(self._on_asked)
        queue.finished.connect(self._on_finished)
        queue.failed.connect(self._on_failed)
        queue.removed.connect(self._on_removed)

    def add_files(self, files: Sequence[Path], lines: Sequence[str]) -> None:
        """Voices from files, folders and zips; lines are to speak with a single one."""
        for file in files:
            self.queue.add(task_specs.add_file(file.absolute(), lines if len(files) == 1 else ()))

    def add_url(self, url: str, lines: Sequence[str]) -> None:
        """A voice from an address."""
        self.queue.add(task_specs.add_url(url, lines))

    def add_from_hub(self, uuid: str, lines: Sequence[str]) -> None:
        """A voice from AivisHub."""
        self.queue.add(task_specs.add_from_hub(uuid, lines))

    def add_natural(self, uuid: str, name: str, lines: Sequence[str]) -> None:
        """A voice from AivisHub with its BERT; the licence is asked for while the BERT is on its way."""
        self.queue.add(task_specs.add_natural(uuid, name, lines))

    def update(self, voice: CatalogVoice) -> None:
        """The newest version of a voice from AivisHub."""
        self.queue.add(task_specs.update_from_hub(voice.card.uuid, voice.name))

    def renew(self, voice: CatalogVoice) -> None:
        """An installed voice once more, with what this version makes of voices."""
        self.queue.add(task_specs.renew_voice(voice.id, voice.name))

    def prepare(self, voice: CatalogVoice, lines: Sequence[str]) -> None:
        """A voice of AivisSpeech; the original stays where it is."""
        self.queue.add(task_specs.add_file(voice.path, lines))

    def export(self, voice: CatalogVoice, target: Path, *, replacing: bool) -> None:
        """A copy of a voice as a zip."""
        self.queue.add(task_specs.export_voice(voice.id, voice.name, target, replacing=replacing))

    @Slot()
    def download_bert(self) -> None:
        """The BERT that SBV2 voices use."""
        self.queue.add(task_specs.download_bert())

    def add_bert_file(self, file: Path, bert: str) -> None:
        """A BERT that the user has; `bert` is what voices call it."""
        self.queue.add(task_specs.add_bert_file(file, "" if bert == SBV2_BERT else bert))

    def measure(self, voice: CatalogVoice) -> None:
        """What a voice can be computed on, and how fast."""
        self.queue.add(task_specs.measure_backends(voice.manifest.id))

    def rename(self, voice: CatalogVoice, name: str) -> None:
        """Another name for an installed voice."""
        self._change(voice, task_specs.rename_voice(voice.id, name))

    def remove(self, voice: CatalogVoice) -> None:
        """An installed voice off the disk."""
        self._change(voice, task_specs.remove_voice(voice.id, voice.name))

    def take_candidate(self, voices: Sequence[str], work: tuple[str, ...]) -> ProcessTask:
        """A candidate of the lab for a voice, or for the BERT of these voices."""
        for voice in voices:
            self.changing.emit(voice)
        return self.queue.add(task_specs.take_candidate(work))

    def _change(self, voice: CatalogVoice, work: TaskSpec) -> None:
        self.changing.emit(voice.id)
        self.queue.add(work)

    @Slot(object)
    def _on_task_added(self, job: ProcessTask) -> None:
        if isinstance(job.work, VoiceAdditionSpec) and job.work.natural:
            job.changed.connect(lambda: self._ask_ahead(job))

    def _ask_ahead(self, job: ProcessTask) -> None:
        """The file with the licence is there, and the job continues with the BERT; an acceptance counts when it needs the answer."""
        if job.licence is not None and job.stage is Stage.RUNNING and job not in self._asked_ahead:
            self._asked_ahead.add(job)
            self._ask(job, job.licence)

    @Slot(object)
    def _on_asked(self, job: ProcessTask) -> None:
        """A licence is asked for here; other questions have their buttons in the panel."""
        if job in self._accepted_ahead:  # it looked a moment before the acceptance was stored
            self._accepted_ahead.discard(job)
            self.queue.again(job)
        elif job.licence is not None:
            self._ask(job, job.licence)

    def _ask(self, job: ProcessTask, licence: LicenceText) -> None:
        self._licences.ask(licence.voice_id, licence.name, licence.text, lambda: self._go_on(job), lambda: self._decline(job))

    def _go_on(self, job: ProcessTask) -> None:
        if job.stage is Stage.ASKING:
            self.queue.again(job)
        elif job.stage is Stage.RUNNING:
            self._accepted_ahead.add(job)

    def _decline(self, job: ProcessTask) -> None:
        self.queue.clear(job)
        self.declined.emit()

    @Slot(object)
    def _on_finished(self, job: ProcessTask) -> None:
        match job.work:
            case VoiceAdditionSpec() as spec:
                self.voices_added.emit(read_addition(spec, job.results))
            case BertAdditionSpec():
                self.bert_added.emit()
            case VoiceExportSpec(target=target):
                self.exported.emit(target)
            case ProbeSpec():
                self.measured.emit(job.results)
        if isinstance(job.work, VoiceAdditionSpec | BertAdditionSpec | CandidateSpec):
            self.disk_changed.emit()
            self.queue.add(task_specs.check_precisions())
        elif isinstance(job.work, VoiceChangeSpec):
            self.disk_changed.emit()

    @Slot(object)
    def _on_removed(self, job: ProcessTask) -> None:
        """What a process had staged that was stopped in the middle is swept with the next look."""
        self._asked_ahead.discard(job)
        self._accepted_ahead.discard(job)
        if job.has_process:
            job.ended.connect(self.disk_changed)

    @Slot(object)
    def _on_failed(self, job: ProcessTask) -> None:
        """The panel shows most failures; what it does not show is reported here."""
        if job.work.quiet and job.error is not None:
            if isinstance(job.work, VoiceChangeSpec):
                self.change_failed.emit(job.work.title, job.error)
            self.queue.clear(job)
