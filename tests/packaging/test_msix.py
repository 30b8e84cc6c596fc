"""The package for the Store, read back: its zip, the hashes of its blocks, its manifest and every picture that this names."""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import xml.etree.ElementTree as ET
import zipfile
import zlib
from pathlib import Path
from urllib.parse import unquote

import pytest
from bundle import msix

from app.common.version import VERSION

BLOCK_MAP = "{http://schemas.microsoft.com/appx/2010/blockmap}"
TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
MANIFEST = "{http://schemas.microsoft.com/appx/manifest/foundation/windows10}"
UAP = "{http://schemas.microsoft.com/appx/manifest/uap/windows10}"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small program as the build leaves it, packed."""
    folder = tmp_path_factory.mktemp("program") / "windows" / "Koebako"
    files = {
        "Koebako.exe": b"MZ" + bytes(range(256)) * 700,  # several blocks
        "koebako-cli.exe": b"MZ",
        "_internal/声 の箱/a b.bin": bytes(msix.BLOCK),  # exactly one
        "_internal/empty": b"",
        "_internal/koebako.pyz": hashlib.sha512(b"x").digest() * 2_000,  # stored as it is
        "_internal/resources/release.json": b'{"feed": "https://example.org/latest.json"}',
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return msix.make_msix(folder, folder.parents[1])


def test_the_zip_is_whole_and_holds_the_program(package: Path) -> None:
    with zipfile.ZipFile(package) as file:
        assert file.testzip() is None
        names = [unquote(name) for name in file.namelist()]
        assert {"Koebako.exe", "_internal/声 の箱/a b.bin", "_internal/empty", "AppxManifest.xml"} <= set(names)
        assert names[-2:] == ["AppxBlockMap.xml", "[Content_Types].xml"]
        assert "store" in file.read("_internal/resources/release.json").decode(), "which has newer versions of its own"


def test_every_block_has_its_hash_and_can_be_unpacked_alone(package: Path) -> None:
    raw = package.read_bytes()
    with zipfile.ZipFile(package) as file:
        entries = {unquote(entry.filename): entry for entry in file.infolist()}
        listed = {str(item.get("Name")).replace("\\", "/"): item for item in ET.fromstring(file.read("AppxBlockMap.xml"))}
        assert set(listed) == set(entries) - {"AppxBlockMap.xml", "[Content_Types].xml"}
        for name, item in listed.items():
            entry, data = entries[name], file.read(entries[name])
            assert int(item.attrib["Size"]) == len(data)
            assert int(item.attrib["LfhSize"]) == 30 + sum(struct.unpack_from("<HH", raw, entry.header_offset + 26))
            place = entry.header_offset + int(item.attrib["LfhSize"])
            blocks = item.findall(f"{BLOCK_MAP}Block")
            assert len(blocks) == -(-len(data) // 65_536)
            for number, block in enumerate(blocks):
                expected = data[number * 65_536 : (number + 1) * 65_536]
                assert base64.b64decode(block.attrib["Hash"]) == hashlib.sha256(expected).digest()
                packed = int(block.attrib.get("Size", len(expected)))
                if "Size" in block.attrib:
                    assert zlib.decompressobj(-15).decompress(raw[place : place + packed]) == expected
                else:
                    assert raw[place : place + packed] == expected
                place += packed
            assert place == entry.header_offset + int(item.attrib["LfhSize"]) + entry.compress_size


def test_every_file_has_a_type(package: Path) -> None:
    with zipfile.ZipFile(package) as file:
        types = ET.fromstring(file.read("[Content_Types].xml"))
        suffixes = {item.attrib["Extension"] for item in types.findall(f"{TYPES}Default")}
        parts = {item.attrib["PartName"]: item.attrib["ContentType"] for item in types.findall(f"{TYPES}Override")}
        for name in file.namelist():
            assert Path(name).suffix[1:].lower() in suffixes or f"/{name}" in parts or name == "[Content_Types].xml", name
    assert parts["/AppxManifest.xml"] == "application/vnd.ms-appx.manifest+xml"
    assert parts["/AppxBlockMap.xml"] == "application/vnd.ms-appx.blockmap+xml"


def test_the_manifest_names_programs_pictures_and_types_of_files_that_are_there(package: Path) -> None:
    from PySide6.QtGui import QImage

    with zipfile.ZipFile(package) as file:
        text = file.read("AppxManifest.xml").decode()
        manifest, names = ET.fromstring(text), set(file.namelist())
        identity = manifest.find(f"{MANIFEST}Identity")
        assert identity is not None
        assert re.fullmatch(r"\d+(\.\d+){3}", identity.attrib["Version"])
        assert identity.attrib["Version"] == f"{VERSION}.0"
        assert {item.attrib["Executable"] for item in manifest.iter(f"{MANIFEST}Application")} == {"Koebako.exe", "koebako-cli.exe"}
        assert 'Name="runFullTrust"' in text
        assert {item.text for item in manifest.iter(f"{UAP}FileType")} == {".aivmx", ".aivm", ".sbv2", ".koebako"}
        pictures = set(re.findall(r"Assets\\(\w+)\.png", text))
        assert pictures == set(msix.TILES)
        for picture in pictures:
            width, height, _ = msix.TILES[picture]
            for scale in (None, *msix.SCALES):
                name = f"Assets/{picture}.png" if scale is None else f"Assets/{picture}.scale-{scale}.png"
                image = QImage.fromData(file.read(name))
                times = 4 if scale is None else scale / 100
                assert (image.width(), image.height()) == (round(width * times), round(height * times)), name
                assert image.pixelColor(image.width() // 2, image.height() // 2).alpha() == 255, "something is drawn"
        assert {f"Assets/Square44x44Logo.targetsize-{size}_altform-unplated.png" for size in msix.TARGET_SIZES} <= names


def test_the_store_gives_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(msix.PUBLISHER, 'CN=A "B" & C')
    monkeypatch.setenv(msix.NAME, "12345.Koebako")
    identity = ET.fromstring(msix.manifest_of("1.2.3")).find(f"{MANIFEST}Identity")
    assert identity is not None
    assert identity.attrib["Publisher"] == 'CN=A "B" & C'
    assert (identity.attrib["Name"], identity.attrib["Version"]) == ("12345.Koebako", "1.2.3.0")
