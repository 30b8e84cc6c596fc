#!/usr/bin/env python3
"""Builds Koebako as a folder that needs no Python, checks it, and packs it.

    python3 packaging/build.py linux          the program for this Linux, started and listened to
    python3 packaging/build.py windows        the program for Windows, on Windows
    python3 packaging/build.py macos          the app for macOS, on a Mac, where it never ran (macos/README.md)
    python3 packaging/build.py windows-wine   the Windows program, built and run on Linux under Wine: to check, not to release
    python3 packaging/build.py wine-desktop   the window among other programs under Wine: key, clipboard, tray, a drag
    python3 packaging/build.py wine-tests     the fast tests in the Windows Python under Wine
    python3 packaging/build.py directml-check what DirectML is asked for, counted under Wine; --json FILE keeps every row
    python3 packaging/build.py kernel-tables  resources/kernels: what the pinned onnxruntime-directml has kernels for
    python3 packaging/build.py nsis           NSIS itself, where it is missing and can be installed
    python3 packaging/build.py uninstaller    the uninstaller alone, to be signed before the installer is made
    python3 packaging/build.py installer      the installer of the Windows folder (NSIS)
    python3 packaging/build.py signatures     which of the Windows programs are signed
    python3 packaging/build.py msix           the package for the Microsoft Store, which signs it
    python3 packaging/build.py deb            the Debian package of the Linux folder
    python3 packaging/build.py deb-check      that package in a clean Debian: installed, heard, removed (root, mmdebstrap)
    python3 packaging/build.py appdir         the Linux folder as an AppDir, for an AppImage or a Flatpak
    python3 packaging/build.py zip            archives of the folders at hand, the list of parts, SHA256SUMS
    python3 packaging/build.py manifests      winget's manifests, scoop's, and latest.json, of the files in dist
    python3 packaging/build.py all            every program and package this machine can make, and what it cannot; neither signed, published
                                              nor installed, as uninstaller, manifests and deb-check are for

Results are in dist/, intermediate files in build/. Starts with the standard library only: the pinned packages go into
build/venv, and the rest runs in there.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
WINDOWS, MACOS = sys.platform == "win32", sys.platform == "darwin"
REQUIREMENTS = PROJECT / "packaging" / "requirements"
NATURAL_VOICE = REQUIREMENTS / "natural.txt"
FREEZE_S = 1_500
OTHER_CONDITIONS = (
    "This Python's LICENSE.txt does not have the conditions for Microsoft's distributable code that packaging/licences has;\n"
    "look at both, and put there what comes with this Python."
)


def main() -> int:
    """Builds the wanted targets one after another; a failing check ends it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--dist", type=Path, default=PROJECT / "dist", help="where results go (dist)")
    parser.add_argument("--work", type=Path, default=PROJECT / "build", help="where everything else goes (build)")
    parser.add_argument(
        "--until", type=float, default=float("inf"), metavar="TIME",
        help="end (seconds since 1970) for the program's checks and for the tests under Wine, which have 25 minutes without it",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="where directml-check writes its rows")
    parser.add_argument(
        "--small", action="store_true", help="without the natural voice; directml-check with a voice that is computed faster"
    )
    parser.add_argument("--previous", type=Path, metavar="SETUP", help="an older version's installer, which `installer` upgrades from")
    options = parser.parse_args()
    if sys.platform not in ("linux", "win32") and not (MACOS and options.target == "macos"):
        sys.exit(
            "Bundles are built on Linux and Windows, on macOS with `macos` alone; here the program runs from a checkout: python3 packaging/dev.py run"
        )
    dist, work = options.dist.resolve(), options.work.resolve()
    if options.small:
        os.environ["KOEBAKO_BUILD_WITHOUT_NATURAL"] = "1"  # see bundle/natural.py
    enter_venv(work / "venv")
    targets = TARGETS | {
        "directml-check": partial(build_directml_check, rows=options.json, small=options.small),
        "installer": partial(build_installer, previous=options.previous and options.previous.resolve()),
    }
    for name in targets_of(options.target):
        began = time.perf_counter()
        print(f"== {name}", flush=True)
        targets[name](dist, work, options.until)
        print(f"== {name} done in {time.perf_counter() - began:.0f} s", flush=True)
    return 0


