"""Style vectors, float32 (styles, 256), from `.npy` files and JSON. Nothing is unpickled and no claim of a header is believed."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from app.core.types import STYLE_WIDTH, Float32
from app.errors import VoiceError
from app.language import say
from app.voices.json_text import parse_object, whole
from app.voices.limits import LARGEST_JSON_BYTES, LARGEST_VECTORS_BYTES, MOST_STYLES
from app.voices.regular_file import read_regular

STYLE_VECTORS_NAME = "style_vectors.npy"
NPY_MAGIC = b"\x93NUMPY"
HEADER = {  # numpy writes a Python literal; these three items are all it may hold
    "descr": re.compile(r"'descr':\s*'([<>=|]?f[248])'"),
    "fortran_order": re.compile(r"'fortran_order':\s*(True|False)"),
    "shape": re.compile(r"'shape':\s*\(([\d,\s]{0,99})\)"),
}


def read_style_vectors(path: Path) -> Float32:
    """From a `.npy` or a `.json`, told by content; a VoiceError when it holds none."""
    content = read_regular(path, LARGEST_VECTORS_BYTES)
    try:
        return vectors_from_npy(content) if content.startswith(NPY_MAGIC) else vectors_from_json(content)
    except ValueError as exc:
        raise VoiceError(
            say(f"スタイルのファイルを読めません: {path}", f"The style vectors cannot be read: {path}"),
            say("声のフォルダーに style_vectors.npy があるか確かめてください。", "Check that the voice's folder holds style_vectors.npy."),
        ) from exc


def vectors_from_npy(content: bytes) -> Float32:
    """From the bytes of a whole `.npy`: a ValueError when it is none, a VoiceError when it is one of another kind."""
    if not content.startswith(NPY_MAGIC) or len(content) < 12:
        raise ValueError("no npy file")
    start = 10 if content[6] == 1 else 12  # the length of the header has 2 bytes in version 1, else 4
    length = int.from_bytes(content[8:start], "little")
    header = content[start : start + length].decode("latin-1")
    items = {name: pattern.search(header) for name, pattern in HEADER.items()}
    descr, order, sizes = items["descr"], items["fortran_order"], items["shape"]
    if len(header) != length or not (descr and order and sizes):
        raise ValueError("header of another kind")
    shape = [int(size) for size in sizes[1].split(",") if size.strip()]
    data, dtype = content[start + length :], np.dtype(descr[1])
    if max(shape, default=0) > len(data) or prod(shape) * dtype.itemsize != len(data):
        raise ValueError("shape and size disagree")
    return as_style_vectors(np.frombuffer(data, dtype).reshape(shape, order="F" if order[1] == "True" else "C"))


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
        say(
            f"スタイルのデータの形 {vectors.shape} か値が正しくありません。",
            f"The style vectors have a wrong shape or values: {vectors.shape}.",
        ),
        say(f"(スタイル数, {STYLE_WIDTH}) の有限な数が必要です。", f"Finite numbers in the shape (styles, {STYLE_WIDTH}) are needed."),
    )
