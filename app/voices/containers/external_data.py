"""Tensors that an ONNX file keeps in another file. That file must lie beside it: a voice must not read what else is on the disk."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.untrusted.onnx_outline import OnnxOutline
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES


def list_external_files(path: Path, outline: OnnxOutline) -> list[Path]:
    """Return the files beside `path` that hold its tensors, checked.

    Raises:
        VoiceError: one lies elsewhere, is a link, is missing or is too short, or they are too large together.
    """
    sizes: dict[str, int] = {}
    left = MAX_GRAPH_BYTES
    for place in outline.external:
        name = place.get("location", "")
        if name not in sizes:
            sizes[name] = _measure_external_file(path, name)
        taken = _measure_tensor_bytes(place, sizes[name])
        # Tensors may share their bytes: many that are one on the disk are many in memory.
        left -= taken
        if taken < 0 or left < 0:
            raise _build_damaged_data_error(path, name) if taken < 0 else _build_too_large_error(path)
    return [path.parent / name for name in sizes]


def refuse_external_data(outline: OnnxOutline, name: str) -> None:
    """Raise VoiceError if a graph in an archive needs another file."""
    if outline.external:
        raise _build_outside_folder_error(name, outline.external[0].get("location", ""))


def _measure_external_file(path: Path, name: str) -> int:
    if not re.fullmatch(r"[^/\\:\0]{1,200}", name) or name in (".", ".."):
        raise _build_outside_folder_error(path.name, name)
    try:
        found = (path.parent / name).lstat()
    except (OSError, ValueError) as exc:
        raise _build_missing_data_error(path, name) from exc
    if not stat.S_ISREG(found.st_mode):  # a link may lead anywhere
        raise _build_outside_folder_error(path.name, name)
    return found.st_size


def _measure_tensor_bytes(data_location: Mapping[str, str], size: int) -> int:
    """Return the bytes of a tensor in a file of `size` bytes; a negative number if the tensor does not lie in the file."""
    numbers = [data_location.get(key, "0") for key in ("offset", "length")]
    if not all(re.fullmatch(r"[0-9]{1,18}", text) for text in numbers):
        return -1
    offset, length = map(int, numbers)
    return -1 if offset + length > size else length or size - offset  # without a length it is all that follows


def _build_outside_folder_error(name: str, location: str) -> VoiceError:
    return VoiceError(
        localize(f"このモデルは別の場所にあるファイルを参照しています: {name}", f"This model refers to a file in another location: {name}"),
        localize(f"参照先: {location[:80]!r}。", f"Referenced file: {location[:80]!r}. ")
        + localize("重みが一つのファイルにまとまった声を選んでください。", "Choose a voice with all weights in one file."),
    )


def _build_missing_data_error(path: Path, location: str) -> VoiceError:
    return VoiceError(
        localize(f"モデルの重みのファイルがありません: {location}", f"The file with the weights of this model is missing: {location}"),
        localize(f"{path.name} と同じフォルダーに置いてください。", f"Put it beside {path.name}."),
    )


def _build_too_large_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"モデルの重みが大きすぎます: {path.name}", f"The weights of this model are too large: {path.name}"),
        localize("ONNX モデルのサイズは 2 GB までです。", "An ONNX model can be up to 2 GB."),
    )


def _build_damaged_data_error(path: Path, location: str) -> VoiceError:
    return VoiceError(
        localize(f"モデルの重みのファイルが短すぎます: {location}", f"The file with the weights of this model is too short: {location}"),
        localize(f"{path.name} と一緒にもう一度ダウンロードしてください。", f"Download it again together with {path.name}."),
    )