def targets_of(wanted: str) -> list[str]:
    """The targets behind a name; `all` is what this machine can do, and says what it cannot."""
    if wanted != "all":
        return [wanted]
    if WINDOWS:
        return ["windows", "nsis", "installer", "signatures", "msix", "zip"]
    packed = ["linux", *(["deb"] if shutil.which("dpkg-deb") else []), "appdir"]
    if missing := wine_lacks():
        print(
            f"SKIPPED windows-wine, installer, signatures, msix, wine-desktop, wine-tests and directml-check: apt-get install {' '.join(missing)}",
            flush=True,
        )
        return [*packed, "zip"]
    return [*packed, "windows-wine", "installer", "signatures", "msix", "zip", "wine-desktop", "wine-tests", "directml-check"]


def wine_lacks() -> list[str]:
    """Debian packages that Wine's targets need and that are neither here nor could be installed, as `dev.py` does it."""
    from dev import WINE_PROGRAMS, install_libraries, missing

    install_libraries(missing({}, programs=WINE_PROGRAMS))
    return missing({}, programs=WINE_PROGRAMS)


def require_wine() -> None:
    """SystemExit where Wine is not complete and cannot be completed."""
    if lacking := wine_lacks():
        sys.exit(f"Wine is not complete; install it with: apt-get install --no-install-recommends {' '.join(lacking)}")


def enter_venv(venv: Path) -> None:
    """Continues in an environment that holds the pinned packages, which is made first where needed."""
    python = venv / ("Scripts/python.exe" if WINDOWS else "bin/python")
    pins = REQUIREMENTS / ("windows.txt" if WINDOWS else "macos.txt" if MACOS else "linux.txt")
    stamp = venv / "koebako.stamp"
    state = hashlib.sha256(pins.read_bytes() + NATURAL_VOICE.read_bytes() + sys.version.encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == state):
        print("Installing the pinned packages …", flush=True)
        subprocess.run([sys.executable, "-P", "-m", "venv", "--clear", str(venv)], check=True)
        pip = [
            str(python),
            "-P",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary=:all:",
            "--require-hashes",
        ]
        subprocess.run([*pip, "-r", str(pins)], check=True)
        subprocess.run([*pip, "--no-deps", "-r", str(NATURAL_VOICE)], check=True)
        stamp.write_text(state)
    if Path(sys.prefix).resolve() != venv.resolve():
        sys.exit(subprocess.run([str(python), *sys.argv]).returncode)  # Windows has no exec that its callers would wait for


def build_linux(dist: Path, work: Path, until: float) -> None:
    """Freezes and checks the program for this machine."""
    from bundle.command import run
    from bundle.linux_tree import reproducible
    from bundle.program import Program
    from bundle.smoke import smoke_test

    folder = dist / ("windows" if WINDOWS else "linux")
    run([sys.executable, *pyinstaller(folder, work / folder.name)], timeout_s=FREEZE_S, env=reproducible())
    smoke_test(Program(folder / "Koebako"), until)


def build_windows(dist: Path, work: Path, until: float) -> None:
    """The same on Windows, and a look at every import."""
    from bundle.audit import audit
    from bundle.notice import missing_texts, passes_on_our_text

    if not WINDOWS:
        sys.exit("`windows` is built on Windows; here `windows-wine` builds it for checking.")
    if missing := missing_texts():
        sys.exit(lacking_texts(missing))
    if not passes_on_our_text(Path(sys.base_prefix)):
        sys.exit(OTHER_CONDITIONS)
    build_linux(dist, work, until)
    audit(dist / "windows" / "Koebako")


