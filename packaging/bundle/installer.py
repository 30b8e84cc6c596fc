"""The Windows installer: made with NSIS, then tried under Wine without anyone to click."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bundle.command import PROJECT, kill, run
from bundle.expectations import SHARED
from bundle.linux_tree import version_of_program
from bundle.notice import licence_page
from bundle.signatures import has_signature

if TYPE_CHECKING:
    from bundle.wine import Wine

KEY = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Koebako"
CLASSES = r"HKCU\Software\Classes"
SUFFIXES = (".aivmx", ".aivm", ".sbv2")
REFERENCE = SHARED / "reference" / "jp-extra-tiny"
SETTINGS = '{"theme": "dark"}'
WORD, READING = "檜箱庵", "ひのばこあん"
OPENING_S = 90
STARTED_S = 10  # after which a program has been loaded
RUNNING = 3  # exit code of an installer that found one of our programs running
SCRIPT = PROJECT / "packaging" / "windows" / "installer.nsi"
PLACES = ("makensis", r"C:\Program Files (x86)\NSIS\makensis.exe")


def make_installer(source: Path, dist: Path) -> Path:
    """Compiles the installer of a program folder, with the signed uninstaller where there is one; SystemExit where NSIS is missing."""
    version = version_of_program()
    made = dist / f"Koebako-{version}-{source.parent.name}-x64-setup.exe"
    signed = uninstaller_of(source)
    compile_script(source, made, version, f'put "{signed}"' if signed.is_file() and has_signature(signed) else "")
    print(f"  {made.name}: {made.stat().st_size / 1e6:.0f} MB", flush=True)
    return made


def take_uninstaller(source: Path) -> Path:
    """Makes the uninstaller of a program folder alone, to be signed; returns its path."""
    taken = uninstaller_of(source)
    version = version_of_program()
    with tempfile.TemporaryDirectory(prefix="koebako-") as name:
        compile_script(source, Path(name) / "setup.exe", version, f'take "{taken}"')
    print(f"  {taken.name}: {taken.stat().st_size / 1e3:.0f} kB", flush=True)
    return taken


def uninstaller_of(source: Path) -> Path:
    """Where the uninstaller is while it is signed: next to the program's folder, so that it is not installed as a file of it."""
    return source.parent / "uninstall.exe"


def compile_script(source: Path, made: Path, version: str, uninstaller: str) -> None:
    """Runs makensis.

    Args:
        uninstaller: what `uninstaller.py` does with the uninstaller; empty for nothing.
    """
    makensis = find_makensis()
    if makensis is None:
        sys.exit("makensis was not found; install NSIS 3 (Debian: apt-get install nsis).")
    if (waited := programs_waited_for()) != (there := {file.name for file in source.glob("*.exe")}):
        sys.exit(f"The installer waits for {sorted(waited)} to be closed, and the program has {sorted(there)}.")
    checked = source.parent.name == "windows-wine"
    # What is only made to be tried is packed fast.
    compressor = "SetCompressor zlib" if checked else "SetCompressor /SOLID lzma"
    with tempfile.TemporaryDirectory(prefix="koebako-") as name:
        licence = Path(name) / "licence.txt"  # with a mark that its letters are UTF-8, else NSIS reads them in the code page of this system
        licence.write_text(licence_page(source / "_internal" / "LICENSE"), encoding="utf-8-sig", newline="\r\n")
        given: dict[str, object] = {"SOURCE": source, "VERSION": version, "OUTPUT": made, "LICENCE": licence, "TARGET": choose_target()}
        if uninstaller:
            given["UNINSTALLER"] = f'"{sys.executable}" "{Path(__file__).with_name("uninstaller.py")}" {uninstaller}'
        run([makensis, "-V2", "-INPUTCHARSET", "UTF8", f"-X{compressor}", *(f"-D{key}={value}" for key, value in given.items()), SCRIPT],
            timeout_s=1_200, cwd=SCRIPT.parent)  # fmt: skip


def find_makensis() -> str | None:
    """NSIS's compiler; None where it is missing."""
    return next(filter(None, map(shutil.which, PLACES)), None)


def choose_target() -> str:
    """The processor of the installer itself, as the script takes it."""
    return "x86" if sys.platform == "win32" else "amd64"


