"""The kinds of long tasks on voices and BERTs: queues them, shows their licences, and reports their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.common.language import localize
from app.ui.tasks.process_task import LicenceText, ProcessTask, TaskQueue, TaskSpec, TaskState
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB
from app.voices.voice_labels import NATURAL_VOICE_ID, NATURAL_VOICE_WORD

if TYPE_CHECKING:
    from app.install.refinement_work import RefinementWork

KOKORO_ARGUMENTS = ("voices", "add", NATURAL_VOICE_WORD)
KOKORO_DOWNLOAD_BYTES = 63_082_708  # the four packages that hold its weights


@dataclass(frozen=True, slots=True)
class AddedVoiceRow:
    """A voice that was added, as `koebako voices` reports it."""

    id: str
    name: str
    was_here: bool = False  # was_here, is_updated: the same version was installed already; or another version replaced it
    is_updated: bool = False
    opaque_reason: str = ""  # why the voice runs as one graph; empty for a split voice


@dataclass(frozen=True, slots=True)
class VoiceAdditionSpec(TaskSpec):
    """A task that adds voices."""

    lines: tuple[str, ...] = ()  # ids of the lines that will use the first voice
    # UUID of the voice requested on the page of natural voices, or `NATURAL_VOICE_ID`; `lines` play when it is installed.
    natural_uuid: str = ""
    keeps_other_voices: bool = False  # only those of `lines` use it that still have the included voice then
    is_update: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementSpec(TaskSpec):
    """A task that finishes a voice or BERT that can be used already, or prepares a voice again, which speaks meanwhile."""

    work: RefinementWork


@dataclass(frozen=True, slots=True)
class BertAdditionSpec(TaskSpec):
    """A task that adds a BERT."""


@dataclass(frozen=True, slots=True)
class VoiceChangeSpec(TaskSpec):
    """A task that renames or removes an installed voice, or makes it the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceExportSpec(TaskSpec):
    """A task that writes a copy of a voice into the file `target`."""

    target: Path


@dataclass(frozen=True, slots=True)
class BackendProbeSpec(TaskSpec):
    """A task that measures backends."""


@dataclass(frozen=True, slots=True)
class CandidateInstallSpec(TaskSpec):
    """A task that installs a candidate of the lab."""


def create_file_task(path: Path, lines: Sequence[str] = ()) -> TaskSpec:
    """Create a task that adds a voice from a file, folder or zip for `lines`."""
    title = localize(f"声を追加: {path.name}", f"Add voice: {path.name}")
    return VoiceAdditionSpec(title, ("voices", "add", str(path)), lines=tuple(lines))


def create_kokoro_task(lines: Sequence[str], *, keeps_other_voices: bool, is_heard: bool = True) -> TaskSpec:
    """Create a task that adds the natural voice that the program knows itself; with `is_heard` the lines then play."""
    title = localize("自然な声を追加: Kokoro", "Add natural voice: Kokoro")
    natural_uuid = NATURAL_VOICE_ID if is_heard else ""
    return VoiceAdditionSpec(title, KOKORO_ARGUMENTS, lines=tuple(lines), natural_uuid=natural_uuid, keeps_other_voices=keeps_other_voices)


def create_refinement_task(work: RefinementWork) -> RefinementSpec:
    """Create a background task; that of a voice which is prepared again, without any download, is quiet too."""
    match work.kind:
        case "renewal":
            title = localize(f"声を準備し直す: {work.name}", f"Prepare again: {work.name}")
        case "voice":
            title = localize(f"残りの準備: {work.name}", f"Finishing: {work.name}")
        case "bert":
            title = localize("残りの準備: BERT", "Finishing: BERT")
    return RefinementSpec(title, work.arguments, quiet=work.kind == "renewal", is_background=True, work=work)


def create_bert_download_task() -> TaskSpec:
    """Create a task that downloads the BERT that SBV2 voices use."""
    title = localize(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)")
    return BertAdditionSpec(title, ("bert", "add", "--hub"))


