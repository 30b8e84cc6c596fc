"""Queues long tasks on voices and BERTs, shows their licences, and reports their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.tasks.process_task import ProcessTask
from app.ui.tasks.task_queue import TaskQueue
from app.ui.tasks.task_spec import LicenceText, TaskSpec, TaskState
from app.ui.voices import voice_task_specs
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_task_specs import (
    BackendProbeSpec,
    BertAdditionSpec,
    CandidateInstallSpec,
    RefinementSpec,
    VoiceAdditionSpec,
    VoiceChangeSpec,
    VoiceExportSpec,
)
from app.voices.required_bert import SBV2_BERT_ID

DISK_CHANGING_SPECS = (VoiceAdditionSpec, RefinementSpec, BertAdditionSpec, CandidateInstallSpec, VoiceChangeSpec)


@dataclass(frozen=True, slots=True)
class AddedVoiceRow:
    """A voice that was added, as `koebako voices` reports it.

    Attributes:
        was_here, is_updated: the same version was installed already; or another version replaced it.
        opaque_reason: why the voice runs as one graph; empty for a split voice.
    """

    id: str
    name: str
    was_here: bool = False
    is_updated: bool = False
    opaque_reason: str = ""


@dataclass(frozen=True, slots=True)
class VoiceAdditionResult:
    """The voices and BERT that an addition task installed."""

    spec: VoiceAdditionSpec
    voices: tuple[AddedVoiceRow, ...]
    has_bert: bool


def parse_addition_result(spec: VoiceAdditionSpec, result_rows: Sequence[Mapping[str, Any]]) -> VoiceAdditionResult:
    """Parse the result lines of our command line."""
    voices = tuple(
        AddedVoiceRow(
            str(line["id"]), str(line["name"]), bool(line.get("already")), bool(line.get("updated")), line.get("opaque_reason") or ""
        )
        for line in result_rows
        if line.get("type") == "voice"
    )
    return VoiceAdditionResult(spec, voices, any(line.get("type") == "bert" for line in result_rows))


class VoiceTasks(QObject):
    """Queues tasks on voices.

    Attributes:
        queue: the queue of the window.

    Signals:
        voices_added(VoiceAdditionResult), bert_added(), voice_exported(Path), backends_measured(list): a task has succeeded.
        voice_refined(str), bert_refined(str): id of an installed voice or BERT that is fully prepared now, or as fully as it can be.
        voice_renewed(str): id of an installed voice that was prepared again by itself.
        renewal_failed(str, AppError): name of one that could not be, and why.
        licence_declined(): a licence was not accepted, so no voice was added.
        change_failed(str, AppError): title of the change, and why it failed.
        voice_changing(str): id of an installed voice whose files are about to change.
        disk_changed(): voices or BERTs on the disk may have changed.
    """

    voices_added = Signal(object)
    bert_added = Signal()
    voice_exported = Signal(object)
    backends_measured = Signal(object)
    licence_declined = Signal()
    change_failed = Signal(str, object)
    voice_changing = Signal(str)
    voice_refined = Signal(str)
    voice_renewed = Signal(str)
    renewal_failed = Signal(str, object)
    bert_refined = Signal(str)
    disk_changed = Signal()

    def __init__(self, queue: TaskQueue, licences: LicenceQuestionQueue) -> None:
        super().__init__(queue)
        self.queue, self._licences = queue, licences
        # Tasks that run and whose licence is shown already.
        self._asked_ahead: set[ProcessTask] = set()
        self._accepted_ahead: set[ProcessTask] = set()
        queue.added.connect(self._watch_natural_voice_task)
        queue.decision_needed.connect(self._resolve_licence_question)
        queue.finished.connect(self._announce_result)
        queue.failed.connect(self._report_quiet_failure)
        queue.removed.connect(self._forget_task)

    def add_files(self, files: Sequence[Path], line_ids: Sequence[str]) -> None:
        """Add voices from files, folders and zips; only a single one is given to the lines."""
        for file in files:
            self.queue.add_task(voice_task_specs.create_file_task(file.absolute(), line_ids if len(files) == 1 else ()))

    def add_url(self, url: str, line_ids: Sequence[str]) -> None:
        """Add a voice from a URL."""
        self.queue.add_task(voice_task_specs.create_url_task(url, line_ids))

    def add_from_hub(self, uuid: str, line_ids: Sequence[str]) -> None:
        """Add a voice from AivisHub."""
        self.queue.add_task(voice_task_specs.create_hub_task(uuid, line_ids))

    def add_natural_voice(self, uuid: str, name: str, line_ids: Sequence[str]) -> None:
        """Add a voice from AivisHub with its BERT; the licence is shown while the BERT is downloading."""
        self.queue.add_task(voice_task_specs.create_natural_voice_task(uuid, name, line_ids))

    def add_kokoro_voice(self, line_ids: Sequence[str], *, keeps_other_voices: bool) -> None:
        """Add the natural voice that the program knows itself."""
        self.queue.add_task(voice_task_specs.create_kokoro_task(line_ids, keeps_other_voices=keeps_other_voices))

    def update_voice(self, voice: CatalogVoice) -> None:
        """Update a voice to its newest version on AivisHub."""
        self.queue.add_task(voice_task_specs.create_hub_update_task(voice.model_card.uuid, voice.name))

    def prepare_voice_again(self, voice: CatalogVoice) -> None:
        """Prepare an installed voice again with the converter of this version."""
        self.queue.add_task(voice_task_specs.create_reprepare_task(voice.id, voice.name))

    def prepare_voice(self, voice: CatalogVoice, line_ids: Sequence[str]) -> None:
        """Prepare a voice of AivisSpeech; the original stays in its place."""
        self.queue.add_task(voice_task_specs.create_file_task(voice.path, line_ids))

    def export_voice(self, voice: CatalogVoice, target: Path, *, may_replace: bool) -> None:
        """Export a voice as a zip."""
        self.queue.add_task(voice_task_specs.create_export_task(voice.id, voice.name, target, may_replace=may_replace))

    @Slot()
    def download_bert(self) -> None:
        """Download the BERT that SBV2 voices use."""
        self.queue.add_task(voice_task_specs.create_bert_download_task())

    def add_bert_file(self, file: Path, bert: str) -> None:
        """Add a BERT from the user's file; `bert` is the id that voices need."""
        self.queue.add_task(voice_task_specs.create_bert_file_task(file, "" if bert == SBV2_BERT_ID else bert))

    def measure_backends(self, voice: CatalogVoice) -> None:
        """Measure the backends with a voice."""
        self.queue.add_task(voice_task_specs.create_backend_probe_task(voice.manifest.id))

    def rename_voice(self, voice: CatalogVoice, name: str) -> None:
        """Rename an installed voice."""
        self._queue_voice_change(voice, voice_task_specs.create_rename_task(voice.id, name))

    def make_default_voice(self, voice: CatalogVoice) -> None:
        """Make a voice the default, which new projects speak with."""
        self.queue.add_task(voice_task_specs.create_default_voice_task(voice.manifest.id, voice.name))

    def remove_voice(self, voice: CatalogVoice) -> None:
        """Delete an installed voice from disk."""
        self._queue_voice_change(voice, voice_task_specs.create_removal_task(voice.id, voice.name))

    def install_candidate(self, voice_ids: Sequence[str], arguments: tuple[str, ...]) -> ProcessTask:
        """Install a candidate of the lab for a voice, or for the BERT of these voices."""
        # An open voice would keep the old graph in memory; a closed one is reopened from the new file.
        for voice in voice_ids:
            self.voice_changing.emit(voice)
        return self.queue.add_task(voice_task_specs.create_candidate_task(arguments))

    def _queue_voice_change(self, voice: CatalogVoice, spec: TaskSpec) -> None:
        self.voice_changing.emit(voice.id)
        self.queue.add_task(spec)

    @Slot(object)
    def _watch_natural_voice_task(self, job: ProcessTask) -> None:
        if isinstance(job.work, VoiceAdditionSpec) and job.work.natural_uuid:
            job.changed.connect(lambda: self._ask_for_licence_early(job))

    def _ask_for_licence_early(self, job: ProcessTask) -> None:
        """Show the licence as soon as its file is downloaded, while the job continues with the BERT."""
        if job.licence is not None and job.stage is TaskState.RUNNING and job not in self._asked_ahead:
            self._asked_ahead.add(job)
            self._ask_for_licence(job, job.licence)

    @Slot(object)
    def _resolve_licence_question(self, job: ProcessTask) -> None:
        """Show the licence that a job waits for; the task panel has buttons for other questions."""
        # The job looked for the acceptance a moment before it was stored, so it has to look again.
        if job in self._accepted_ahead:
            self._accepted_ahead.discard(job)
            self.queue.queue_again(job)
        elif job.licence is not None:
            self._ask_for_licence(job, job.licence)

    def _ask_for_licence(self, job: ProcessTask, licence: LicenceText) -> None:
        self._licences.ask_for_consent(
            licence.voice_id, licence.name, licence.text, lambda: self._resume_task(job), lambda: self._cancel_declined_task(job)
        )

    def _resume_task(self, job: ProcessTask) -> None:
        if job.stage is TaskState.ASKING:
            self.queue.queue_again(job)
        elif job.stage is TaskState.RUNNING:
            self._accepted_ahead.add(job)

    def _cancel_declined_task(self, job: ProcessTask) -> None:
        self.queue.remove_task(job)
        self.licence_declined.emit()

    @Slot(object)
    def _announce_result(self, job: ProcessTask) -> None:
        match job.work:
            case VoiceAdditionSpec() as spec:
                self.voices_added.emit(parse_addition_result(spec, job.results))
            case RefinementSpec(work=work):
                {"voice": self.voice_refined, "renewal": self.voice_renewed, "bert": self.bert_refined}[work.kind].emit(work.id)
            case BertAdditionSpec():
                self.bert_added.emit()
            case VoiceExportSpec(target=target):
                self.voice_exported.emit(target)
            case BackendProbeSpec():
                self.backends_measured.emit(job.results)
        if isinstance(job.work, DISK_CHANGING_SPECS):
            self.disk_changed.emit()
        # Of a new voice or BERT this is measured when it is refined.
        if isinstance(job.work, CandidateInstallSpec):
            self.queue.add_task(voice_task_specs.create_precision_check_task())

    @Slot(object)
    def _forget_task(self, job: ProcessTask) -> None:
        """Rescan the disk after a cancelled process has ended."""
        self._asked_ahead.discard(job)
        self._accepted_ahead.discard(job)
        # The scan removes what the killed process had staged.
        if job.has_process:
            job.ended.connect(self.disk_changed)

    @Slot(object)
    def _report_quiet_failure(self, job: ProcessTask) -> None:
        """Report failures of quiet tasks, which the task panel does not show."""
        if job.work.quiet and job.error is not None:
            if isinstance(job.work, VoiceChangeSpec):
                self.change_failed.emit(job.work.title, job.error)
            elif isinstance(job.work, RefinementSpec):
                self.renewal_failed.emit(job.work.work.name, job.error)
            self.queue.remove_task(job)
