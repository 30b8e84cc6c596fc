"""Style vectors, float32 (styles, 256), from `.npy` files and JSON. Nothing is unpickled and no claim of a header is believed."""

import re
from math import prod
from pathlib import Path

import numpy as np

from app.common.errors import VoiceError
from app.common.files.untrusted_json import parse_object, require_int
from app.common.language import localize
from app.core.synthesis_types import STYLE_WIDTH, Float32
from app.voices.untrusted.regular_file import describe_incomplete_download, read_regular_file
from app.voices.untrusted.voice_limits import MAX_STYLE_VECTORS_BYTES, MAX_VOICE_JSON_BYTES, MAX_VOICE_STYLES

STYLE_VECTORS_NAME = "style_vectors.npy"

NPY_MAGIC = b"\x93NUMPY"
MAX_NPY_AXES, MAX_NPY_AXIS_LENGTH = 8, 1 << 31
_NPY_HEADER_PATTERNS = {  # numpy writes a Python literal; these three items are all it may hold
    "descr": re.compile(r"'descr':\s*'([<>=|]?(?:f[248]|[iu][1248]|b1))'"),
    "fortran_order": re.compile(r"'fortran_order':\s*(True|False)"),
    "shape": re.compile(r"'shape':\s*\(([\d,\s]{0,99})\)"),
}


def parse_npy_array(content: bytes) -> np.ndarray:
    """Return the numbers or truth values of a whole `.npy`; raise ValueError if the content is anything else."""
    if not content.startswith(NPY_MAGIC) or len(content) < 12:
        raise ValueError("no npy file")
    # The length of the header has 2 bytes in version 1, else 4.
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    header = content[start : start + length].decode("latin-1")
    items = {name: pattern.search(header) for name, pattern in _NPY_HEADER_PATTERNS.items()}
    descr, order, sizes = items["descr"], items["fortran_order"], items["shape"]
    if len(header) != length or not (descr and order and sizes):
        raise ValueError("header of another kind")
    shape = [int(size) for size in sizes[1].split(",") if size.strip()]
    data, dtype = content[start + length :], np.dtype(descr[1])
    if len(shape) > MAX_NPY_AXES or max(shape, default=0) > MAX_NPY_AXIS_LENGTH or prod(shape) * dtype.itemsize != len(data):
        raise ValueError("shape and size disagree")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if order[1] == "True" else "C")


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
        rows = values["data"]
        if any(not isinstance(row, list) or any(type(value) not in (int, float) for value in row) for row in rows):
            raise ValueError("no numbers")
        numbers = np.array([[float(value) for value in row] for row in rows], np.float64)
        return check_style_vectors(numbers.reshape(shape))
    except (KeyError, TypeError, OverflowError) as exc:
        raise ValueError("no style vectors") from exc


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
