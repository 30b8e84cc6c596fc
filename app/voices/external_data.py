"""Tensors that an ONNX file keeps in another file. That file must lie beside it: a voice must not read what else is on the disk."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from app.errors import VoiceError
from app.language import say
from app.voices.onnx_outline import Outline


def external_files(path: Path, outline: Outline) -> list[Path]:
    """The files beside `path` that its tensors lie in, checked.

    Raises:
        VoiceError: one lies elsewhere, is a link, is missing or is too short.
    """
    sizes: dict[str, int] = {}
    for place in outline.external:
        name = place.get("location", "")
        if name not in sizes:
            sizes[name] = _size_beside(path, name)
        if not _fits(place, sizes[name]):
            raise _damaged(path, name)
    return [path.parent / name for name in sizes]


def refuse_external(outline: Outline, name: str) -> None:
    """Raises VoiceError when a graph that lies in an archive wants another file."""
    if outline.external:
        raise _outside(name, outline.external[0].get("location", ""))


def _size_beside(path: Path, name: str) -> int:
    if not re.fullmatch(r"[^/\\:\0]{1,200}", name) or name in (".", ".."):
        raise _outside(path.name, name)
    try:
        found = (path.parent / name).lstat()
    except (OSError, ValueError) as exc:
        raise _missing(path, name) from exc
    if not stat.S_ISREG(found.st_mode):  # a link may lead anywhere
        raise _outside(path.name, name)
    return found.st_size


def _fits(place: Mapping[str, str], size: int) -> bool:
    numbers = [place.get(key, "0") for key in ("offset", "length")]
    return all(re.fullmatch(r"[0-9]{1,18}", text) for text in numbers) and sum(map(int, numbers)) <= size


def _outside(name: str, location: str) -> VoiceError:
    return VoiceError(
        say(f"このモデルは別の場所のファイルを読もうとします: {name}", f"This model wants to read a file in another place: {name}"),
        say(f"参照先: {location[:80]!r}。", f"It names {location[:80]!r}. ")
        + say("重みが一つのファイルに入った声を選んでください。", "Choose a voice that keeps its weights in one file."),
    )


def _missing(path: Path, location: str) -> VoiceError:
    return VoiceError(
        say(f"モデルの重みのファイルがありません: {location}", f"The file with this model's weights is missing: {location}"),
        say(f"{path.name} と同じフォルダーに置いてください。", f"Put it beside {path.name}."),
    )


def _damaged(path: Path, location: str) -> VoiceError:
    return VoiceError(
        say(f"モデルの重みのファイルが短すぎます: {location}", f"The file with this model's weights is too short: {location}"),
        say(f"{path.name} と一緒にもう一度入手してください。", f"Get it again together with {path.name}."),
    )
