"""Style vectors, float32 (styles, 256), from `.npy` files and JSON. Nothing is unpickled and no claim of a header is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.core.types import STYLE_WIDTH, Float32
from app.errors import VoiceError
from app.json_text import parse_object, whole
from app.language import localized
from app.voices.untrusted.damage import incomplete
from app.voices.untrusted.limits import LARGEST_JSON_BYTES, LARGEST_VECTORS_BYTES, MOST_STYLES
from app.voices.untrusted.npy import NPY_MAGIC, array_of
from app.voices.untrusted.regular_file import read_regular

STYLE_VECTORS_NAME = "style_vectors.npy"


def read_style_vectors(path: Path) -> Float32:
    """From a `.npy` or a `.json`, recognised by content; a VoiceError when it holds none."""
    content = read_regular(path, LARGEST_VECTORS_BYTES)
    try:
        return vectors_from_npy(content) if content.startswith(NPY_MAGIC) else vectors_from_json(content)
    except ValueError as exc:
        raise VoiceError(
            localized(f"スタイルのファイルを読み込めません: {path}", f"The style vectors cannot be read: {path}"),
            incomplete(),
        ) from exc


def vectors_from_npy(content: bytes) -> Float32:
    """From the bytes of a whole `.npy`: a ValueError when it is none, a VoiceError when it is one of another kind."""
    return as_style_vectors(array_of(content))


def vectors_from_json(content: bytes) -> Float32:
    """From sbv2-api's `{"data": [[…]], "shape": [styles, 256]}`; errors as for `vectors_from_npy`."""
    if len(content) > LARGEST_JSON_BYTES:
        raise ValueError("too large")
    values = parse_object(content)
    try:
        shape = [whole(size, 1, MOST_STYLES) for size in values["shape"]]
        numbers = np.array([_numbers(row) for row in values["data"]], np.float64)
        return as_style_vectors(numbers.reshape(shape))
    except (KeyError, TypeError, OverflowError) as exc:
        raise ValueError("no style vectors") from exc


def _numbers(row: Any) -> list[float]:
    if not isinstance(row, list) or any(type(value) not in (int, float) for value in row):
        raise ValueError("no numbers")
    return [float(value) for value in row]


def as_style_vectors(vectors: np.ndarray) -> Float32:
    """Checks shape and values of style vectors read from anywhere."""
    if vectors.ndim != 2 or vectors.shape[1] != STYLE_WIDTH or not 1 <= len(vectors) <= MOST_STYLES:
        raise _wrong(localized(f"形が {vectors.shape} です", f"their shape is {vectors.shape}"))
    if vectors.dtype.kind != "f":
        raise _wrong(localized(f"型が {vectors.dtype} です", f"their type is {vectors.dtype}"))
    with np.errstate(over="ignore", invalid="ignore"):  # what float32 cannot hold becomes infinite and is refused below
        values = np.ascontiguousarray(vectors, np.float32)
    if not np.isfinite(values).all():
        raise _wrong(localized("数ではない値（NaN など）が含まれています", "some of their values are not finite, such as NaN"))
    return values


def _wrong(reason: str) -> VoiceError:
    return VoiceError(
        localized(f"スタイルのデータが正しくありません: {reason}。", f"The style vectors are not valid: {reason}."),
        localized(
            f"{STYLE_VECTORS_NAME} には、形が (スタイル数, {STYLE_WIDTH}) の小数が必要です。同じ声のものに置き換えてください。",
            f"{STYLE_VECTORS_NAME} needs floating-point numbers in the shape (styles, {STYLE_WIDTH}). Use that of the same voice.",
        ),
    )
