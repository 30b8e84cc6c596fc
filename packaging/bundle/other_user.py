"""Another user for the checks: who may not write where the program is, and, where Wine runs it, has a prefix of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
ENDING_S = 30


def launcher(user: int) -> tuple[str, ...]:
    """What starts a program as that user, with no group but their own."""
    return ("setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups")


def not_entered(folders: list[Path]) -> list[Path]:
    """Those of the folders, and of the folders above them, that others may not enter."""
    return [path for folder in folders for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]


@contextmanager
def closed_to_writing(folder: Path) -> Iterator[None]:
    """For a while nobody but root may write in the folder and in those inside it."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in folders:
            path.chmod(0o755)


@contextmanager
def lent_prefix(prefix: Path, target: Path, user: int) -> Iterator[Path]:
    """The same Windows once more, in folders that belong to the user: Wine takes no prefix that is somebody else's.

    Its registry is copied, all other files are the same ones. What the user runs there has ended afterwards.
    """
    if sys.platform == "win32":
        raise NotImplementedError("Wine runs on Unix.")
    own = shutil.ignore_patterns("wineserver")  # where Debian's Wine keeps the way to a server that serves one user
    shutil.copytree(prefix, target, symlinks=True, ignore=own, copy_function=link_or_copy)
    for registry in prefix.glob("*.reg"):
        (target / registry.name).unlink()
        shutil.copy2(registry, target / registry.name)
        os.chown(target / registry.name, user, user)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir() and not path.is_symlink())):
        os.chown(folder, user, user)
    try:
        yield target
    finally:
        for option in ("-k", "-w"):
            ending = [*launcher(user), "wineserver", option]
            subprocess.run(ending, env=os.environ | {"WINEPREFIX": str(target)}, check=False, timeout=ENDING_S)


def link_or_copy(source: str, target: str) -> None:
    """The same file under a second name; a copy on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
