"""The `.sbv2` container of sbv2-api: a zstd-compressed tar of `model.onnx` and `style_vectors.json`.

Members are read one after the other and never written to disk. Only plain members count; Python's tarfile would take links, sparse
files and extension records of any size into memory before one may look at them.

    tar     blocks of 512 bytes: a header (name at 0, size in octal at 124, checksum at 148, type at 156), then the content, padded
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import zstandard

from app.core.types import Float32
from app.errors import VoiceError
from app.language import localized
from app.voices.untrusted.budget import Budget
from app.voices.untrusted.damage import incomplete
from app.voices.untrusted.limits import (
    LARGEST_JSON_BYTES,
    LARGEST_MEMBER_BYTES,
    LARGEST_TAR_EXTENSION_BYTES,
    LARGEST_WINDOW_BYTES,
    MOST_ENTRIES,
)
from app.voices.untrusted.regular_file import open_regular, size_of
from app.voices.untrusted.style_vectors import vectors_from_json

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
GRAPH, VECTORS = "model.onnx", "style_vectors.json"
BLOCK = 512
PIECE = 1 << 20
PLAIN, EXTENSIONS = b"0\0007", b"xgLK"

Read = Callable[[int], bytes]


def read_sbv2(path: Path, *, with_graph: bool = True) -> tuple[bytes, Float32]:
    """The serialised graph (empty when it is not wanted) and the style vectors; a VoiceError when the archive is damaged or a bomb."""
    limits: dict[str, int] = {VECTORS: LARGEST_JSON_BYTES} | ({GRAPH: LARGEST_MEMBER_BYTES} if with_graph else {})
    found: dict[str, bytes] = {}
    with open_regular(path) as file, _refusing(path.name):
        read = _reader(file, Budget(path.name, size_of(file)))
        for name, size in _members(read):
            if name in found or size > limits.get(name, size):
                raise ValueError("a member occurs twice or is too large")
            kept = io.BytesIO()
            for start in range(0, size, PIECE):
                piece = read(min(PIECE, size - start))
                if name in limits:
                    kept.write(piece)
            if name in limits:
                found[name] = kept.getvalue()
            read(-size % BLOCK)
        for missing in limits.keys() - found.keys():
            raise VoiceError(
                localized(f"「{path.name}」に {missing} が含まれていません。", f"“{path.name}” does not contain {missing}."),
                localized(".sbv2 ファイルをもう一度ダウンロードしてください。", "Download the .sbv2 file again."),
            )
        return found[GRAPH] if with_graph else b"", vectors_from_json(found[VECTORS])


def require_tar(path: Path) -> None:
    """Raises VoiceError unless a zstd file starts with a tar header; reads nothing more."""
    with open_regular(path) as file, _refusing(path.name):
        next(_members(_reader(file, Budget(path.name, size_of(file)))), None)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, zstandard.ZstdError) as exc:
        raise VoiceError(
            localized(f".sbv2 ファイルを読み込めません: {name}", f"This .sbv2 file cannot be read: {name}"),
            incomplete(),
        ) from exc


def _reader(file: BinaryIO, budget: Budget) -> Read:
    """Reads exactly as many unpacked bytes as asked for, and counts them."""
    plain = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW_BYTES).stream_reader(file)

    def read(size: int) -> bytes:
        budget.spend(size)
        content = plain.read(size) if size else b""
        if len(content) != size:
            raise ValueError("cut short")
        return content

    return read


def _members(read: Read) -> Iterator[tuple[str, int]]:
    """Name and size of each plain member, until the archive ends with two empty blocks; the content is read by the caller."""
    for _ in range(MOST_ENTRIES):
        header = read(BLOCK)
        if not any(header):
            return
        if _octal(header[148:156]) != sum(header) - sum(header[148:156]) + 8 * ord(" "):
            raise ValueError("checksum")
        kind, size = header[156:157], _octal(header[124:136])
        if kind in EXTENSIONS and size > LARGEST_TAR_EXTENSION_BYTES:
            raise ValueError("extension too large")
        name = header[:100].split(b"\0")[0].decode("utf-8", "replace")
        yield (name.removeprefix("./") if kind in PLAIN else ""), size
    raise ValueError("too many members")


def _octal(field: bytes) -> int:
    text = field.split(b"\0")[0].strip()
    if not all(byte in b"01234567" for byte in text):
        raise ValueError("no octal number")
    return int(text or b"0", 8)
