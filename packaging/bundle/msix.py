"""The package for the Microsoft Store: a zip with a manifest, pictures in all sizes, and a map of the hashes of its blocks.

Written without the Windows SDK, from public descriptions of the format. The Store signs it. Two things need the SDK: `makepri`, which lets Windows
choose among the sizes of a picture (without it the one that the manifest names is scaled), and Microsoft's own check of the package.
"""

import base64
import hashlib
import os
import shutil
import struct
import sys
import urllib.parse
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from bundle.command import PROJECT
from bundle.linux_tree import version_of_program
from bundle.release_feed import RELEASE

# What the Store gives a product; these are used until it has one.
NAME, PUBLISHER, PUBLISHER_NAME = "KOEBAKO_STORE_NAME", "KOEBAKO_STORE_PUBLISHER", "KOEBAKO_STORE_PUBLISHER_NAME"
TEMPLATE = PROJECT / "packaging" / "windows" / "AppxManifest.xml"
BLOCK = 1 << 16  # bytes of a block before they are packed
MAP, TYPES = "AppxBlockMap.xml", "[Content_Types].xml"
LOCAL_HEADER = 30  # bytes of a zip's header before a name
ZIP_DATE = 0x21  # 1980-01-01, the earliest there is
PACKED_ALREADY = (".png", ".zip", ".pyz", ".gz", ".zst")
# Pictures: name in the manifest, pixels at 100 %, and the share of the height that the drawing takes.
TILES = {
    "Square44x44Logo": (44, 44, 1.0),
    "Square71x71Logo": (71, 71, 0.66),
    "Square150x150Logo": (150, 150, 0.5),
    "Square310x310Logo": (310, 310, 0.5),
    "Wide310x150Logo": (310, 150, 0.66),
    "StoreLogo": (50, 50, 1.0),
    "FileLogo": (44, 44, 1.0),
}
SCALES = (100, 125, 150, 200, 400)
TARGET_SIZES = (16, 24, 32, 48, 256)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in the package.

    Attributes:
        name: with slashes.
        blocks: hash and packed bytes of each block.
        offset: of its header in the zip.
    """

    name: str
    size: int
    packed: int
    crc: int
    method: int
    blocks: list[tuple[str, int]]
    offset: int


def make_msix(folder: Path, dist: Path) -> Path:
    """Packs the program's folder."""
    version = version_of_program()
    staging = dist / "msix"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    (staging / "AppxManifest.xml").write_text(manifest_of(version), encoding="utf-8", newline="\n")
    draw_assets(staging / "Assets")
    (staging / RELEASE).write_text('{"store": "Microsoft Store"}\n', encoding="utf-8")  # which brings newer versions itself
    made = dist / f"Koebako-{version}-{folder.parent.name}-x64.msix"
    release = f"_internal/resources/{RELEASE}"
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    files |= {path.relative_to(staging).as_posix(): path for path in sorted(staging.rglob("*")) if path.is_file() and path.name != RELEASE}
    files[release] = staging / RELEASE
    write_package(files, made)
    shutil.rmtree(staging)
    print(f"  {made.name}: {made.stat().st_size / 1e6:.0f} MB", flush=True)
    return made


def manifest_of(version: str) -> str:
    """The manifest with this version, and with the identity that the Store gave."""
    given = {
        "NAME": os.environ.get(NAME) or "Koebako.Koebako",
        "PUBLISHER": os.environ.get(PUBLISHER) or "CN=Koebako",
        "PUBLISHER_NAME": os.environ.get(PUBLISHER_NAME) or "Koebako",
        "VERSION": f"{version}.0",
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for key, value in given.items():
        text = text.replace(f"@{key}@", escape(value, {'"': "&quot;"}))
    return text


def draw_assets(folder: Path) -> None:
    """Draws every tile at every scale, the list's icon at every size, and each under its plain name, which needs no index to be found."""
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    folder.mkdir(parents=True)
    drawing = QSvgRenderer(str(PROJECT / "resources" / "icons" / "koebako.svg"))

    def draw(name: str, width: int, height: int, share: float) -> None:
        image = QImage(width, height, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        side = height * share
        painter = QPainter(image)
        drawing.render(painter, QRectF((width - side) / 2, (height - side) / 2, side, side))
        painter.end()
        if not image.save(str(folder / f"{name}.png")):
            sys.exit(f"{name}.png could not be written.")

    for name, (width, height, share) in TILES.items():
        for scale in SCALES:
            draw(f"{name}.scale-{scale}", round(width * scale / 100), round(height * scale / 100), share)
        draw(name, 4 * width, 4 * height, share)
    for size in TARGET_SIZES:
        for form in ("", "_altform-unplated", "_altform-lightunplated"):
            draw(f"Square44x44Logo.targetsize-{size}{form}", size, size, 1.0)


def write_package(files: dict[str, Path], target: Path) -> None:
    """Writes the zip: the files, then the map of their blocks, then the types of their contents."""
    with target.open("wb") as file:
        entries = []
        for name, path in files.items():
            entries.append(_write_entry(file, name, path.read_bytes()))
        for name, text in ((MAP, block_map(entries)), (TYPES, content_types(files))):
            entries.append(_write_entry(file, name, text.encode()))
        start = file.tell()
        for entry in entries:
            file.write(_central_header(entry))
        size = file.tell() - start
        file.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, len(entries), len(entries), size, start, 0))


