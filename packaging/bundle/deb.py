"""The Debian package: the Linux folder in usr/lib/koebako, its commands, its entry in the menu, its icons and types of files.

None of our scripts runs when it is installed or removed: what must follow is done by the triggers of Debian's own packages, so that
nothing can stay behind but what belongs to users.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path

from bundle.command import PROJECT, run
from bundle.linux_tree import lay_out, set_dates, source_date, version_of_program

# What the window needs of the system is in dev.py; the command line needs the C library alone.
C_LIBRARY = "libc6 (>= 2.35)"
RECOMMENDED = ("fonts-noto-cjk | fonts-japanese-gothic",)
SUGGESTED = ("libvulkan1",)  # WebGPU, for those who choose it
CONTROL = """\
Package: koebako
Version: {version}
Architecture: amd64
Maintainer: Koebako <koebako@users.noreply.github.com>
Installed-Size: {size}
Depends: {depends}
Recommends: {recommends}
Suggests: {suggests}
Section: sound
Priority: optional
Homepage: {homepage}
Description: reads Japanese text aloud with natural voices
 Koebako reads Japanese text aloud with Kokoro and Style-Bert-VITS2 voices.
 Everything runs on this computer, and voices are included. Readings, accents,
 pauses and the length of each sound can be edited; sound is exported as WAV,
 FLAC, MP3, Ogg or Opus, with subtitles and label files.
 .
 The package has a window, and a command line: koebako speak --help.
"""
COPYRIGHT = """\
Koebako itself is under the MIT licence, below. Everything else that the package holds is listed with its version and licence in
/usr/lib/koebako/NOTICE.txt; all licence texts are in /usr/lib/koebako/licenses.

"""


def make_deb(folder: Path, dist: Path, work: Path) -> Path:
    """Packs the program's folder; SystemExit where dpkg-deb is missing."""
    if shutil.which("dpkg-deb") is None:
        sys.exit("dpkg-deb was not found; a .deb is made on Debian or Ubuntu.")
    root = work / "deb"
    lay_out(folder, root)
    documents = root / "usr" / "share" / "doc" / "koebako"
    documents.mkdir(parents=True)
    (documents / "copyright").write_text(COPYRIGHT + (PROJECT / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8")
    _open_to_everybody(root)
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    control = root / "DEBIAN"
    control.mkdir()
    (control / "md5sums").write_text("".join(f"{_md5(path)}  {path.relative_to(root)}\n" for path in files), encoding="utf-8")
    version = version_of_program()
    (control / "control").write_text(control_of(version, sum(path.stat().st_size for path in files)), encoding="utf-8")
    set_dates(root, source_date())
    made = dist / f"Koebako-{version}-linux-amd64.deb"
    # Threads would cut the data at places that depend on their number; as a variable, for the dpkg of Ubuntu 22.04 does not know the option.
    env = {"SOURCE_DATE_EPOCH": str(source_date()), "DPKG_DEB_THREADS_MAX": "1"}
    run(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", str(root), str(made)], timeout_s=1_200, env=env)
    shutil.rmtree(root)
    print(f"  {made.name}: {made.stat().st_size / 1e6:.0f} MB", flush=True)
    return made


def control_of(version: str, size: int) -> str:
    """What the package says of itself.

    Args:
        size: bytes of its files.
    """
    from dev import SOUND_LIBRARIES, WINDOW_LIBRARIES

    repository = os.environ.get("KOEBAKO_REPOSITORY", "")
    control = CONTROL.format(
        version=version,
        size=-(-size // 1024),
        depends=", ".join([C_LIBRARY, *SOUND_LIBRARIES.values(), *WINDOW_LIBRARIES.values()]),
        recommends=", ".join(RECOMMENDED),
        suggests=", ".join(SUGGESTED),
        homepage=f"https://github.com/{repository}",
    )
    return control if repository else control.replace("Homepage: https://github.com/\n", "")


def _open_to_everybody(root: Path) -> None:
    """Sets the modes that files of a system have, whatever this machine's own habits are."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
