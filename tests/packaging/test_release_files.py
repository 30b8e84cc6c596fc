"""Pins, licences, list of parts, archives and checksums."""

import hashlib
import importlib
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import zstandard
from bundle import archive, notice, smoke_contents
from packaging.utils import canonicalize_name
from packaging.version import Version

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
TARGETS = {"linux": "linux", "windows": "win32"}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ]+) \\$")


@pytest.mark.parametrize("target", TARGETS)
def test_every_dependency_is_pinned_with_hashes_and_fits(target: str) -> None:
    text = (ROOT / "packaging" / "requirements" / f"{target}.txt").read_text(encoding="utf-8")
    pins = {
        canonicalize_name(name): Version(version)
        for name, version in (match.groups() for match in map(PIN.match, text.splitlines()) if match)
    }
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert len(blocks) == len(pins)
    assert all("--hash=sha256:" in block for block in blocks)
    machine = {"sys_platform": TARGETS[target], "platform_machine": "AMD64" if target == "windows" else "x86_64", "python_version": "3.11"}
    wanted = [Requirement(line) for line in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]]
    wanted = [item for item in wanted if item.marker is None or item.marker.evaluate(machine)]
    assert len(wanted) > 10
    for item in wanted:
        assert pins[canonicalize_name(item.name)] in item.specifier, item
    assert "sudachidict-small" in pins
    assert ("onnxruntime-directml" in pins) == (target == "windows") != ("onnxruntime" in pins)


def pinned(name: str) -> list[tuple[Requirement, str]]:
    """What a file pins, each with its lines."""
    text = (ROOT / "packaging" / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert all("--hash=sha256:" in block for block in blocks)
    return [(Requirement(block.split(" \\")[0]), block) for block in blocks]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize(("system", "machine"), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("win32", "AMD64")])
@pytest.mark.parametrize("name", ["run", "dev"])
def test_a_checkout_is_pinned_on_every_system(name: str, system: str, machine: str, python: str) -> None:
    """Where this fails after a change of pyproject.toml, renew the pins as packaging/README.md says."""
    here = {"sys_platform": system, "platform_machine": machine, "python_version": python, "python_full_version": f"{python}.1"}
    here |= {"platform_python_implementation": "CPython", "implementation_name": "cpython"}
    pins = [pin for pin, _ in pinned(name) if pin.marker is None or pin.marker.evaluate(here)]
    versions = {canonicalize_name(pin.name): Version(str(pin.specifier).removeprefix("==")) for pin in pins}
    assert len(versions) == len(pins)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += project["project"]["optional-dependencies"]["dev"] if name == "dev" else []
    for item in map(Requirement, wanted):
        if item.marker is None or item.marker.evaluate(here):
            assert versions[canonicalize_name(item.name)] in item.specifier, item


def test_pins_agree_with_each_other() -> None:
    assert {block for _, block in pinned("run")} < {block for _, block in pinned("dev")}
    ((runtime, _),) = pinned("runtime")
    (windows,) = (pin for pin, _ in pinned("windows") if pin.name == "onnxruntime-directml")
    assert (runtime.name, runtime.specifier) == ("onnxruntime", windows.specifier)


def test_notice_and_parts_name_what_is_in_and_nothing_else(tmp_path: Path) -> None:
    ours = ROOT / "app" / "common" / "files" / "paths.py"
    notice.write_notice(tmp_path, [("numpy/__init__.py", np.__file__), ("app/common/files/paths.py", str(ours))], "1.2.3")
    text = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    assert text.startswith("Koebako 1.2.3")
    assert f"* numpy {np.__version__}: " in text
    assert "Python" in text
    assert "pytest" not in text
    assert any((tmp_path / "licenses" / "numpy").iterdir())
    parts = json.loads((tmp_path / "sbom.cdx.json").read_text(encoding="utf-8"))
    assert parts["bomFormat"] == "CycloneDX"
    assert f"pkg:pypi/numpy@{np.__version__}" in [part["purl"] for part in parts["components"]]
    assert {part["name"] for part in parts["components"]} <= {"numpy", "Python", "pyinstaller"}