def create_candidate_task(arguments: tuple[str, ...]) -> TaskSpec:
    """Create a task that replaces the int8 graph of a voice or BERT with a candidate from the lab.

    The task is quiet: the caller announces the result.
    """
    return CandidateInstallSpec(localize("候補を組み込む", "Install candidate"), arguments, quiet=True)


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
            self.queue.add_task(create_file_task(file.absolute(), line_ids if len(files) == 1 else ()))

    def add_url(self, url: str, line_ids: Sequence[str]) -> None:
        self._add_voice(localize(f"声を追加: {url}", f"Add voice: {url}"), "--url", url, lines=tuple(line_ids))

    def add_from_hub(self, uuid: str, line_ids: Sequence[str]) -> None:
        title = localize(f"AivisHub から声を追加: {uuid[:8]}…", f"Add voice from AivisHub: {uuid[:8]}…")
        self._add_voice(title, "--hub", uuid, lines=tuple(line_ids))

    def add_natural_voice(self, uuid: str, name: str, line_ids: Sequence[str]) -> None:
        """Add a voice from AivisHub with its BERT; the licence is shown while the BERT is downloading."""
        title = localize(f"声を追加: {name}", f"Add voice: {name}")
        self._add_voice(title, "--with-bert", "--hub", uuid, lines=tuple(line_ids), natural_uuid=uuid)

    def add_kokoro_voice(self, line_ids: Sequence[str], *, keeps_other_voices: bool) -> None:
        """Add the natural voice that the program knows itself."""
        self.queue.add_task(create_kokoro_task(line_ids, keeps_other_voices=keeps_other_voices))

    def update_voice(self, voice: CatalogVoice) -> None:
        """Update a voice to its newest version on AivisHub."""
        title = localize(f"声を更新: {voice.name}", f"Update voice: {voice.name}")
        self._add_voice(title, "--update", "--hub", voice.model_card.uuid, is_update=True)

    def prepare_voice_again(self, voice: CatalogVoice) -> None:
        """Prepare an installed voice again with the converter of this version."""
        title = localize(f"声を準備し直す: {voice.name}", f"Prepare again: {voice.name}")
        # After `--` a name that begins with a dash is not taken for an option.
        self.queue.add_task(VoiceAdditionSpec(title, ("voices", "renew", "--", voice.id), is_update=True))

    def prepare_voice(self, voice: CatalogVoice, line_ids: Sequence[str]) -> None:
        """Prepare a voice of AivisSpeech; the original stays in its place."""
        self.queue.add_task(create_file_task(voice.path, line_ids))

    def export_voice(self, voice: CatalogVoice, target: Path, *, may_replace: bool) -> None:
        """Export a voice as a zip; `may_replace` is set if the user agreed to overwrite the file."""
        title = localize(f"声を書き出し: {voice.name}", f"Export voice: {voice.name}")
        arguments = ("voices", "export", voice.id, str(target), *(("--replace",) if may_replace else ()))
        self.queue.add_task(VoiceExportSpec(title, arguments, target=target))

    @Slot()
    def download_bert(self) -> None:
        """Download the BERT that SBV2 voices use."""
        self.queue.add_task(create_bert_download_task())

    def add_bert_file(self, file: Path, bert: str) -> None:
        """Add a BERT from the user's file; `bert` is the id that voices need."""
        bert_id = () if bert == SBV2_BERT_ID else ("--id", bert)
        title = localize(f"BERT を追加: {file.name}", f"Add BERT: {file.name}")
        self.queue.add_task(BertAdditionSpec(title, ("bert", "add", str(file), *bert_id)))

    def measure_backends(self, voice: CatalogVoice) -> None:
        arguments = ("backends", "--probe", "--voice", voice.manifest.id)
        self.queue.add_task(BackendProbeSpec(localize("バックエンドを測定", "Measure backends"), arguments))

    def rename_voice(self, voice: CatalogVoice, name: str) -> None:
        """Rename an installed voice."""
        self.voice_changing.emit(voice.id)
        self._change_voice(localize(f"名前を変更: {name}", f"Rename: {name}"), "rename", "--", voice.id, name)

    def make_default_voice(self, voice: CatalogVoice) -> None:
        """Make a voice the default, which new projects speak with."""
        title = localize(f"既定の声にする: {voice.name}", f"Make default: {voice.name}")
        self._change_voice(title, "use", "--", voice.manifest.id)

    def remove_voice(self, voice: CatalogVoice) -> None:
        """Delete an installed voice from disk."""
        self.voice_changing.emit(voice.id)
        self._change_voice(localize(f"声を削除: {voice.name}", f"Delete voice: {voice.name}"), "remove", voice.id)

    def install_candidate(self, voice_ids: Sequence[str], arguments: tuple[str, ...]) -> ProcessTask:
        """Install a candidate of the lab for a voice, or for the BERT of these voices."""
        # An open voice would keep the old graph in memory; a closed one is reopened from the new file.
        for voice in voice_ids:
            self.voice_changing.emit(voice)
        return self.queue.add_task(create_candidate_task(arguments))

    def _add_voice(self, title: str, *arguments: str, lines: tuple[str, ...] = (), natural_uuid: str = "", is_update: bool = False) -> None:
        spec = VoiceAdditionSpec(title, ("voices", "add", *arguments), lines=lines, natural_uuid=natural_uuid, is_update=is_update)
        self.queue.add_task(spec)

    def _change_voice(self, title: str, *arguments: str) -> None:
        self.queue.add_task(VoiceChangeSpec(title, ("voices", *arguments), quiet=True))

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
        def resume_task() -> None:
            if job.stage is TaskState.ASKING:
                self.queue.queue_again(job)
            elif job.stage is TaskState.RUNNING:
                self._accepted_ahead.add(job)

        def cancel_task() -> None:
            self.queue.remove_task(job)
            self.licence_declined.emit()

        self._licences.ask_for_consent(licence.voice_id, licence.name, licence.text, resume_task, cancel_task)

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
        if isinstance(job.work, VoiceAdditionSpec | RefinementSpec | BertAdditionSpec | CandidateInstallSpec | VoiceChangeSpec):
            self.disk_changed.emit()
        # Of a new voice or BERT this is measured when it is refined.
        if isinstance(job.work, CandidateInstallSpec):
            title = localize("BERT の精度を確認", "Check BERT precision")
            self.queue.add_task(TaskSpec(title, ("bert", "check"), quiet=True))

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
