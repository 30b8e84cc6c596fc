"""The Linux program as a system sees it, below `usr`: for the Debian package, and as an AppDir for an AppImage or a Flatpak."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from bundle.command import PROJECT

LINUX = PROJECT / "packaging" / "linux"
METAINFO = LINUX / "io.github.koebako.Koebako.metainfo.xml"
LIBRARY = Path("usr", "lib", "koebako")
COMMANDS = {"koebako": "koebako-cli", "koebako-gui": "Koebako"}  # in usr/bin, and the program that each of them starts
APP_RUN = """\
#!/bin/sh
# Started by an AppImage: the window, or with further words the command line.
here=$(dirname "$(readlink -f "$0")")
case "${1:-}" in
    "" | -* | */*) exec "$here/usr/lib/koebako/Koebako" "$@" ;;
    *) exec "$here/usr/lib/koebako/koebako-cli" "$@" ;;
esac
"""


def version_of_program() -> str:
    """The version, as the program itself says."""
    return str(runpy.run_path(str(PROJECT / "app" / "common" / "version.py"))["VERSION"])


def source_date() -> int:
    """Seconds since 1970 of the last commit, which date whatever has to be dated."""
    return int(reproducible()["SOURCE_DATE_EPOCH"])


def reproducible() -> dict[str, str]:
    """Variables that keep dates and the order of sets out of the result."""
    asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=PROJECT, capture_output=True, text=True)
    return {"PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": asked.stdout.strip() or os.environ.get("SOURCE_DATE_EPOCH", "1767225600")}


def lay_out(folder: Path, root: Path) -> None:
    """Puts the program and everything that a desktop wants to know of it below a new folder."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root / LIBRARY, symlinks=True)
    for command, program in COMMANDS.items():
        link = root / "usr" / "bin" / command
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(Path("..", "lib", "koebako", program))
    share = root / "usr" / "share"
    desktop = (LINUX / "koebako.desktop").read_text(encoding="utf-8")
    _write(share / "applications" / "koebako.desktop", re.sub(r"^Exec=Koebako\b", "Exec=koebako-gui", desktop, flags=re.MULTILINE))
    _copy(LINUX / "koebako-voice.xml", share / "mime" / "packages" / "koebako.xml")
    icons = share / "icons" / "hicolor"
    _copy(LINUX / "koebako.png", icons / "256x256" / "apps" / "koebako.png")
    _copy(PROJECT / "resources" / "icons" / "koebako.svg", icons / "scalable" / "apps" / "koebako.svg")
    _write(share / "metainfo" / METAINFO.name, metainfo_with_release())


def metainfo_with_release() -> str:
    """What software centres show, with this version as the newest."""
    ET.register_namespace("xml", "http://www.w3.org/XML/1998/namespace")
    root = ET.fromstring(METAINFO.read_text(encoding="utf-8"))
    releases = ET.SubElement(root, "releases")
    ET.SubElement(releases, "release", version=version_of_program(), date=time.strftime("%Y-%m-%d", time.gmtime(source_date())))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def make_appdir(folder: Path, dist: Path) -> Path:
    """Lays out dist/Koebako.AppDir; `appimagetool` makes an AppImage of it."""
    made = dist / "Koebako.AppDir"
    lay_out(folder, made)
    _write(made / "AppRun", APP_RUN)
    (made / "AppRun").chmod(0o755)
    (made / "koebako.desktop").symlink_to("usr/share/applications/koebako.desktop")
    (made / "koebako.png").symlink_to("usr/share/icons/hicolor/256x256/apps/koebako.png")
    (made / ".DirIcon").symlink_to("koebako.png")
    print(f"  {made.name}; an AppImage of it: ARCH=x86_64 appimagetool {made}", flush=True)
    return made


def set_dates(root: Path, seconds: int) -> None:
    """Gives every file and folder one date, so that equal contents make equal packages."""
    if sys.platform == "win32":
        return
    for path in [root, *root.rglob("*")]:
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")
    target.chmod(0o644)
