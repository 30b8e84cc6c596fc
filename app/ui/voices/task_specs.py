"""The kinds of long work there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.language import localized
from app.ui.tasks.task import TaskSpec
from app.voices.wanted_bert import STANDARD_DOWNLOAD_MB


@dataclass(frozen=True, slots=True)
class VoiceAdditionSpec(TaskSpec):
    """Brings voices in.

    Attributes:
        lines: ids of those that are to speak with the first voice.
        natural: uuid of the voice that the page of natural voices has asked for; such a task also brings the BERT.
        is_update: the voice was here before.
    """

    lines: tuple[str, ...] = ()
    natural: str = ""
    is_update: bool = False


@dataclass(frozen=True, slots=True)
class BertAdditionSpec(TaskSpec):
    """Brings a BERT in."""


@dataclass(frozen=True, slots=True)
class VoiceChangeSpec(TaskSpec):
    """Renames or removes an installed voice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceExportSpec(TaskSpec):
    """Writes a copy of a voice into the file `target`."""

    target: Path


@dataclass(frozen=True, slots=True)
class ProbeSpec(TaskSpec):
    """Measures backends."""


@dataclass(frozen=True, slots=True)
class CandidateSpec(TaskSpec):
    """Installs a candidate of the lab."""


def add_file(path: Path, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from a file, folder or zip; `lines` are to speak with it."""
    title = localized(f"声を追加: {path.name}", f"Add voice: {path.name}")
    return VoiceAdditionSpec(title, ("voices", "add", str(path)), lines=tuple(lines))


def add_url(url: str, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from an address."""
    title = localized(f"声を追加: {url}", f"Add voice: {url}")
    return VoiceAdditionSpec(title, ("voices", "add", "--url", url), lines=tuple(lines))


def add_from_hub(uuid: str, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from AivisHub."""
    title = localized(f"AivisHub から声を追加: {uuid[:8]}…", f"Add voice from AivisHub: {uuid[:8]}…")
    return VoiceAdditionSpec(title, ("voices", "add", "--hub", uuid), lines=tuple(lines))


def add_natural(uuid: str, name: str, lines: Sequence[str]) -> TaskSpec:
    """A voice from AivisHub with the BERT that it requires; `lines` are to speak with it at once."""
    title = localized(f"声を追加: {name}", f"Add voice: {name}")
    return VoiceAdditionSpec(title, ("voices", "add", "--with-bert", "--hub", uuid), lines=tuple(lines), natural=uuid)


def update_from_hub(uuid: str, name: str) -> TaskSpec:
    """The newest version of a voice from AivisHub."""
    title = localized(f"声を更新: {name}", f"Update voice: {name}")
    return VoiceAdditionSpec(title, ("voices", "add", "--update", "--hub", uuid), is_update=True)


def renew_voice(voice: str, name: str) -> TaskSpec:
    """A voice prepared once more, from itself."""
    title = localized(f"声を準備し直す: {name}", f"Prepare again: {name}")
    return VoiceAdditionSpec(title, ("voices", "renew", "--", voice), is_update=True)


def download_bert() -> TaskSpec:
    """The BERT that SBV2 voices use."""
    title = localized(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)")
    return BertAdditionSpec(title, ("bert", "add", "--hub"))


def add_bert_file(path: Path, bert_id: str = "") -> TaskSpec:
    """A BERT from a file or folder; `bert_id` is what voices call it, where its content does not show that."""
    named = ("--id", bert_id) if bert_id else ()
    return BertAdditionSpec(localized(f"BERT を追加: {path.name}", f"Add BERT: {path.name}"), ("bert", "add", str(path), *named))


def check_precisions() -> TaskSpec:
    """Measures whether voices keep their durations in int8."""
    return TaskSpec(localized("BERT の精度を確認", "Check BERT precision"), ("bert", "check"), quiet=True)


def rename_voice(voice: str, name: str) -> TaskSpec:
    """Another name for a voice."""
    work = ("voices", "rename", "--", voice, name)
    return VoiceChangeSpec(localized(f"名前を変更: {name}", f"Rename: {name}"), work, quiet=True)


def remove_voice(voice: str, name: str) -> TaskSpec:
    """A voice off the disk."""
    return VoiceChangeSpec(localized(f"声を削除: {name}", f"Delete voice: {name}"), ("voices", "remove", voice), quiet=True)


def export_voice(voice: str, name: str, target: Path, *, replacing: bool = False) -> TaskSpec:
    """A copy of a voice as a zip, in place of the one there is where the user has said so."""
    work = ("voices", "export", voice, str(target), *(("--replace",) if replacing else ()))
    return VoiceExportSpec(localized(f"声を書き出し: {name}", f"Export voice: {name}"), work, target=target)


def measure_backends(voice: str) -> TaskSpec:
    """What a voice can be computed on here, and how fast."""
    return ProbeSpec(localized("バックエンドを測定", "Measure backends"), ("backends", "--probe", "--voice", voice))


def take_candidate(work: tuple[str, ...]) -> TaskSpec:
    """Replaces the int8 graph of a voice or BERT with a candidate from the lab. Quiet: the caller announces the result."""
    return CandidateSpec(localized("候補を組み込む", "Install candidate"), work, quiet=True)
