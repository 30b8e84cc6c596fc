"""Folders are made complete in `<data>/staging`, then moved into place by one rename: whatever happens, old or new is there, never a half.

Each staged folder has a lock beside it that its process holds; one whose lock is free belongs to a process that died, and is swept.
A folder that replaces another one first moves that aside as `.NAME.old` in the same place, where readers find it should the
process die between the two renames.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.files.lock import FileLock
from app.adapters.files.part_file import write_error
from app.data_file import move, sync_folder
from app.errors import AppError
from app.own_folder import make_folder
from app.paths import ASIDE_SUFFIX, aside_of, data_dir

LOCK_SUFFIX = ".lock"
MOVING_NAME = ".moving"
LONGEST_WAIT_S = 30.0  # moving folders takes milliseconds; an antivirus may hold one for seconds


def staging_dir() -> Path:
    """Where folders are made."""
    return data_dir() / "staging"


@contextmanager
def staged_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new empty folder that is gone after the block, unless it was moved into place; leftovers of dead processes are swept first.

    Args:
        parent: where it is made, on the same disk as where it will go; None is `<data>/staging`.

    Raises:
        OutputFileError: nothing can be written there, or an OSError of the block that wrote into it.
    """
    parent = parent or staging_dir()
    name = secrets.token_hex(8)
    folder, lock_path = parent / name, parent / (name + LOCK_SUFFIX)
    lock = FileLock(lock_path)
    try:
        make_folder(parent)
        with moving(parent):  # so that no sweep sees the lock before it is held
            sweep(parent)
            lock.acquire()
            make_folder(folder)
        yield folder
    except OSError as exc:
        raise write_error(Path(exc.filename) if isinstance(exc.filename, str) else folder, exc) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        with contextlib.suppress(OSError):
            lock_path.unlink(missing_ok=True)


def leftovers(parent: Path | None = None) -> list[Path]:
    """What dead processes left in the staging folder."""
    parent = parent or staging_dir()
    if not parent.is_dir():
        return []
    return [item for item in parent.iterdir() if item.is_dir() and not _owned(parent / (item.name + LOCK_SUFFIX))]


def _owned(lock_path: Path) -> bool:
    lock = FileLock(lock_path)
    if not lock_path.is_file():
        return False
    try:
        return not lock.acquire()
    finally:
        lock.release()


def sweep(parent: Path | None = None) -> None:
    """Removes what dead processes left behind, within `moving`; what cannot be removed now stays for the next time."""
    parent = parent or staging_dir()
    with contextlib.suppress(OSError):
        for folder in leftovers(parent):
            shutil.rmtree(folder, ignore_errors=True)
        for lock_path in parent.glob(f"*{LOCK_SUFFIX}"):
            if not lock_path.with_suffix("").exists() and not _owned(lock_path):
                lock_path.unlink(missing_ok=True)


def sweep_at_rest() -> None:
    """As `sweep`, for those who are not about to stage anything: at the start, and after work was cancelled."""
    if leftovers():
        with contextlib.suppress(OSError, AppError), moving(staging_dir()):
            sweep()


def put_in_place(folder: Path, target: Path) -> None:
    """Moves a complete folder to its place, replacing what is there; raises OSError with the old one back in place."""
    sync(folder)
    make_folder(target.parent)
    with moving(target.parent):
        aside = aside_of(target)
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)
            move(target, aside)
        try:
            move(folder, target)
        except OSError:
            if aside.exists() and not target.exists():
                aside.rename(target)
            raise
        sync_folder(target.parent)
        shutil.rmtree(aside, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Removes a folder so that it is there whole or not at all. OutputFileError when it is in use."""
    with staged_folder() as stage:
        move(folder, stage / folder.name)


def mend(root: Path) -> None:
    """Brings back what a dead process had moved aside, or removes it where its replacement is in place."""
    if not root.is_dir() or not any(root.glob(f".*{ASIDE_SUFFIX}")):
        return
    with contextlib.suppress(OSError), moving(root):  # where nothing can be moved, readers find it all the same
        for aside in root.glob(f".*{ASIDE_SUFFIX}"):
            target = root / aside.name[1 : -len(ASIDE_SUFFIX)]
            if target.exists():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                aside.rename(target)


@contextmanager
def moving(root: Path) -> Iterator[None]:
    """One process at a time makes, moves and sweeps folders in `root`."""
    lock = FileLock(root / MOVING_NAME)
    lock.wait(LONGEST_WAIT_S)
    try:
        yield
    finally:
        lock.release()


def sync(folder: Path) -> None:
    """Waits until all files of a folder are on the disk: a rename must not arrive there before the data."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    sync_folder(folder)
