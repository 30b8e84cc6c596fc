"""The recipe for macOS as far as it can be read without a Mac: property lists, icon, spec and paths."""

import ast
import plistlib
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

from bundle import linux_tree, macos

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "packaging" / "macos"


def test_the_property_lists_are_valid_and_know_our_files() -> None:
    told = macos.info_plist("1.2.3")
    assert plistlib.loads(plistlib.dumps(told)) == told
    assert (told["CFBundleShortVersionString"], told["CFBundleVersion"]) == ("1.2.3", "1.2.3")
    declared = {
        item["UTTypeIdentifier"]: item for kind in ("UTExportedTypeDeclarations", "UTImportedTypeDeclarations") for item in told[kind]
    }
    opened = {name for item in told["CFBundleDocumentTypes"] for name in item["LSItemContentTypes"]}
    assert opened == set(declared)
    suffixes = {suffix for item in declared.values() for suffix in item["UTTypeTagSpecification"]["public.filename-extension"]}
    linux = ET.parse(linux_tree.LINUX / "koebako-voice.xml").getroot()
    assert suffixes == {item.attrib["pattern"].removeprefix("*.") for item in linux.iter() if item.tag.endswith("glob")}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"macOS {told['LSMinimumSystemVersion'].partition('.')[0]} or later" in readme
    entitlements = plistlib.loads((RECIPE / "entitlements.plist").read_bytes())
    assert all(value is True and name.startswith("com.apple.security.cs.") for name, value in entitlements.items())


def test_the_icon_has_apples_form(tmp_path: Path) -> None:
    data = macos.draw_icon(tmp_path).read_bytes()
    assert (data[:4], struct.unpack(">I", data[4:8])[0]) == (b"icns", len(data))
    place, found = 8, {}
    while place < len(data):
        name, length = data[place : place + 4].decode(), struct.unpack(">I", data[place + 4 : place + 8])[0]
        picture = data[place + 8 : place + length]
        assert picture[:8] == b"\x89PNG\r\n\x1a\n"
        found[name] = struct.unpack(">I", picture[16:20])[0]
        place += length
    assert found == macos.PICTURES


def test_the_spec_parses_and_every_path_of_the_recipe_is_there() -> None:
    spec = (ROOT / "packaging" / "koebako.spec").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(spec)) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "BUNDLE"]
    (bundle,) = calls
    assert {keyword.arg for keyword in bundle.keywords} == {"name", "icon", "bundle_identifier", "version", "info_plist"}
    recipe = (RECIPE / "README.md").read_text(encoding="utf-8")
    assert "**None of this ever ran on a Mac.**" in recipe
    for name in re.findall(r"`((?:packaging|tests|requirements)/[\w./-]+)`", recipe):
        assert (ROOT / name).exists() or (ROOT / "packaging" / name).exists(), name
    for variable in re.findall(r"`?(KOEBAKO_\w+)=", recipe):
        assert variable in {macos.IDENTITY, macos.NOTARY}
    assert ET.parse(linux_tree.METAINFO).getroot().findtext("id") == macos.BUNDLE_ID


def test_what_is_pinned_for_macos_is_what_is_pinned_elsewhere() -> None:
    pins = {
        name: set(re.findall(r"^([\w.-]+)==", (ROOT / f"packaging/requirements/{name}.txt").read_text(), re.MULTILINE))
        for name in ("macos", "linux")
    }
    assert pins["macos"] - pins["linux"] == {"macholib"}
    assert pins["linux"] - pins["macos"] == {"jeepney", "onnxruntime-ep-webgpu"}, (
        "the portals of Linux, and what has no place in an app yet"
    )