def build_macos(dist: Path, work: Path, until: float) -> None:
    """Freezes, signs, tries and zips the app on a Mac."""
    from bundle.command import run
    from bundle.linux_tree import reproducible, version_of_program
    from bundle.macos import pack_app, sign_app
    from bundle.program import Program
    from bundle.smoke import smoke_test

    if not MACOS:
        sys.exit("`macos` is built on a Mac.")
    app = dist / "macos" / "Koebako.app"
    run([sys.executable, *pyinstaller(app.parent, work / "macos")], timeout_s=FREEZE_S, env=reproducible())
    sign_app(app)
    smoke_test(Program(app / "Contents" / "MacOS"), until)
    pack_app(app, dist / f"Koebako-{version_of_program()}-macos-arm64.zip")


def lacking_texts(missing: list[Path]) -> str:
    """Which licence texts a release lacks, and where they are to be had."""
    files = "\n".join(f"    {path.relative_to(PROJECT)}" for path in missing)
    return (
        f"A Windows program must come with licence texts that are not here; add, as Microsoft publishes them:\n{files}\n"
        "Those of the C++ runtime are at the end of the LICENSE.txt of Python for Windows."
    )


def build_windows_wine(dist: Path, work: Path, until: float) -> None:
    """Builds the Windows program in a Windows Python under Wine, and runs it there."""
    from bundle.audit import audit
    from bundle.linux_tree import reproducible
    from bundle.notice import missing_texts, passes_on_our_text
    from bundle.program import Program
    from bundle.smoke import smoke_test
    from bundle.wine import Wine

    if missing := missing_texts():
        print(f"NOT FOR RELEASE  {lacking_texts(missing)}", flush=True)
    require_wine()
    wine = Wine(work / "wine")
    folder = dist / "windows-wine"
    with wine.session():
        wine.prepare()
        if not missing and not passes_on_our_text(wine.python.parent):
            print(f"NOT FOR RELEASE  {OTHER_CONDITIONS}", flush=True)
        wine.run([wine.python, *pyinstaller(folder, work / folder.name)], timeout_s=FREEZE_S, env=reproducible())
        audit(folder / "Koebako")
        smoke_test(Program(folder / "Koebako", ("wine",), wine.environment), until)


def build_wine_desktop(dist: Path, work: Path, until: float) -> None:
    """Tries what the window does among other programs, from the checkout in the Windows Python under Wine."""
    from bundle.wine import Wine
    from bundle.wine_desktop import PROGRAMS, try_desktop
    from dev import install_libraries, missing

    require_wine()
    install_libraries(missing({}, programs=PROGRAMS))
    if lacking := missing({}, programs=PROGRAMS):
        print(f"  SKIPPED  wine-desktop; not on this machine: {' '.join(lacking)}", flush=True)
        return
    wine = Wine(work / "wine")
    with wine.session():
        try_desktop(wine)


def build_wine_tests(dist: Path, work: Path, until: float) -> None:
    """The fast tests in the Windows Python under Wine."""
    from bundle.wine import Wine
    from bundle.wine_tests import run_tests

    require_wine()
    wine = Wine(work / "wine")
    with wine.session():
        wine.prepare()
        run_tests(wine, until)


def build_directml_check(dist: Path, work: Path, until: float, rows: Path | None = None, small: bool = False) -> None:
    """Counts what ONNX Runtime asks of DirectML while the program speaks, in the Windows Python under Wine."""
    from bundle.directml_check import check
    from bundle.wine import Wine

    require_wine()
    wine = Wine(work / "wine")
    with wine.session():
        wine.prepare()
        check(wine, work, rows.resolve() if rows else None, small=small)


def build_kernel_tables(dist: Path, work: Path, until: float) -> None:
    """Writes which kernels the pinned onnxruntime-directml has for the CPU and for DirectML, as it lists them under Wine."""
    from bundle.kernel_tables import write_tables
    from bundle.wine import Wine

    require_wine()
    wine = Wine(work / "wine")
    with wine.session():
        wine.prepare()
        write_tables(wine, work)


def build_installer(dist: Path, work: Path, until: float, previous: Path | None = None) -> None:
    """Packs the Windows folder into an installer; one made from the program built under Wine says so in its name."""
    from bundle.installer import make_installer, try_installer
    from bundle.wine import Wine

    made = make_installer(windows_folder(dist), dist)
    if not WINDOWS:
        wine = Wine(work / "wine")
        with wine.session():
            wine.prepare()
            try_installer(made, wine, previous)


