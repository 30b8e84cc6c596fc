"""Reads the safetensors format: a JSON header that names tensors, then their bytes. Nothing in such a file can run.

    8 bytes     length of the header, little-endian
    header      {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …, "__metadata__": {"key": "text"}}
    the rest    the tensors, back to back; offsets count from here

A file comes from anywhere, so every number in the header is checked against the size of the file before it is used.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.common.errors import VoiceError
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.untrusted.regular_file import describe_incomplete_download, measure_file, open_regular_file
from app.voices.untrusted.voice_limits import MAX_SAFETENSORS_HEADER_BYTES, MAX_TENSOR_AXES

METADATA_KEY = "__metadata__"
DTYPE_BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64"), 8),
}
FLOAT_DTYPES = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}


@dataclass(frozen=True, slots=True)
class _TensorEntry:
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


class SafetensorsFile(Mapping[str, Float32]):
    """The floating-point tensors of a safetensors file by name, always as float32; the file is mapped, not read as a whole. An `.aivm` keeps its manifest, settings and style vectors in `metadata`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with open_regular_file(path) as file:
                size = measure_file(file)
                length = int.from_bytes(file.read(8), "little")
                if size < 8 or length > min(MAX_SAFETENSORS_HEADER_BYTES, size - 8):
                    raise ValueError("header longer than the file")
                self.metadata, self._entries = _parse_header(parse_object(file.read(length)), size - 8 - length)
                self._data = np.memmap(file, np.uint8, "r", offset=8 + length) if size > 8 + length else np.zeros(0, np.uint8)
        except (OSError, ValueError, TypeError, KeyError) as exc:
            raise VoiceError(
                localize(f"safetensors ファイルを読み込めません: {path.name}", f"This safetensors file cannot be read: {path.name}"),
                describe_incomplete_download(),
            ) from exc

    def __getitem__(self, name: str) -> Float32:
        """Return the tensor as float32; raise KeyError if there is none, VoiceError if it holds no floats."""
        entry = self._entries[name]
        if entry.dtype not in FLOAT_DTYPES:
            raise VoiceError(
                localize(
                    f"この声の重みの型 {entry.dtype} には対応していません: {self._path.name}",
                    f"A tensor of this voice has the unsupported type {entry.dtype}: {self._path.name}",
                ),
                localize(f"テンソル名: {name}", f"Tensor: {name}."),
            )
        raw = self._data[entry.start : entry.end].view(FLOAT_DTYPES[entry.dtype]).reshape(entry.shape)
        if entry.dtype == "BF16":  # the upper half of a float32
            return (raw.astype(np.uint32) << 16).view(np.float32)
        # Numbers too large for float32 become infinite, which the check of weights refuses.
        with np.errstate(over="ignore"):
            return np.asarray(raw, np.float32)

    def find_shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, read from the header alone."""
        return self._entries[name].shape

    def find_dtype(self, name: str) -> str:
        """Return the type of a tensor as the file calls it, such as F16."""
        return self._entries[name].dtype

    def measure_tensor(self, name: str) -> int:
        """Return the size of a tensor in bytes."""
        return self._entries[name].end - self._entries[name].start

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of the file."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return the number of tensors, those without floats included."""
        return len(self._entries)


def _parse_header(header: dict[str, Any], data_size: int) -> tuple[dict[str, str], dict[str, _TensorEntry]]:
    metadata = header.pop(METADATA_KEY, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise TypeError("metadata are texts")
    entries = {name: _parse_entry(value, data_size) for name, value in header.items()}
    # The tensors fill the data back to back: no overlap, no gap to hide something in, nothing past the end.
    position = 0
    for entry in sorted(entries.values(), key=lambda item: (item.start, item.end)):
        if entry.start != position:
            raise ValueError("tensors overlap or leave a gap")
        position = entry.end
    if position != data_size:
        raise ValueError("tensors and file differ in size")
    return metadata, entries


def _parse_entry(value: dict[str, Any], data_size: int) -> _TensorEntry:
    shape, (start, end) = value["shape"], value["data_offsets"]
    if any(type(number) is not int or not 0 <= number <= data_size for number in (*shape, start, end)) or len(shape) > MAX_TENSOR_AXES:
        raise ValueError("sizes are whole numbers that fit the file")
    if end - start != math.prod(shape) * DTYPE_BYTES[value["dtype"]]:
        raise ValueError("shape and offsets disagree")
    return _TensorEntry(value["dtype"], tuple(shape), start, end)