def block_map(entries: list[Entry]) -> str:
    """Hash and packed size of every block of every file; a block that is stored as it is has no size."""
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>']
    lines.append('<BlockMap xmlns="http://schemas.microsoft.com/appx/2010/blockmap" HashMethod="http://www.w3.org/2001/04/xmlenc#sha256">')
    for entry in entries:
        header = LOCAL_HEADER + len(_part_name(entry.name))
        lines.append(f'<File Name={quoteattr(entry.name.replace("/", chr(92)))} Size="{entry.size}" LfhSize="{header}">')
        lines += [f'<Block Hash="{digest}"' + (f' Size="{packed}"' if entry.method else "") + "/>" for digest, packed in entry.blocks]
        lines.append("</File>")
    return "\n".join([*lines, "</BlockMap>", ""])


def content_types(files: dict[str, Path]) -> str:
    """A type for every suffix, and for each file without one."""
    known = {
        "xml": "text/xml",
        "png": "image/png",
        "exe": "application/x-msdownload",
        "dll": "application/x-msdownload",
        "json": "application/json",
    }
    suffixes = sorted({suffix for name in files if (suffix := Path(name).suffix[1:].lower())} - {"xml"} | {"xml"})
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">']
    lines += [f'<Default Extension={quoteattr(item)} ContentType="{known.get(item, "application/octet-stream")}"/>' for item in suffixes]
    lines += [
        f'<Override PartName={quoteattr("/" + _part_name(name).decode())} ContentType="application/octet-stream"/>'
        for name in sorted(files)
        if not Path(name).suffix
    ]
    lines.append('<Override PartName="/AppxManifest.xml" ContentType="application/vnd.ms-appx.manifest+xml"/>')
    lines.append(f'<Override PartName="/{MAP}" ContentType="application/vnd.ms-appx.blockmap+xml"/>')
    return "\n".join([*lines, "</Types>", ""])


def _part_name(name: str) -> bytes:
    """How a name is written in the zip: what addresses may not have is escaped, except the brackets of the one name that has them."""
    return (name if name == TYPES else urllib.parse.quote(name, safe="/!$&'()+,-.;=@_~")).encode("ascii")


def _packed_blocks(data: bytes, method: int) -> Iterator[tuple[str, bytes]]:
    """Hash and packed bytes of each block; each can be unpacked alone, and together they are one stream."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK]
        last = start + BLOCK >= len(data)
        packed = packer.compress(block) + packer.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH) if method else block
        yield base64.b64encode(hashlib.sha256(block).digest()).decode(), packed


def _write_entry(file: BinaryIO, name: str, data: bytes) -> Entry:
    method = 0 if not data or name.lower().endswith(PACKED_ALREADY) else 8
    blocks = list(_packed_blocks(data, method))
    offset = file.tell()
    entry = Entry(
        name=name, size=len(data), packed=sum(len(packed) for _, packed in blocks), crc=zlib.crc32(data), method=method,
        blocks=[(digest, len(packed)) for digest, packed in blocks], offset=offset,
    )  # fmt: skip
    written = _part_name(name)
    head = (b"PK\3\4", 20, 0, method, 0, ZIP_DATE, entry.crc, entry.packed, entry.size, len(written), 0)
    file.write(struct.pack("<4s5H3I2H", *head) + written)
    for _, packed in blocks:
        file.write(packed)
    return entry


def _central_header(entry: Entry) -> bytes:
    name = _part_name(entry.name)
    head = (b"PK\1\2", 20, 20, 0, entry.method, 0, ZIP_DATE, entry.crc, entry.packed, entry.size, len(name), 0, 0, 0, 0, 0, entry.offset)
    return struct.pack("<4s6H3I5H2I", *head) + name