def build_nsis(dist: Path, work: Path, until: float) -> None:
    """Installs NSIS where it is missing."""
    from bundle.command import run
    from bundle.installer import find_makensis

    if find_makensis() is None:
        command = ["choco", "install", "nsis", "--yes", "--no-progress"] if WINDOWS else ["apt-get", "install", "-y", "nsis"]
        run(command, timeout_s=600)


def build_uninstaller(dist: Path, work: Path, until: float) -> None:
    """Makes the uninstaller, which the installer then takes if it has been signed meanwhile."""
    from bundle.installer import take_uninstaller

    take_uninstaller(windows_folder(dist))


def build_signatures(dist: Path, work: Path, until: float) -> None:
    """Says what is signed; an error where it should be and is not."""
    from bundle.installer import uninstaller_of
    from bundle.signatures import report_signatures

    folder = windows_folder(dist)
    made = [path for path in (uninstaller_of(folder), *sorted(dist.glob("*-setup.exe"))) if path.is_file()]
    report_signatures([*sorted(folder.glob("*.exe")), *made])


def build_msix(dist: Path, work: Path, until: float) -> None:
    """Packs the Windows folder for the Microsoft Store, and reads the package back."""
    from bundle.msix import make_msix
    from bundle.msix_check import check_msix

    check_msix(make_msix(windows_folder(dist), dist))


def build_deb(dist: Path, work: Path, until: float) -> None:
    """Packs the Linux folder for Debian and Ubuntu."""
    from bundle.deb import make_deb

    make_deb(linux_folder(dist), dist, work)


def build_deb_check(dist: Path, work: Path, until: float) -> None:
    """Installs the package in a clean Debian, speaks, removes it."""
    from bundle.deb_check import try_deb

    try_deb(dist, work)


def build_appdir(dist: Path, work: Path, until: float) -> None:
    """Lays the Linux folder out as an AppDir."""
    from bundle.linux_tree import make_appdir

    make_appdir(linux_folder(dist), dist)


def build_manifests(dist: Path, work: Path, until: float) -> None:
    """Writes the manifests of package managers, of the files that are in dist."""
    from bundle.manifests import write_manifests

    write_manifests(dist)


def build_zip(dist: Path, work: Path, until: float) -> None:
    """Archives, list of parts and checksums."""
    from bundle.archive import pack

    pack(dist)


def windows_folder(dist: Path) -> Path:
    """The Windows program built last."""
    for name in ("windows", "windows-wine"):
        if (dist / name / "Koebako" / "Koebako.exe").exists():
            return dist / name / "Koebako"
    sys.exit("There is no Windows program yet; build windows or windows-wine first.")


def linux_folder(dist: Path) -> Path:
    """The Linux program built last."""
    folder = dist / "linux" / "Koebako"
    if not (folder / "Koebako").exists():
        sys.exit("There is no Linux program yet; build linux first.")
    return folder


def pyinstaller(dist: Path, work: Path) -> list[str | Path]:
    """PyInstaller's command line after the interpreter."""
    spec = Path("packaging") / "koebako.spec"  # relative: Wine has its own idea of absolute paths
    return ["-m", "PyInstaller", "--noconfirm", "--distpath", dist, "--workpath", work, spec]


TARGETS: dict[str, Callable[[Path, Path, float], None]] = {
    "linux": build_linux,
    "windows": build_windows,
    "macos": build_macos,
    "windows-wine": build_windows_wine,
    "wine-desktop": build_wine_desktop,
    "wine-tests": build_wine_tests,
    "directml-check": build_directml_check,
    "kernel-tables": build_kernel_tables,
    "nsis": build_nsis,
    "uninstaller": build_uninstaller,
    "installer": build_installer,
    "signatures": build_signatures,
    "msix": build_msix,
    "deb": build_deb,
    "deb-check": build_deb_check,
    "appdir": build_appdir,
    "zip": build_zip,
    "manifests": build_manifests,
}

if __name__ == "__main__":
    sys.exit(main())
