"""The Debian package, the AppDir and the Flatpak manifest of a small program; the real package is tried by `build.py deb-check`."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml
from bundle import deb, linux_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="made on Linux")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program's folder whose two programs say their names."""
    folder = tmp_path / "linux" / "Koebako"
    (folder / "_internal").mkdir(parents=True)
    for name in ("Koebako", "koebako-cli"):
        (folder / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (folder / name).chmod(0o700)
    (folder / "_internal" / "a.bin").write_bytes(bytes(5_000))
    return folder


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_the_package_holds_what_a_desktop_asks_for_and_runs_nothing_of_ours(program: Path, tmp_path: Path) -> None:
    made = deb.make_deb(program, tmp_path, tmp_path / "work")
    first = made.read_bytes()
    (program / "Koebako").touch()
    assert deb.make_deb(program, tmp_path, tmp_path / "work").read_bytes() == first, "equal folders, equal packages"
    control, root = tmp_path / "control", tmp_path / "root"
    subprocess.run(["dpkg-deb", "--control", str(made), str(control)], check=True)
    subprocess.run(["dpkg-deb", "--extract", str(made), str(root)], check=True)
    assert {path.name for path in control.iterdir()} == {"control", "md5sums"}, "no scripts"
    fields = dict(re.findall(r"^([\w-]+): (.+)$", (control / "control").read_text(encoding="utf-8"), re.MULTILINE))
    assert fields["Package"] == "koebako"
    assert fields["Version"] == linux_tree.version_of_program()
    assert {"libc6 (>= 2.35)", "libportaudio2", "libxcb-cursor0"} <= set(fields["Depends"].split(", "))
    assert int(fields["Installed-Size"]) > 5
    done = subprocess.run([str(root / "usr/bin/koebako"), "speak"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["koebako-cli", "speak"]
    for path in root.rglob("*"):
        assert path.is_symlink() or path.stat().st_mode & 0o777 in (0o755, 0o644), path
    assert "NOTICE.txt" in (root / "usr/share/doc/koebako/copyright").read_text(encoding="utf-8")
    listed = subprocess.run(["dpkg-deb", "--contents", str(made)], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"root/root", listed)) == {"root/root"}
    assert len(listed.splitlines()) == listed.count("root/root")


def test_the_menu_finds_the_command_and_files_find_the_program(program: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    linux_tree.lay_out(program, root)
    entry = (root / "usr/share/applications/koebako.desktop").read_text(encoding="utf-8")
    (command,) = re.findall(r"^Exec=(\S+)", entry, re.MULTILINE)
    assert (root / "usr/bin" / command).resolve().name == "Koebako"
    types = ET.parse(root / "usr/share/mime/packages/koebako.xml").getroot()
    known = {item.attrib["type"] for item in types}
    assert known < set(re.findall(r"[\w.+-]+/[\w.+-]+", re.findall(r"^MimeType=(.+)$", entry, re.MULTILINE)[0]))
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", str(root / "usr/share/applications/koebako.desktop")], check=True)


def test_software_centres_read_this_version(program: Path, tmp_path: Path) -> None:
    linux_tree.lay_out(program, tmp_path / "root")
    (written,) = (tmp_path / "root/usr/share/metainfo").iterdir()
    read = ET.parse(written).getroot()
    (release,) = read.iter("release")
    assert release.attrib["version"] == linux_tree.version_of_program()
    assert read.findtext("launchable") == "koebako.desktop"
    assert written.name == f"{read.findtext('id')}.metainfo.xml"
    known = {item.attrib["type"] for item in ET.parse(linux_tree.LINUX / "koebako-voice.xml").getroot()}
    assert {item.text for item in read.iter("mediatype")} == known
    texts = [item for item in read.iter() if item.tag in ("name", "summary", "p", "li")]
    japanese = [item for item in texts if item.get("{http://www.w3.org/XML/1998/namespace}lang") == "ja"]
    assert len(japanese) == (len(texts) - 1) / 2, "each text but the developer's name is in both languages"
    if shutil.which("appstreamcli"):
        done = subprocess.run(["appstreamcli", "validate", "--no-net", str(written)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_an_appdir_starts_window_and_command_line(program: Path, tmp_path: Path) -> None:
    made = linux_tree.make_appdir(program, tmp_path)
    for words, started in ((["speak", "a"], "koebako-cli speak a"), ([], "Koebako"), (["/tmp/a.aivmx"], "Koebako /tmp/a.aivmx")):
        done = subprocess.run([str(made / "AppRun"), *words], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == started
    assert all((made / name).is_file() for name in ("koebako.desktop", "koebako.png", ".DirIcon"))


def test_the_flatpak_takes_what_the_appdir_has(program: Path, tmp_path: Path) -> None:
    made = linux_tree.make_appdir(program, tmp_path)
    path = linux_tree.LINUX / "io.github.koebako.Koebako.yml"
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert f"{read['id']}.metainfo.xml" == linux_tree.METAINFO.name
    assert (made / "usr/bin" / read["command"]).is_symlink()
    share = made / "usr/share"
    assert (share / "applications" / read["rename-desktop-file"]).is_file()
    assert list(share.glob(f"icons/hicolor/*/apps/{read['rename-icon']}.*"))
    assert (share / "mime/packages" / read["rename-mime-file"]).is_file()
    (module,) = read["modules"]
    (source,) = module["sources"]
    assert (path.parent / source["path"]).resolve() == ROOT / "dist" / made.name
    for copied in re.findall(r"usr/\w+", " ".join(module["build-commands"])):
        assert (made / copied).is_dir()
