"""The kinds of long work there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.language import localized
from app.ui.tasks.task import TaskSpec
from app.voices.wanted_bert import STANDARD_DOWNLOAD_MB

ADD_VOICE, ADD_BERT, CHANGE, EXPORT, PROBE, CHECK, TAKE = "add_voice", "add_bert", "change", "export", "probe", "check", "take"


def add_file(path: Path, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from a file, folder or zip; `lines` are to speak with it."""
    title = localized(f"声を追加: {path.name}", f"Add voice: {path.name}")
    return TaskSpec(title, ("voices", "add", str(path)), {"kind": ADD_VOICE, "lines": tuple(lines), "source": path})


def add_url(url: str, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from an address."""
    return TaskSpec(
        localized(f"声を追加: {url}", f"Add voice: {url}"), ("voices", "add", "--url", url), {"kind": ADD_VOICE, "lines": tuple(lines)}
    )


def add_from_hub(uuid: str, lines: Sequence[str] = ()) -> TaskSpec:
    """A voice from AivisHub."""
    title = localized(f"AivisHub から声を追加: {uuid[:8]}…", f"Add voice from AivisHub: {uuid[:8]}…")
    return TaskSpec(title, ("voices", "add", "--hub", uuid), {"kind": ADD_VOICE, "lines": tuple(lines)})


def add_natural(uuid: str, name: str, lines: Sequence[str]) -> TaskSpec:
    """A voice from AivisHub with the BERT that it requires; `lines` are to speak with it at once."""
    note = {"kind": ADD_VOICE, "lines": tuple(lines), "natural": uuid}
    return TaskSpec(localized(f"声を追加: {name}", f"Add voice: {name}"), ("voices", "add", "--with-bert", "--hub", uuid), note)


def update_from_hub(uuid: str, name: str) -> TaskSpec:
    """The newest version of a voice from AivisHub."""
    title = localized(f"声を更新: {name}", f"Update voice: {name}")
    return TaskSpec(title, ("voices", "add", "--update", "--hub", uuid), {"kind": ADD_VOICE, "lines": (), "update": True})


def renew_voice(voice: str, name: str) -> TaskSpec:
    """A voice prepared once more, from itself."""
    title = localized(f"声を準備し直す: {name}", f"Prepare again: {name}")
    return TaskSpec(title, ("voices", "renew", "--", voice), {"kind": ADD_VOICE, "lines": (), "update": True})


def download_bert() -> TaskSpec:
    """The BERT that SBV2 voices use."""
    title = localized(f"BERT をダウンロード（{STANDARD_DOWNLOAD_MB} MB）", f"Download BERT ({STANDARD_DOWNLOAD_MB} MB)")
    return TaskSpec(title, ("bert", "add", "--hub"), {"kind": ADD_BERT})


def add_bert_file(path: Path, bert_id: str = "") -> TaskSpec:
    """A BERT from a file or folder; `bert_id` is what voices call it, where its content does not show that."""
    named = ("--id", bert_id) if bert_id else ()
    return TaskSpec(
        localized(f"BERT を追加: {path.name}", f"Add BERT: {path.name}"), ("bert", "add", str(path), *named), {"kind": ADD_BERT}
    )


def check_precisions() -> TaskSpec:
    """Measures whether voices keep their durations in int8."""
    return TaskSpec(localized("BERT の精度を確認", "Check BERT precision"), ("bert", "check"), {"kind": CHECK}, quiet=True)


def rename_voice(voice: str, name: str) -> TaskSpec:
    """Another name for a voice."""
    work = ("voices", "rename", "--", voice, name)
    return TaskSpec(localized(f"名前を変更: {name}", f"Rename: {name}"), work, {"kind": CHANGE, "voice": voice}, quiet=True)


def remove_voice(voice: str, name: str) -> TaskSpec:
    """A voice off the disk."""
    return TaskSpec(
        localized(f"声を削除: {name}", f"Delete voice: {name}"), ("voices", "remove", voice), {"kind": CHANGE, "voice": voice}, quiet=True
    )


def export_voice(voice: str, name: str, target: Path, *, replacing: bool = False) -> TaskSpec:
    """A copy of a voice as a zip, in place of the one there is where the user has said so."""
    work = ("voices", "export", voice, str(target), *(("--replace",) if replacing else ()))
    return TaskSpec(localized(f"声を書き出し: {name}", f"Export voice: {name}"), work, {"kind": EXPORT, "target": target})


def measure_backends(voice: str) -> TaskSpec:
    """What a voice can be computed on here, and how fast."""
    return TaskSpec(localized("バックエンドを測定", "Measure backends"), ("backends", "--probe", "--voice", voice), {"kind": PROBE})


def take_candidate(work: tuple[str, ...]) -> TaskSpec:
    """Replaces the int8 graph of a voice or BERT with a candidate from the lab. Quiet: the caller announces the result."""
    return TaskSpec(localized("候補を組み込む", "Install candidate"), work, {"kind": TAKE}, quiet=True)
