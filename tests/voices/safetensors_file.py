"""Writes safetensors files, good and bad ones, for tests of what reads them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

DTYPES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8", "bool": "BOOL"}


def header_of(tensors: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The header for tensors that lie back to back."""
    header: dict[str, Any] = {}
    position = 0
    for name, values in tensors.items():
        end = position + values.nbytes
        header[name] = {"dtype": DTYPES[str(values.dtype)], "shape": list(values.shape), "data_offsets": [position, end]}
        position = end
    return header


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray], metadata: dict[str, str] | None = None) -> Path:
    """A good file."""
    header = header_of(tensors) | ({"__metadata__": metadata} if metadata else {})
    return write_raw(path, json.dumps(header).encode(), b"".join(values.tobytes() for values in tensors.values()))


def write_raw(path: Path, header: bytes, data: bytes, length: int | None = None) -> Path:
    """A file with any header, and any length before it."""
    path.write_bytes((len(header) if length is None else length).to_bytes(8, "little") + header + data)
    return path