def programs_waited_for() -> set[str]:
    """Names of the programs that must be closed before the installer changes anything."""
    return set(re.findall(r'insertmacro NOTE_IF_RUNNING "(.+?)"', SCRIPT.read_text(encoding="utf-8")))


def try_installer(installer: Path, wine: Wine, previous: Path | None = None) -> None:
    """Installs, opens voices with, upgrades and removes the program silently; SystemExit says what was not as it should be.

    Args:
        previous: the installer of an older version, which is installed first; without one the upgrade is over the same version.
    """
    user = next((wine.folder / "prefix" / "drive_c" / "users").glob("[!P]*"))
    program = user / "AppData" / "Local" / "Programs" / "Koebako"
    shortcut = user / "AppData" / "Roaming" / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Koebako.lnk"
    data = user / "AppData" / "Local" / "Koebako" / "settings.json"
    shutil.rmtree(data.parent, ignore_errors=True)  # of an earlier try
    for key in (CLASSES, KEY.rpartition("\\")[0]):  # which every Windows has
        wine.run(["reg", "add", key, "/f"], timeout_s=60)
    before = _traces(wine, user)
    data.parent.mkdir(parents=True)
    data.write_text(SETTINGS)

    wine.run([previous or installer, "/S"], timeout_s=300)
    _expect("it is installed", (program / "Koebako.exe").exists() and shortcut.exists())
    _expect("it is registered", str(program.name) in wine.run(["reg", "query", KEY, "/v", "InstallLocation"], timeout_s=60))
    _expect("it starts where it was installed", "koebako" in wine.run([program / "koebako-cli.exe", "--version"], timeout_s=120))
    wine.run([program / "koebako-cli.exe", "dict", "add", WORD, READING], timeout_s=120)

    _try_opening(wine, ".sbv2")
    wine.run(["reg", "add", rf"{CLASSES}\.sbv2", "/ve", "/d", "Another.Program", "/f"], timeout_s=60)
    _expect("voice files open with it", all("Koebako.Voice" in _class_of(wine, suffix) for suffix in SUFFIXES[:2]))
    _expect("projects open with it", "Koebako.Project" in _class_of(wine, ".koebako"))
    opened = wine.run(["reg", "query", rf"{CLASSES}\Koebako.Voice\shell\open\command", "/ve"], timeout_s=60)
    _expect("the file's name is handed over whole", 'Koebako.exe" "%1"' in opened)

    try_running_programs(wine, [installer, "/S"], program, "an upgrade")
    _try_opening(wine, ".aivmx")
    stale, foreign = program / "_internal" / "of an older version.dll", program / "my own file.txt"
    stale.write_text("")
    foreign.write_text("")
    wine.run([installer, "/S"], timeout_s=300)
    _expect("an upgrade leaves nothing of the old version", not stale.exists() and (program / "Koebako.exe").exists())
    _expect("the new version is registered", version_of_program() in wine.run(["reg", "query", KEY, "/v", "DisplayVersion"], timeout_s=60))
    words = wine.run([program / "koebako-cli.exe", "dict", "list"], timeout_s=120)
    _expect("it reads what the old version wrote", WORD in words and data.read_text() == SETTINGS)

    _expect("another program's files stay with it", "Another.Program" in _class_of(wine, ".sbv2"))

    try_running_programs(wine, _removal(wine, program), program, "removing it")
    wine.run(_removal(wine, program), timeout_s=300)
    _expect("it is gone", not (program / "_internal").exists() and not (program / "Koebako.exe").exists() and not shortcut.exists())
    _expect("what belongs to the user was kept", foreign.exists() and data.exists())
    left = wine.run(["reg", "query", CLASSES, "/s"], timeout_s=60)
    _expect("no files open with it any more", "Koebako" not in left and "Another.Program" in left)
    wine.run(["reg", "delete", rf"{CLASSES}\.sbv2", "/f"], timeout_s=60)
    # A removal that is waited for runs where it was installed, and cannot delete itself.
    expected = (program.parent, program, program / "uninstall.exe", foreign)
    left_over = [trace for trace in sorted(_traces(wine, user) - before - set(map(str, expected))) if str(data.parent) not in trace]
    _expect(f"nothing else stays behind{': ' if left_over else ''}{', '.join(left_over[:5])}", not left_over)
    _expect("it is registered no more", KEY.rsplit("\\", 1)[-1] not in wine.run(["reg", "query", KEY.rsplit("\\", 1)[0]], timeout_s=60))

    wine.run([installer, "/S"], timeout_s=300)
    wine.run(_removal(wine, program, "/DELETEDATA"), timeout_s=300)
    _expect("what belongs to the user goes where that is asked for", foreign.exists() and not data.parent.exists())


