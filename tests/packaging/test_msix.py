"""The package for the Store, read back: its zip, the hashes of its blocks, its manifest and every picture that this names."""

import hashlib
import re
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from urllib.parse import unquote

import pytest
from bundle import msix, msix_check

from app.common.version import VERSION

MANIFEST = "{http://schemas.microsoft.com/appx/manifest/foundation/windows10}"
UAP = "{http://schemas.microsoft.com/appx/manifest/uap/windows10}"


def pack(folder: Path) -> Path:
    """A small program as the build leaves it, packed."""
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


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That program's package."""
    return pack(tmp_path_factory.mktemp("program") / "windows" / "Koebako")


def test_the_zip_is_whole_and_holds_the_program(package: Path) -> None:
    with zipfile.ZipFile(package) as file:
        assert file.testzip() is None
        names = [unquote(name) for name in file.namelist()]
        assert {"Koebako.exe", "_internal/声 の箱/a b.bin", "_internal/empty", "AppxManifest.xml"} <= set(names)
        assert names[-2:] == ["AppxBlockMap.xml", "[Content_Types].xml"]
        assert "store" in file.read("_internal/resources/release.json").decode(), "which has newer versions of its own"


def test_it_is_read_back_as_it_was_written(package: Path) -> None:
    msix_check.check_msix(package)


@pytest.mark.parametrize(
    ("writer", "before", "after", "said"),
    [
        ("block_map", 'Name="_internal\\empty"', 'Name="_internal\\other"', "lists other files"),
        ("block_map", 'Block Hash="', 'Block Hash="AAAA', "is wrong about Koebako.exe"),
        ("content_types", "blockmap+xml", "xml", "gives no type to AppxBlockMap.xml"),
        ("content_types", "manifest+xml", "xml", "does not know the manifest"),
        ("manifest_of", "koebako-cli.exe", "another.exe", "names what is not there: another.exe"),
        ("manifest_of", "Assets\\FileLogo.png", "Assets\\Nothing.png", "names what is not there: Assets/Nothing.png"),
    ],
)
def test_a_package_that_is_wrong_about_itself_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, before: str, after: str, said: str
) -> None:
    write = getattr(msix, writer)
    monkeypatch.setattr(msix, writer, lambda given: write(given).replace(before, after))
    monkeypatch.setattr(msix, "SCALES", (100,))
    made = pack(tmp_path / "windows" / "Koebako")
    with pytest.raises(SystemExit, match=re.escape(said)):
        msix_check.check_msix(made)


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
        assert '<uap5:AppExecutionAlias desktop4:Subsystem="console">' in text, "a terminal waits for it"
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
