"""The kinds of long work there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.language import say
from app.ui.tasks.task import Work
from app.voices.bert import STANDARD_DOWNLOAD_MB

ADD_VOICE, ADD_BERT, CHANGE, EXPORT, PROBE, CHECK = "add_voice", "add_bert", "change", "export", "probe", "check"


def add_file(path: Path, lines: Sequence[str] = ()) -> Work:
    """A voice from a file, folder or zip; `lines` are to speak with it."""
    title = say(f"声を追加: {path.name}", f"Add voice: {path.name}")
    return Work(title, ("voices", "add", str(path)), {"kind": ADD_VOICE, "lines": tuple(lines), "source": path})


def add_url(url: str, lines: Sequence[str] = ()) -> Work:
    """A voice from an address."""
    return Work(say(f"声を追加: {url}", f"Add voice: {url}"), ("voices", "add", "--url", url), {"kind": ADD_VOICE, "lines": tuple(lines)})


def add_from_hub(uuid: str, lines: Sequence[str] = ()) -> Work:
    """A voice from AivisHub."""
    title = say(f"AivisHub から声を追加: {uuid[:8]}…", f"Add voice from AivisHub: {uuid[:8]}…")
    return Work(title, ("voices", "add", "--hub", uuid), {"kind": ADD_VOICE, "lines": tuple(lines)})


def update_from_hub(uuid: str, name: str) -> Work:
    """The newest version of a voice from AivisHub."""
    title = say(f"声を更新: {name}", f"Update voice: {name}")
    return Work(title, ("voices", "add", "--update", "--hub", uuid), {"kind": ADD_VOICE, "lines": (), "update": True})


def download_bert() -> Work:
    """The BERT that SBV2 voices use."""
    title = say(f"BERT を入手（{STANDARD_DOWNLOAD_MB} MB）", f"Get the BERT ({STANDARD_DOWNLOAD_MB} MB)")
    return Work(title, ("bert", "add", "--hub"), {"kind": ADD_BERT})


def add_bert_file(path: Path, bert_id: str = "") -> Work:
    """A BERT from a file or folder; `bert_id` is what voices call it, where that cannot be told from its content."""
    named = ("--id", bert_id) if bert_id else ()
    return Work(say(f"BERT を追加: {path.name}", f"Add BERT: {path.name}"), ("bert", "add", str(path), *named), {"kind": ADD_BERT})


def check_precisions() -> Work:
    """Measures whether voices keep their durations in int8."""
    return Work(say("BERT の精度を確認", "Check the BERT's precision"), ("bert", "check"), {"kind": CHECK}, quiet=True)


def rename_voice(voice: str, name: str) -> Work:
    """Another name for a voice."""
    work = ("voices", "rename", "--", voice, name)
    return Work(say(f"名前を変更: {name}", f"Rename: {name}"), work, {"kind": CHANGE, "voice": voice}, quiet=True)


def remove_voice(voice: str, name: str) -> Work:
    """A voice off the disk."""
    return Work(
        say(f"声を削除: {name}", f"Remove voice: {name}"), ("voices", "remove", voice), {"kind": CHANGE, "voice": voice}, quiet=True
    )


def export_voice(voice: str, name: str, target: Path, *, replacing: bool = False) -> Work:
    """A copy of a voice as a zip, in place of the one there is where the user has said so."""
    work = ("voices", "export", voice, str(target), *(("--replace",) if replacing else ()))
    return Work(say(f"声を書き出し: {name}", f"Export voice: {name}"), work, {"kind": EXPORT, "target": target})


def measure_backends(voice: str) -> Work:
    """What a voice can be computed on here, and how fast."""
    return Work(say("バックエンドを測定", "Measure the backends"), ("backends", "--probe", "--voice", voice), {"kind": PROBE})