def try_running_programs(wine: Wine, command: list[str | Path], program: Path, what: str) -> None:
    """Installs or removes silently while one of the programs runs; it must refuse and leave everything as it was."""
    for name in sorted(programs_waited_for()):
        before = _state(program)
        # What the program does meanwhile is of no interest, only that it is there.
        asked = ["serve", "--port", "0"] if name == "koebako-cli.exe" else []
        running = subprocess.Popen(
            ["wine", program / name, *asked], env=os.environ | wine.environment | {"KOEBAKO_HOME": str(wine.folder / "running")},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            time.sleep(STARTED_S)
            _expect(f"{name} runs", running.poll() is None)
            code = subprocess.run(["wine", *command], env=os.environ | wine.environment, stdin=subprocess.DEVNULL, timeout=300).returncode
        finally:
            wine.restart()
            kill(running)
        _expect(f"{what} is refused while {name} runs (exit code {code})", code == RUNNING)
        _expect("nothing was changed by that", _state(program) == before)


def _traces(wine: Wine, user: Path) -> set[str]:
    """Files and folders of the user, and keys of the registry below Software, but for those that Wine itself writes."""
    listed = wine.run(["reg", "query", r"HKCU\Software", "/s"], timeout_s=120)
    keys = {line.strip() for line in listed.splitlines() if line.startswith("HKEY")}
    return {str(path) for path in user.rglob("*") if "Temp" not in path.parts} | {key for key in keys if r"\Wine" not in key}


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def _removal(wine: Wine, program: Path, *options: str) -> list[str | Path]:
    """`_?=` keeps the uninstaller from going on in a copy of itself, so that its end can be waited for."""
    place = "C:\\" + str(program.relative_to(wine.folder / "prefix" / "drive_c")).replace("/", "\\")
    return [program / "uninstall.exe", "/S", *options, f"_?={place}"]


def _try_opening(wine: Wine, suffix: str) -> None:
    """Opens a voice file with what is registered for it; the window that comes up must add the voice."""
    source = REFERENCE / f"model{suffix}"
    what = f"a double click on a {suffix} file opens the window, which adds the voice"
    if not source.is_file():
        print(f"  SKIPPED  Installer: {what}: no reference voices", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "声 の フォルダー"
        file = folder / f"声 {suffix}"
        folder.mkdir()
        shutil.copyfile(source, file)
        # The command that the registry has for this suffix; not run to its end, as the window holds its pipes.
        kind = _value(_class_of(wine, suffix))
        command = _value(wine.run(["reg", "query", rf"{CLASSES}\{kind}\shell\open\command", "/ve"], timeout_s=60))
        opener = subprocess.Popen(
            ["wine", *(str(file) if word == "%1" else word for word in re.findall(r'"([^"]+)"', command))],
            env=os.environ | wine.environment | {"KOEBAKO_HOME": str(folder / "home"), "KOEBAKO_LANG": "en"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + OPENING_S
        try:
            while not (added := [*folder.glob("home/voices/*/voice.json")]) and time.monotonic() < deadline:
                time.sleep(0.2)
        finally:
            wine.restart()  # the window's children too: they would keep the program's files from being replaced
            kill(opener)
    _expect(what, bool(added))


def _value(printed: str) -> str:
    """The value in what `reg query` prints."""
    return printed.partition("REG_SZ")[2].strip()


def _class_of(wine: Wine, suffix: str) -> str:
    return wine.run(["reg", "query", rf"{CLASSES}\{suffix}", "/ve"], timeout_s=60)


def _expect(what: str, true: bool) -> None:
    if not true:
        sys.exit(f"FAILED  Installer: {what}")
    print(f"  ok  Installer: {what}", flush=True)
