"""The Debian package in a clean Debian: what apt says of it, whether it speaks there, and what is left once it is removed."""

import json
import os
import shutil
import subprocess
import sys
import wave
from collections.abc import Sequence
from pathlib import Path

from bundle.command import run

CANNOT = 75  # the exit code where the machine is at fault
SUITE = "bookworm"  # Debian 12, the oldest whose C library the program runs with
# What a user of the package makes; everything else must be as it was before.
DATA = "root/.local/share/Koebako"
# Debian's own notes of its packages, and where the package itself was put.
NOTES = ("var/lib/dpkg", "var/lib/apt", "var/cache/apt", "var/log", "tmp")


def try_deb(dist: Path, work: Path) -> None:
    """Installs, starts and removes the newest package in dist; SystemExit says what was not as it should be."""
    if sys.platform == "win32" or shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        sys.exit("A clean Debian is made with mmdebstrap, as root (apt-get install mmdebstrap).")
    deb = max(dist.glob("*.deb"), key=lambda path: path.stat().st_mtime, default=None)
    if deb is None:
        sys.exit("There is no package yet; build deb first.")
    root = work / "clean-debian"
    if root.exists():
        remove_root(root)
    try:
        _require_clean_debian(root)
        _try_in(root, deb)
    finally:
        if root.exists():
            remove_root(root)


def _require_clean_debian(root: Path) -> None:
    """Makes it and runs a program in it; ends with CANNOT where this machine has no packages for it, or lets nobody mount anything."""
    try:
        make_root(root)
        inside(root, ["true"])
    except (SystemExit, subprocess.SubprocessError, OSError) as exc:
        print(f"No clean Debian can be made here: {exc}", flush=True)
        sys.exit(CANNOT)


def _try_in(root: Path, deb: Path) -> None:
    before = ours_in(root)
    _expect("nothing of it is there before", not before)
    shutil.copyfile(deb, root / "tmp" / "koebako.deb")
    inside(root, ["apt-get", "update"])
    inside(root, ["apt-get", "install", "-y", "--no-install-recommends", "/tmp/koebako.deb"])
    _expect("its commands are there", {"usr/bin/koebako", "usr/bin/koebako-gui"} <= ours_in(root))
    inside(root, ["koebako", "speak", "こんにちは。", "-o", "/tmp/a.wav"])
    with wave.open(str(root / "tmp" / "a.wav")) as sound:
        _expect("it speaks", sound.getnframes() > sound.getframerate() // 2)
    report = inside(root, ["env", "QT_QPA_PLATFORM=offscreen", "koebako-gui", "--selftest"])
    _expect("its window opens and speaks", json.loads(report)["ok"])
    _expect("apt finds nothing wrong", not inside(root, ["dpkg", "--verify", "koebako"]).strip())
    inside(root, ["apt-get", "purge", "-y", "koebako"])
    _expect("nothing is left but what belongs to the user", {path for path in ours_in(root) if not path.startswith(DATA)} == set())
    _expect("what belongs to the user is left", (root / DATA).is_dir())


def make_root(root: Path) -> None:
    """Makes a Debian of its essential packages and apt, from where this machine has its own."""
    command = ["mmdebstrap", "--variant=apt", "--mode=root", "--format=directory", "--quiet", SUITE, str(root)]
    run([*command, *_sources()], timeout_s=600)


def remove_root(root: Path) -> None:
    """Deletes it, unless something is mounted there, which none of our code does."""
    if any(line.split()[1].startswith(str(root)) for line in Path("/proc/mounts").read_text().splitlines()):
        sys.exit(f"Something is mounted in {root}; unmount it, then delete that folder.")
    shutil.rmtree(root)


def inside(root: Path, command: Sequence[str]) -> str:
    """Runs a program in there and returns what it prints; SystemExit with its last words where it fails."""
    # /proc is mounted for this one program, in a view of its own that ends with it.
    mounted = ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', str(root)]
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        [*mounted, *command], env=env, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=900, check=False
    )
    if done.returncode:
        sys.exit(f"FAILED  Debian package: {' '.join(command)} ended with {done.returncode}.\n{(done.stdout + done.stderr)[-4_000:]}")
    return done.stdout


def ours_in(root: Path) -> set[str]:
    """Files and folders there whose path names the program; Debian's own notes of packages aside."""
    found = set()
    for folder, folders, files in os.walk(root):
        inner = os.path.relpath(folder, root)
        if inner in ("proc", "sys", "dev"):
            folders.clear()
            continue
        found |= {Path(inner, name).as_posix() for name in [*folders, *files] if "koebako" in name.lower()}
    return {path for path in found if not path.startswith(NOTES)}


def _sources() -> list[str]:
    """The sources of packages that this machine has for that Debian, in apt's own format."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    return [
        str(path)
        for path in places
        if path.suffix in (".list", ".sources") and path.is_file() and SUITE in path.read_text(encoding="utf-8")
    ]


def _expect(what: str, true: bool) -> None:
    if not true:
        sys.exit(f"FAILED  Debian package: {what}")
    print(f"  ok  Debian package: {what}", flush=True)
