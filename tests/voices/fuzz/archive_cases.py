"""Hostile archives: names that lead outside, damaged directories and headers, sizes that lie, bombs."""

import contextlib
import io
import json
import random
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import zstandard

from tests.voices.fuzz import small_voices
from tests.voices.fuzz.mutations import BLIND, edited_text, encoded

NAMES = (
    "../x.onnx", "/etc/x.onnx", "C:/x.onnx", "C:\\x.onnx", "..\\x.onnx", "a/../../x.onnx", "//host/x.onnx", "x\0.onnx", "con.onnx", "nul",
    "x" * 300 + ".onnx", "a/" * 200 + "x.onnx", "x.onnx/", ".", "..", "", " ", "x. ", "\u202ex.onnx", "~/x.onnx", "config.json", "voice.json",
)  # fmt: skip


def beside(folder: Path, content: bytes, name: str = "model.onnx") -> Path:
    """A file with good sidecars."""
    for sidecar, data in small_voices.folder().items():
        if not sidecar.startswith("model"):
            (folder / sidecar).write_bytes(data)
    (folder / name).write_bytes(content)
    return folder / name


def zip_directory(rng: random.Random, folder: Path) -> Path:
    """A zip with a damaged list of entries, odd names, or sizes that lie."""
    members = {rng.choice(NAMES) if rng.random() < 0.5 else name: data for name, data in small_voices.folder().items()}
    members |= (
        {"inner.zip": small_voices.zipped({"deep.zip": small_voices.zipped({"x.aivmx": small_voices.graph(small_voices.metadata())})})}
        if rng.random() < 0.2
        else {}
    )
    with contextlib.suppress(ValueError):
        content = bytearray(_with_attributes(rng, members))
        start = content.rfind(b"PK\1\2")
        if rng.random() < 0.7 and start >= 0:
            for _ in range(rng.randrange(1, 6)):
                place = rng.randrange(start, len(content))
                content[place] = rng.choice((0, 1, 0xFF, rng.randrange(256)))
        if rng.random() < 0.2:
            content += b"PK\6\7" + struct.pack("<LQL", 0, rng.choice((0, 2**40, len(content))), 1) + content[-22:]
        return beside(folder, bytes(content), rng.choice(("voice.zip", "voice.aivmx")))
    return beside(folder, b"PK\5\6" + bytes(18))


def zip_end(rng: random.Random, folder: Path) -> Path:
    """A zip whose end, where readers look for its directory, tells more than one story; some lead to directories of many megabytes."""
    content = small_voices.zipped({"x.aivmx": small_voices.graph(small_voices.metadata())})
    entries = rng.choice((0, 0, 1, 100, 40_000, 400_000))
    directory = (b"PK\1\2" + bytes(42)) * entries
    own = struct.unpack("<2L", content[-10:-2])  # length and offset of the list that the good zip has
    mark = int.from_bytes(b"PK\5\6", "little")
    places = (own, own, (len(directory), len(content)), (len(directory), mark), (len(content), 0), (2**32 - 1, 2**32 - 1), (46, mark))
    pieces = [content[:-22], directory]
    for _ in range(rng.randrange(1, 4)):
        comment = rng.choice((b"", b"", b"!", b"PK\5\6" + bytes(18)))
        end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries & 0xFFFF, entries & 0xFFFF, *rng.choice(places), len(comment)) + comment
        if rng.random() < 0.4:
            at = sum(map(len, pieces))
            end_64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, *rng.choice(places))
            end = end_64 + struct.pack("<4sLQL", b"PK\6\7", 0, rng.choice((at, at, 0)), 1) + end
        pieces.append(end)
    return beside(folder, b"".join(pieces) + rng.choice((b"", b"", b"", bytes(22), b"x" * 70_000)), "voice.zip")


def _with_attributes(rng: random.Random, members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(
        buffer, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    ) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.compress_type = archive.compression
            info.external_attr = rng.choice((0o100644, 0o100644, 0o120777, 0o010644, 0o020644, 0)) << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def bomb(rng: random.Random, folder: Path) -> Path:
    """Little that grows to much."""
    size_mb = rng.choice((70, 200, 1000))
    if rng.random() < 0.5:
        return beside(folder, _tar_of_zeros(rng.choice(("model.onnx", "x")), size_mb), "voice.sbv2")
    content = _zip_of_zeros(size_mb)
    return beside(folder, content if rng.random() < 0.5 else small_voices.zipped({"inner.zip": content}), "voice.zip")


def _zip_of_zeros(size_mb: int) -> bytes:
    """Written piece by piece: the memory that is watched should be that of the reader."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("model.onnx", "w") as member:
        member.write(b"\x08")
        for _ in range(size_mb):
            member.write(bytes(1 << 20))
    return buffer.getvalue()


def _tar_of_zeros(name: str, size_mb: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size_mb << 20
    packer = zstandard.ZstdCompressor().compressobj()
    pieces = [packer.compress(info.tobuf())]
    pieces += [packer.compress(bytes(1 << 20)) for _ in range(size_mb)]
    return b"".join((*pieces, packer.compress(small_voices.tar()), packer.flush()))


def tar_header(rng: random.Random, folder: Path) -> Path:
    """An `.sbv2` whose tar was damaged before it was compressed; checksums are made right again."""
    content = bytearray(small_voices.tar())
    place = rng.choice((0, 1024))
    for _ in range(rng.randrange(1, 4)):
        content[place + rng.choice((rng.randrange(512), 124 + rng.randrange(12), 156, 345))] = rng.choice(
            (0, 0x30, 0x37, 0x78, 0x4B, 0x53, 0x32, 0x80, 0xFF)
        )
    if rng.random() < 0.8:
        header = content[place : place + 512]
        total = sum(header) - sum(header[148:156]) + 8 * 32
        content[place + 148 : place + 156] = b"%06o\0 " % total
    return beside(folder, zstandard.compress(bytes(content)), "voice.sbv2")


def sbv2_members(rng: random.Random, folder: Path) -> Path:
    """An `.sbv2` with edited style vectors or a damaged graph."""
    values = {"data": [[0.5] * 256], "shape": [1, 256]}
    style = encoded(edited_text(rng, values)) if rng.random() < 0.5 else json.dumps(values).encode()
    graph = rng.choice(BLIND)(rng, small_voices.graph())
    return beside(folder, small_voices.sbv2({"model.onnx": graph, "style_vectors.json": style}), "voice.sbv2")
