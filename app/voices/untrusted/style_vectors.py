"""Style vectors, float32 (styles, 256), from `.npy` files and JSON. Nothing is unpickled and no claim of a header is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.core.types import STYLE_WIDTH, Float32
from app.errors import VoiceError
from app.json_text import parse_object, whole
from app.language import localized
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
            localized(
                "声のフォルダーに style_vectors.npy があるか確認してください。", "Check that the voice folder contains style_vectors.npy."
            ),
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
    right = vectors.ndim == 2 and vectors.shape[1] == STYLE_WIDTH and 1 <= len(vectors) <= MOST_STYLES and vectors.dtype.kind == "f"
    if right:
        with np.errstate(over="ignore", invalid="ignore"):  # what float32 cannot hold becomes infinite and is refused below
            values = np.ascontiguousarray(vectors, np.float32)
        if np.isfinite(values).all():
            return values
    raise VoiceError(
        localized(
            f"スタイルのデータの形 {vectors.shape} または値が正しくありません。",
            f"The style vectors have an invalid shape or values: {vectors.shape}.",
        ),
        localized(
            f"形が (スタイル数, {STYLE_WIDTH}) の有限な数が必要です。", f"Finite numbers in the shape (styles, {STYLE_WIDTH}) are required."
        ),
    )
