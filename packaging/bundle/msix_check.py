"""Reads a package for the Microsoft Store back, with Python's own readers of zip and XML: every block's hash, every file's type, every program."""

import base64
import hashlib
import struct
import sys
import urllib.parse
import xml.etree.ElementTree as ET
import zipfile
import zlib
from pathlib import Path

from bundle.msix import BLOCK, LOCAL_HEADER, MAP, TYPES

BLOCK_MAP = "{http://schemas.microsoft.com/appx/2010/blockmap}"
CONTENT_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
MANIFEST = "{http://schemas.microsoft.com/appx/manifest/foundation/windows10}"


def check_msix(package: Path) -> None:
    """Compares everything that the package says of its files with the files; SystemExit names the first that differs."""
    with zipfile.ZipFile(package) as file:
        if damaged := file.testzip():
            sys.exit(f"{package.name}: {damaged} is damaged.")
        _check_blocks(package, file)
        _check_types(package, file)
        _check_manifest(package, file)
    print(f"  {package.name}: read back", flush=True)


def _check_blocks(package: Path, file: zipfile.ZipFile) -> None:
    """Compares hash and place of every block: each can be unpacked alone."""
    entries = {urllib.parse.unquote(entry.filename): entry for entry in file.infolist()}
    listed = {str(item.get("Name")).replace("\\", "/"): item for item in ET.fromstring(file.read(MAP))}
    if set(listed) != set(entries) - {MAP, TYPES}:
        sys.exit(f"{package.name}: {MAP} lists other files than there are.")
    with package.open("rb") as raw:
        for name, item in listed.items():
            raw.seek(entries[name].header_offset)
            head = raw.read(LOCAL_HEADER)
            length = LOCAL_HEADER + sum(struct.unpack_from("<HH", head, 26))
            raw.seek(entries[name].header_offset + length)
            packed = raw.read(entries[name].compress_size)
            if int(item.attrib["LfhSize"]) != length or not _are_blocks_right(item, file.read(entries[name]), packed):
                sys.exit(f"{package.name}: {MAP} is wrong about {name}.")


def _are_blocks_right(item: ET.Element, data: bytes, packed: bytes) -> bool:
    """Whether the blocks of one file have the sizes and hashes that the map gives them."""
    blocks, place = item.findall(f"{BLOCK_MAP}Block"), 0
    if int(item.attrib["Size"]) != len(data) or len(blocks) != -(-len(data) // BLOCK):
        return False
    for number, block in enumerate(blocks):
        expected = data[number * BLOCK : (number + 1) * BLOCK]
        size = int(block.attrib.get("Size", len(expected)))
        found = packed[place : place + size]
        try:
            found = zlib.decompressobj(-15).decompress(found) if "Size" in block.attrib else found
        except zlib.error:
            return False
        if found != expected or base64.b64decode(block.attrib["Hash"]) != hashlib.sha256(expected).digest():
            return False
        place += size
    return place == len(packed)


def _check_types(package: Path, file: zipfile.ZipFile) -> None:
    types = ET.fromstring(file.read(TYPES))
    suffixes = {item.attrib["Extension"] for item in types.findall(f"{CONTENT_TYPES}Default")}
    parts = {item.attrib["PartName"]: item.attrib["ContentType"] for item in types.findall(f"{CONTENT_TYPES}Override")}
    untyped = [
        name for name in file.namelist() if Path(name).suffix[1:].lower() not in suffixes and f"/{name}" not in parts and name != TYPES
    ]
    if untyped or parts.get(f"/{MAP}") != "application/vnd.ms-appx.blockmap+xml":
        sys.exit(f"{package.name}: {TYPES} gives no type to {', '.join(untyped) or MAP}.")
    if parts.get("/AppxManifest.xml") != "application/vnd.ms-appx.manifest+xml":
        sys.exit(f"{package.name}: {TYPES} does not know the manifest.")


def _check_manifest(package: Path, file: zipfile.ZipFile) -> None:
    """Looks for the programs and pictures that the manifest names."""
    manifest, names = ET.fromstring(file.read("AppxManifest.xml")), {urllib.parse.unquote(name) for name in file.namelist()}
    wanted = {item.attrib["Executable"] for item in manifest.iter(f"{MANIFEST}Application")}
    texts = (text for item in manifest.iter() for text in (item.text or "", *item.attrib.values()))
    wanted |= {text.replace("\\", "/") for text in texts if text.startswith("Assets\\")}
    if not wanted <= names:
        sys.exit(f"{package.name}: the manifest names what is not there: {', '.join(sorted(wanted - names))}.")
