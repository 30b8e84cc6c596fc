"""Zips in which every field may lie, for readers that believe one of two places that should say the same."""

import random
import struct
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.voices.fuzz import small_voices
from tests.voices.fuzz.archive_cases import NAMES, beside

END = b"PK\5\6"
SIZES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 1000)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as both of its headers tell it; what is None is told truly."""

    name: bytes
    data: bytes
    method: int = 8
    flags: int = 0x800
    local_name: bytes | None = None
    size: int | None = None
    packed_size: int | None = None
    crc: int | None = None
    offset: int | None = None
    attributes: int = 0o100644 << 16
    extra: bytes = b""


def pack(entries: list[Entry], before: bytes = b"", comment: bytes = b"", end: bytes | None = None) -> bytes:
    """The zip; `end` replaces its last record."""
    body, directory = bytearray(before), bytearray()
    for entry in entries:
        packed = _deflated(entry.data) if entry.method == 8 else entry.data
        sizes = (
            zlib.crc32(entry.data) if entry.crc is None else entry.crc,
            len(packed) if entry.packed_size is None else entry.packed_size,
            len(entry.data) if entry.size is None else entry.size,
        )
        offset = len(body) if entry.offset is None else entry.offset
        local = entry.name if entry.local_name is None else entry.local_name
        shared = (20, entry.flags, entry.method, 0, 33, *sizes)
        body += struct.pack("<4s5H3L2H", b"PK\3\4", *shared, len(local), len(entry.extra)) + local + entry.extra + packed
        directory += struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 20, *shared, len(entry.name), len(entry.extra), 0, 0, 0, entry.attributes, offset
        )
        directory += entry.name + entry.extra
    last = struct.pack("<4s4H2LH", END, 0, 0, len(entries) & 0xFFFF, len(entries) & 0xFFFF, len(directory), len(body), len(comment))
    return bytes(body + directory + (last + comment if end is None else end))


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _voice() -> list[Entry]:
    return [Entry(f"voice/{name}".encode(), data) for name, data in small_voices.folder().items() if name != "model_e1.safetensors"]


def lying_entries(draw: random.Random, folder: Path) -> Path:
    """Headers that contradict each other or what follows them."""
    entries = _voice()
    for _ in range(draw.choice((1, 1, 2, 5))):
        place = draw.randrange(len(entries))
        name = draw.choice(NAMES).encode()
        change = draw.choice(
            (
                {"local_name": name}, {"name": name}, {"size": draw.choice(SIZES)}, {"packed_size": draw.choice(SIZES)}, {"crc": 0},
                {"method": draw.choice((0, 1, 9, 12, 14, 93, 99))},
                {"flags": draw.choice((0, 1, 8, 0x41, 0x2000, 0xFFFF))}, {"offset": draw.choice((0, 2**32 - 1, 77))},
                {"attributes": draw.choice((0o120777, 0o010644, 0o040755)) << 16},
                {"name": entries[0].name}, {"name": entries[place].name.upper()}, {"name": b"voice"},
                {"name": b"\xff\xfe\x80.onnx", "flags": 0}, {"extra": struct.pack("<2H2Q", 1, 16, 2**62, 2**62)},
                {"extra": struct.pack("<2HBL", 0x7075, 14, 1, zlib.crc32(entries[place].name)) + b"../x.onnx"},
                {"extra": b"\1\0\xff\xff"}, {"data": bytes(20 << 20)},
            )
        )  # fmt: skip
        entries[place] = replace(entries[place], **change)
    before = draw.choice((b"", b"", b"MZ" + bytes(1000), b"\x89PNG\r\n\x1a\n", END + bytes(18)))
    comment = draw.choice((b"", b"", END + bytes(18), END * 5000, b"PK\6\6" * 100, b"\x1b[31m"))
    return beside(folder, pack(entries, before, comment), draw.choice(("voice.zip", "voice.aivmx", "声.sbv2")))


def shared_data(draw: random.Random, folder: Path) -> Path:
    """Thousands of names for one piece of data."""
    data = bytes(draw.choice((1, 8)) << 20)
    told: dict[str, Any] = {"size": len(data), "packed_size": len(_deflated(data)), "crc": zlib.crc32(data), "offset": 0}
    names = [Entry(b"x%d.onnx" % number, b"", **told) for number in range(draw.choice((10, 300, 3000)))]
    return beside(folder, pack([Entry(b"zeros.onnx", data), *names]), "voice.zip")


def many_entries(draw: random.Random, folder: Path) -> Path:
    """More files than anybody wants to see."""
    count = draw.choice((1000, 19_999, 20_001, 65_535))
    return beside(folder, pack([Entry(b"a/" * (number % 40) + b"%d.onnx" % number, b"", 0) for number in range(count)]), "voice.zip")


def deep_folders(draw: random.Random, folder: Path) -> Path:
    """Zips in zips, and folders in folders."""
    content = pack(_voice())
    for depth in range(draw.choice((1, 2, 3, 30))):
        content = pack([Entry(b"d/" * draw.choice((1, 5, 100)) + b"%d.zip" % depth, content, draw.choice((0, 8)))])
    return beside(folder, content, "voice.zip")


def two_ends(draw: random.Random, folder: Path) -> Path:
    """An end record whose last field is the mark of another one, behind a long list of entries: which one counts? The rest is a hole."""
    offset = int.from_bytes(END, "little")  # where the list begins
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0) + b"x.onnx"
    count = draw.choice((10, 200_000, 1_000_000, 4_000_000))
    path = folder / "voice.zip"
    with path.open("wb") as file:
        file.write(b"PK\3\4" + bytes(100))
        file.seek(offset)
        for _ in range(0, count, 1000):
            file.write(entry * min(count, 1000))
        length = file.tell() - offset
        file.write(struct.pack("<4s4H2LH", END, 0, 0, count & 0xFFFF, count & 0xFFFF, length, offset, 0))
    return path


def fat_json(draw: random.Random, folder: Path) -> Path:
    """A prepared voice whose description takes hundreds of megabytes, beside weights that make the whole look sound."""
    name, size_mb = draw.choice(("voice.json", "card.json", "config.json", "style_vectors.json")), draw.choice((10, 100, 700))
    path = folder / "voice.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("v/model.bin", draw.randbytes(size_mb << 15), zipfile.ZIP_STORED)
        archive.writestr("v/voice.json" if name != "voice.json" else "v/x.json", "{}")
        with archive.open(f"v/{name}", "w") as member:
            member.write(b'{"a": [')
            for _ in range(size_mb):
                member.write(draw.choice((b"1,", b"[],", b'"",', b"    ")) * (1 << 18))
            member.write(b"1]}")
    return path


ZIPS = {"lying zip": lying_entries, "zip in zip": deep_folders}
RARE_ZIPS = {"shared data": shared_data, "many entries": many_entries, "two ends": two_ends, "fat json": fat_json}