def test_notice_says_of_voices_what_their_own_files_say(tmp_path: Path) -> None:
    voice = tmp_path / "resources" / "voices" / "yuki"
    voice.mkdir(parents=True)
    files = {
        "voice.json": json.dumps({"name": "Yuki", "licence": "CC BY 4.0"}),
        "MODEL_CARD.md": "# Yuki\nA voice.\n## Sources and licences\n\n> Made after a voice of Tohoku University\n## Figures\n12 dB\n",
        "LICENSE.txt": "All of the terms.\n",
    }
    for name, text in files.items():
        (voice / name).write_text(text, encoding="utf-8")
    collected = [(f"resources/voices/yuki/{name}", str(voice / name)) for name in files]
    notice.write_notice(tmp_path, collected, "1.2.3")
    told = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    assert "* Yuki: CC BY 4.0" in told
    assert "Tohoku University" in told
    assert "All of the terms." in told
    assert "12 dB" not in told
    assert {path.name for path in (tmp_path / "licenses" / "yuki").iterdir()} == {"MODEL_CARD.md", "LICENSE.txt"}
    parts = json.loads((tmp_path / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    assert [part["name"] for part in parts if part["type"] == "machine-learning-model"] == ["Yuki"]
    (voice / "voice.json").write_text(json.dumps({"name": "Yuki"}), encoding="utf-8")
    with pytest.raises(SystemExit, match="licence"):
        notice.write_notice(tmp_path, collected, "1.2.3")


def test_notice_names_the_terms_of_the_voices_we_ship(tmp_path: Path) -> None:
    files = [path for path in (ROOT / "resources").rglob("*") if path.is_file()]
    notice.write_notice(tmp_path, [(str(path.relative_to(ROOT)), str(path)) for path in files], "1.2.3")
    told = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    voices = list((ROOT / "resources").rglob("voice.json"))
    assert voices
    for voice in voices:
        assert json.loads(voice.read_text(encoding="utf-8"))["licence"] in told
    assert "Copyright (c) 2009-2013 Nagoya Institute of Technology" in told
    assert "* CMU Pronouncing Dictionary 3.0.0: BSD-2-Clause" in told
    licence = tmp_path / "licenses" / "CMU Pronouncing Dictionary" / "CMUDICT-LICENSE.txt"
    assert "1993-2015 Carnegie Mellon University" in licence.read_text(encoding="utf-8")


def test_what_qts_licence_must_come_with_is_there(tmp_path: Path) -> None:
    import shiboken6

    notice.write_notice(tmp_path, [("shiboken6/__init__.py", shiboken6.__file__)], "1.2.3")
    texts = tmp_path / "licenses" / "shiboken6"
    assert "GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 3" in (texts / "LGPL-3.0.txt").read_text(encoding="utf-8")
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 3" in (texts / "GPL-3.0.txt").read_text(encoding="utf-8")


OWED = [
    ("sounddevice", "sounddevice", "PortAudio (MIT)", "PortAudio-LICENSE.txt", "Copyright (c) 1999-2009 Ross Bencina"),
    ("PySide6", "PySide6_Essentials", "FreeType (FTL)", "Qt-ThirdParty.txt", "HarfBuzz: MIT"),
    ("sudachipy", "SudachiPy", "Rust crates", "SudachiPy-crates.txt", "Geoffroy Couprie"),
]


@pytest.mark.parametrize(("module", "part", "named", "text", "content"), OWED)
def test_what_is_compiled_into_a_package_is_named_with_its_terms(
    module: str, part: str, named: str, text: str, content: str, tmp_path: Path
) -> None:
    file = str(importlib.import_module(module).__file__)
    notice.write_notice(tmp_path, [(f"{module}/{Path(file).name}", file)], "1.2.3")
    told = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    assert named in told
    (line,) = (line for line in told.splitlines() if line.endswith(text) and "text: " in line)
    assert part.lower() in line.lower()
    assert content in (tmp_path / line.split("text: ")[1]).read_text(encoding="utf-8")


def test_texts_of_one_name_do_not_take_each_others_place(tmp_path: Path) -> None:
    notice.write_notice(tmp_path, [("numpy/__init__.py", np.__file__)], "1.2.3")
    told = (tmp_path / "NOTICE.txt").read_text(encoding="utf-8")
    named = re.findall(r"text: (licenses/numpy/.+)", told)
    brought = [file for file in metadata.files("numpy") or [] if notice.is_licence(Path(str(file)))]
    assert len(named) == len({*named}) == len(brought)
    assert {(tmp_path / name).read_bytes() for name in named} == {Path(str(file.locate())).read_bytes() for file in brought}


def test_every_text_is_matched_to_what_it_is_for(tmp_path: Path) -> None:
    """The same is asked of the whole program once it is built (`bundle.smoke_contents`)."""
    voices = [path for path in (ROOT / "resources").rglob("*") if path.is_file()]
    collected = [("numpy/__init__.py", str(np.__file__)), *((path.relative_to(ROOT).as_posix(), str(path)) for path in voices)]
    notice.write_notice(tmp_path, collected, "1.2.3")
    for voice in {path.parent.name for path in voices if path.name == "voice.json"}:
        (tmp_path / "_internal" / "resources" / "voices" / voice).mkdir(parents=True)
    named = smoke_contents.match_licences(tmp_path)
    assert any("numpy" in part for parts in named.values() for part in parts)
    stray = tmp_path / "licenses" / "numpy" / "stray.txt"
    stray.write_text("x" * 200)
    with pytest.raises(AssertionError, match="named by nothing"):
        smoke_contents.match_licences(tmp_path)
    stray.unlink()
    (tmp_path / next(iter(named))).unlink()
    with pytest.raises(AssertionError, match="named and not there"):
        smoke_contents.match_licences(tmp_path)


def test_every_crate_of_sudachi_has_terms_that_come_with_it() -> None:
    (listed,) = (file for file in metadata.files("sudachipy") or [] if file.name.endswith(notice.LISTS))
    told = (notice.TEXTS / "SudachiPy-crates.txt").read_text(encoding="utf-8")
    crates = json.loads(Path(str(listed.locate())).read_text(encoding="utf-8"))["components"]
    assert len(crates) > 30
    for crate in crates:
        terms = crate["licenses"][0]["expression"]
        free = "Apache-2.0" in terms or "Unlicense" in terms
        assert free or crate["name"] in told, f"{crate['name']}: {terms}"


def test_the_page_that_the_installer_shows_has_microsofts_terms() -> None:
    page = notice.licence_page(ROOT / "LICENSE")
    assert page.startswith((ROOT / "LICENSE").read_text(encoding="utf-8").strip())
    assert "MICROSOFT DIRECTX MACHINE LEARNING (DIRECTML)" in page
    for text in notice.RUNTIME_TEXTS:
        assert text.read_text(encoding="utf-8").strip() in page
    assert page.count("NOTICE.txt") >= 2, "in both languages"


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Two small programs as the build leaves them."""
    for name, program in (("linux", "koebako-cli"), ("windows", "koebako-cli.exe")):
        folder = tmp_path / name / "Koebako"
        (folder / "_internal" / "声").mkdir(parents=True)
        (folder / program).write_bytes(b"program")
        (folder / program).chmod(0o755)
        (folder / "_internal" / "声" / "a.bin").write_bytes(bytes(1000))
        notice.write_notice(folder, [], "1.2.3")
    return tmp_path


def test_archives_hold_the_program_and_equal_folders_give_equal_archives(dist: Path) -> None:
    archive.pack(dist)
    zipped, tarred = dist / "Koebako-1.2.3-windows-x64.zip", dist / "Koebako-1.2.3-linux-x64.tar.zst"
    with zipfile.ZipFile(zipped) as file:
        assert file.read("Koebako/_internal/声/a.bin") == bytes(1000)
    with tarfile.open(fileobj=BytesIO(zstandard.ZstdDecompressor().stream_reader(tarred.read_bytes()).read())) as file:
        assert file.getmember("Koebako/koebako-cli").mode & 0o111 or sys.platform == "win32"
        assert {"Koebako/koebako.desktop", "Koebako/koebako.png", "Koebako/koebako-voice.xml"} <= set(file.getnames())
    before = [zipped.read_bytes(), tarred.read_bytes()]
    (dist / "windows" / "Koebako" / "koebako-cli.exe").touch()
    (dist / "linux" / "Koebako" / "koebako-cli").touch()
    archive.pack(dist)
    assert [zipped.read_bytes(), tarred.read_bytes()] == before


def test_checksums_are_those_of_the_files(dist: Path) -> None:
    archive.pack(dist)
    lines = (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4  # two archives and their lists of parts
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest


def test_the_build_starts_with_a_bare_python() -> None:
    command = [sys.executable, "-I", "-S", str(ROOT / "packaging" / "build.py"), "--help"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert "windows-wine" in done.stdout
