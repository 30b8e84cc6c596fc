"""Style vectors, float32 (styles, 256), from `.npy` files and JSON. Nothing is unpickled and no claim of a header is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.common.errors import VoiceError
from app.common.files.untrusted_json import parse_object, require_int
from app.common.language import localize
from app.core.synthesis_types import STYLE_WIDTH, Float32
from app.voices.untrusted.damage_hint import describe_incomplete_download
from app.voices.untrusted.npy_reader import NPY_MAGIC, parse_npy_array
from app.voices.untrusted.regular_file import read_regular_file
from app.voices.untrusted.voice_limits import MAX_STYLE_VECTORS_BYTES, MAX_VOICE_JSON_BYTES, MAX_VOICE_STYLES

STYLE_VECTORS_NAME = "style_vectors.npy"


def read_style_vectors(path: Path) -> Float32:
    """From a `.npy` or a `.json`, recognised by content; a VoiceError when it holds none."""
    content = read_regular_file(path, MAX_STYLE_VECTORS_BYTES)
    try:
        return parse_npy_vectors(content) if content.startswith(NPY_MAGIC) else parse_json_vectors(content)
    except ValueError as exc:
        raise VoiceError(
            localize(f"スタイルのファイルを読み込めません: {path}", f"The style vectors cannot be read: {path}"),
            describe_incomplete_download(),
        ) from exc


def parse_npy_vectors(content: bytes) -> Float32:
    """From the bytes of a whole `.npy`: a ValueError when it is none, a VoiceError when it is one of another kind."""
    return check_style_vectors(parse_npy_array(content))


def parse_json_vectors(content: bytes) -> Float32:
    """From sbv2-api's `{"data": [[…]], "shape": [styles, 256]}`; errors as for `parse_npy_vectors`."""
    if len(content) > MAX_VOICE_JSON_BYTES:
        raise ValueError("too large")
    values = parse_object(content)
    try:
        shape = [require_int(size, 1, MAX_VOICE_STYLES) for size in values["shape"]]
        numbers = np.array([_parse_row(row) for row in values["data"]], np.float64)
        return check_style_vectors(numbers.reshape(shape))
    except (KeyError, TypeError, OverflowError) as exc:
        raise ValueError("no style vectors") from exc


def _parse_row(row: Any) -> list[float]:
    if not isinstance(row, list) or any(type(value) not in (int, float) for value in row):
        raise ValueError("no numbers")
    return [float(value) for value in row]


def check_style_vectors(vectors: np.ndarray) -> Float32:
    """Return style vectors from an untrusted source as float32; raise VoiceError if their shape or values are wrong."""
    if vectors.ndim != 2 or vectors.shape[1] != STYLE_WIDTH or not 1 <= len(vectors) <= MAX_VOICE_STYLES:
        raise _build_vectors_error(localize(f"形が {vectors.shape} です", f"their shape is {vectors.shape}"))
    if vectors.dtype.kind != "f":
        raise _build_vectors_error(localize(f"型が {vectors.dtype} です", f"their type is {vectors.dtype}"))
    # Numbers too large for float32 become infinite and are refused below.
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.ascontiguousarray(vectors, np.float32)
    if not np.isfinite(values).all():
        raise _build_vectors_error(localize("数ではない値（NaN など）が含まれています", "some of their values are not finite, such as NaN"))
    return values


def _build_vectors_error(reason: str) -> VoiceError:
    return VoiceError(
        localize(f"スタイルのデータが正しくありません: {reason}。", f"The style vectors are not valid: {reason}."),
        localize(
            f"{STYLE_VECTORS_NAME} には、形が (スタイル数, {STYLE_WIDTH}) の小数が必要です。同じ声のものに置き換えてください。",
            f"{STYLE_VECTORS_NAME} needs floating-point numbers in the shape (styles, {STYLE_WIDTH}). Use that of the same voice.",
        ),
    )
