"""The `.sbv2` container of sbv2-api: a zstd-compressed tar of `model.onnx` and `style_vectors.json`.

Members are read one after the other and never written to disk. Only plain members count; Python's tarfile would take links, sparse
files and extension records of any size into memory before one may look at them.

    tar     blocks of 512 bytes: a header (name at 0, size in octal at 124, checksum at 148, type at 156), then the content, padded
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import zstandard

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.untrusted import voice_limits
from app.voices.untrusted.regular_file import describe_incomplete_download, measure_file, open_regular_file
from app.voices.untrusted.style_vectors import parse_json_vectors

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
GRAPH_MEMBER, VECTORS_MEMBER = "model.onnx", "style_vectors.json"
TAR_BLOCK_BYTES = 512
SKIP_CHUNK_BYTES = 1 << 20
PLAIN_MEMBER_TYPES, EXTENSION_MEMBER_TYPES = b"0\0007", b"xgLK"

ByteReader = Callable[[int], bytes]


def read_sbv2_archive(path: Path, *, with_graph: bool = True) -> tuple[bytes, Float32]:
    """Return the serialised graph (empty if not wanted) and the style vectors; raise VoiceError if the archive is damaged or a bomb."""
    limits: dict[str, int] = {VECTORS_MEMBER: voice_limits.MAX_VOICE_JSON_BYTES} | (
        {GRAPH_MEMBER: voice_limits.MAX_ARCHIVE_MEMBER_BYTES} if with_graph else {}
    )
    found: dict[str, bytes] = {}
    with open_regular_file(path) as file, _raise_damaged_archive_errors(path.name):
        read = _create_counting_reader(file, voice_limits.UnpackBudget(path.name, measure_file(file)))
        for name, size in _iterate_members(read):
            if name in found or size > limits.get(name, size):
                raise ValueError("a member occurs twice or is too large")
            kept = io.BytesIO()
            for start in range(0, size, SKIP_CHUNK_BYTES):
                piece = read(min(SKIP_CHUNK_BYTES, size - start))
                if name in limits:
                    kept.write(piece)
            if name in limits:
                found[name] = kept.getvalue()
            read(-size % TAR_BLOCK_BYTES)
        for missing in limits.keys() - found.keys():
            raise VoiceError(
                localize(f"「{path.name}」に {missing} が含まれていません。", f"“{path.name}” does not contain {missing}."),
                localize(".sbv2 ファイルをもう一度ダウンロードしてください。", "Download the .sbv2 file again."),
            )
        return found[GRAPH_MEMBER] if with_graph else b"", parse_json_vectors(found[VECTORS_MEMBER])


def require_tar(path: Path) -> None:
    """Raise VoiceError unless a zstd file starts with a tar header; read nothing more."""
    with open_regular_file(path) as file, _raise_damaged_archive_errors(path.name):
        next(_iterate_members(_create_counting_reader(file, voice_limits.UnpackBudget(path.name, measure_file(file)))), None)


@contextmanager
def _raise_damaged_archive_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, zstandard.ZstdError) as exc:
        raise VoiceError(
            localize(f".sbv2 ファイルを読み込めません: {name}", f"This .sbv2 file cannot be read: {name}"),
            describe_incomplete_download(),
        ) from exc


def _create_counting_reader(file: BinaryIO, budget: voice_limits.UnpackBudget) -> ByteReader:
    """Return a reader of exactly as many unpacked bytes as requested, which counts them."""
    plain = zstandard.ZstdDecompressor(max_window_size=voice_limits.MAX_ZSTD_WINDOW_BYTES).stream_reader(file)

    def read_exactly(size: int) -> bytes:
        budget.consume_bytes(size)
        content = plain.read(size) if size else b""
        if len(content) != size:
            raise ValueError("cut short")
        return content

    return read_exactly


def _iterate_members(read: ByteReader) -> Iterator[tuple[str, int]]:
    """Yield name and size of each plain member, until the archive ends with two empty blocks; the content is read by the caller."""
    for _ in range(voice_limits.MAX_ZIP_ENTRIES):
        header = read(TAR_BLOCK_BYTES)
        if not any(header):
            return
        if _parse_octal(header[148:156]) != sum(header) - sum(header[148:156]) + 8 * ord(" "):
            raise ValueError("checksum")
        kind, size = header[156:157], _parse_octal(header[124:136])
        if kind in EXTENSION_MEMBER_TYPES and size > voice_limits.MAX_TAR_EXTENSION_BYTES:
            raise ValueError("extension too large")
        name = header[:100].split(b"\0")[0].decode("utf-8", "replace")
        yield (name.removeprefix("./") if kind in PLAIN_MEMBER_TYPES else ""), size
    raise ValueError("too many members")


def _parse_octal(field: bytes) -> int:
    text = field.split(b"\0")[0].strip()
    if not all(byte in b"01234567" for byte in text):
        raise ValueError("no octal number")
    return int(text or b"0", 8)
