"""Folders are made complete in `<data>/staging`, then moved into place by one rename: whatever happens, old or new is there, never a half.

Each staged folder has a lock next to it that its process holds; one whose lock is free belongs to a process that died, and is swept.
A folder that replaces another one first moves that aside as `.NAME.old` in the same place, where readers find it should the
process die between the two renames.
"""

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from app.adapters.files.file_lock import FileLock, is_lock_held
from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError
from app.common.files.paths import REPLACED_SUFFIX, build_replaced_path, find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import move_path, sync_folder

STAGING_LOCK_SUFFIX = ".lock"
MOVE_LOCK_NAME = ".moving"
MAX_MOVE_LOCK_WAIT_S = 30.0  # moving folders takes milliseconds, but an antivirus may hold one for seconds
_Read = TypeVar("_Read")


def find_staging_dir() -> Path:
    """Return the folder in which new folders are made."""
    return find_data_dir() / "staging"


@contextmanager
def create_staging_folder() -> Iterator[Path]:
    """Create an empty folder that is removed after the block, unless it was moved; leftovers of dead processes are removed first.

    Raise OutputFileError if nothing can be written there, or for an OSError of the block that wrote into it.
    """
    folder = find_staging_dir() / secrets.token_hex(8)
    lock_path = folder.with_suffix(STAGING_LOCK_SUFFIX)
    lock = FileLock(lock_path)
    try:
        make_private_folder(folder.parent)
        # Without this lock a sweep could see the lock file before it is held.
        with lock_moves(folder.parent):
            remove_leftovers()
            lock.acquire()
            make_private_folder(folder)
        yield folder
    except OSError as exc:
        raise build_write_error(Path(exc.filename) if isinstance(exc.filename, str) else folder, exc) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        with contextlib.suppress(OSError):
            lock_path.unlink(missing_ok=True)


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of the target once the block has filled it; raise as `create_staging_folder`."""
    with create_staging_folder() as stage:
        folder = stage / target.name
        make_private_folder(folder)
        yield folder
        move_into_place(folder, target)


def list_leftovers() -> list[Path]:
    """List the folders that dead processes left in the staging folder."""
    folders = find_staging_dir().iterdir() if find_staging_dir().is_dir() else ()
    return [item for item in folders if item.is_dir() and not is_lock_held(item.with_suffix(STAGING_LOCK_SUFFIX))]


def remove_leftovers() -> None:
    """Remove leftovers of dead processes, within `lock_moves`; those that cannot be removed now stay for the next time."""
    with contextlib.suppress(OSError):
        for folder in list_leftovers():
            shutil.rmtree(folder, ignore_errors=True)
        for lock_path in find_staging_dir().glob(f"*{STAGING_LOCK_SUFFIX}"):
            if not lock_path.with_suffix("").exists() and not is_lock_held(lock_path):
                lock_path.unlink(missing_ok=True)


def remove_leftovers_when_idle() -> None:
    """Remove leftovers as `remove_leftovers`, for callers that are not about to stage anything: at the start, and after work was cancelled."""
    if list_leftovers():
        with contextlib.suppress(OSError, AppError), lock_moves(find_staging_dir()):
            remove_leftovers()


def move_into_place(folder: Path, target: Path) -> None:
    """Move a complete folder to its place, replacing an existing one; if OSError is raised, the old one is back in place."""
    sync_files_to_disk(folder)
    make_private_folder(target.parent)
    with lock_moves(target.parent):
        aside = build_replaced_path(target)
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)
            move_path(target, aside)
        try:
            move_path(folder, target)
        except OSError:
            if aside.exists() and not target.exists():
                aside.rename(target)
            raise
        sync_folder(target.parent)
        shutil.rmtree(aside, ignore_errors=True)


def read_in_place(folder: Path, read: Callable[[Path], _Read]) -> _Read:
    """Return what `read` makes of a folder that no other process replaces meanwhile."""
    with lock_moves(folder.parent):
        return read(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder as a whole or not at all; raise OutputFileError if it is in use."""
    with create_staging_folder() as stage:
        move_path(folder, stage / folder.name)


def recover_interrupted_moves(root: Path) -> None:
    """Restore folders that a dead process had moved aside, or remove them if their replacement is in place."""
    if not root.is_dir() or not any(root.glob(f".*{REPLACED_SUFFIX}")):
        return
    # Where nothing can be moved, readers find the folder all the same.
    with contextlib.suppress(OSError), lock_moves(root):
        for aside in root.glob(f".*{REPLACED_SUFFIX}"):
            target = root / aside.name[1 : -len(REPLACED_SUFFIX)]
            if target.exists():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                aside.rename(target)


def lock_moves(root: Path) -> contextlib.AbstractContextManager[None]:
    """Let one process at a time make, move and remove folders in `root`."""
    return FileLock(root / MOVE_LOCK_NAME).hold_lock(MAX_MOVE_LOCK_WAIT_S)


def link_or_copy(source: Path, target: Path, *, may_link: bool = True) -> None:
    """Give a file that does not change a second name, or copy it where the disk has no second names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if may_link:
        with contextlib.suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)


def sync_files_to_disk(folder: Path) -> None:
    """Wait until all files of a folder are on the disk: a rename must not arrive there before the data."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    sync_folder(folder)
