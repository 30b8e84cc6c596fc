"""Tensors that an ONNX file keeps in another file. That file must lie beside it: a voice must not read what else is on the disk."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from app.errors import VoiceError
from app.language import localized
from app.voices.untrusted.limits import LARGEST_GRAPH_BYTES
from app.voices.untrusted.onnx_outline import Outline


def external_files(path: Path, outline: Outline) -> list[Path]:
    """The files beside `path` that its tensors lie in, checked.

    Raises:
        VoiceError: one lies elsewhere, is a link, is missing or is too short, or they are too large together.
    """
    sizes: dict[str, int] = {}
    left = LARGEST_GRAPH_BYTES
    for place in outline.external:
        name = place.get("location", "")
        if name not in sizes:
            sizes[name] = _size_beside(path, name)
        taken = _taken(place, sizes[name])
        left -= taken  # tensors may share their bytes: many that are one on the disk are many in memory
        if taken < 0 or left < 0:
            raise _damaged(path, name) if taken < 0 else _too_large(path)
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


def _taken(place: Mapping[str, str], size: int) -> int:
    """Bytes of a tensor in a file of `size` bytes; negative where they do not lie in it."""
    numbers = [place.get(key, "0") for key in ("offset", "length")]
    if not all(re.fullmatch(r"[0-9]{1,18}", text) for text in numbers):
        return -1
    offset, length = map(int, numbers)
    return -1 if offset + length > size else length or size - offset  # without a length it is all that follows


def _outside(name: str, location: str) -> VoiceError:
    return VoiceError(
        localized(
            f"このモデルは別の場所にあるファイルを参照しています: {name}", f"This model refers to a file in another location: {name}"
        ),
        localized(f"参照先: {location[:80]!r}。", f"Referenced file: {location[:80]!r}. ")
        + localized("重みが一つのファイルにまとまった声を選んでください。", "Choose a voice with all weights in one file."),
    )


def _missing(path: Path, location: str) -> VoiceError:
    return VoiceError(
        localized(f"モデルの重みのファイルがありません: {location}", f"The file with the weights of this model is missing: {location}"),
        localized(f"{path.name} と同じフォルダーに置いてください。", f"Put it beside {path.name}."),
    )


def _too_large(path: Path) -> VoiceError:
    return VoiceError(
        localized(f"モデルの重みが大きすぎます: {path.name}", f"The weights of this model are too large: {path.name}"),
        localized("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
    )


def _damaged(path: Path, location: str) -> VoiceError:
    return VoiceError(
        localized(f"モデルの重みのファイルが短すぎます: {location}", f"The file with the weights of this model is too short: {location}"),
        localized(f"{path.name} と一緒にもう一度ダウンロードしてください。", f"Download it again together with {path.name}."),
    )
