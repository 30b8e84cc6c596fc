"""Runs the refinement of a voice or BERT: one at a time on a computer, and adopted only if its folder is still the one that was refined."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from app.adapters.files.file_lock import FileLock
from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.install.staging_folders import create_staging_folder, lock_moves, sync_files_to_disk
from app.voices.pending_refinement import (
    PENDING_FILES,
    clear_pending_refinement,
    is_refinement_pending,
    is_still_pending,
    read_pending_refinement,
)

REFINEMENT_LOCK_NAME = ".refining"
LOCK_POLL_S = 0.5
RefinementOutcome = Literal["refined", "failed", "replaced"]
ChangeFolder = Callable[[], object]
_log = logging.getLogger("koebako")


def run_refinement(
    folder: Path,
    name: str,
    compute_results: Callable[[Path], ChangeFolder],
    add_failure_note: ChangeFolder,
    *,
    pending_files: Collection[str] = PENDING_FILES,
) -> RefinementOutcome:
    """Finish what is in a folder, once no other program finishes anything.

    Args:
        name: for the log.
        compute_results: writes the results into an empty folder, and returns what adopts them.
        add_failure_note: says in the folder that it keeps what it has.
        pending_files: the files that go once it is finished.

    Returns:
        "failed" where it keeps what it has; "replaced" where there is nothing left to do for it.

    Raises:
        OutputFileError: the disk is full or cannot be written; the folder stays pending.
    """
    with _lock_refinement():
        pending = read_pending_refinement(folder)
        if pending is None:
            return "replaced"
        try:
            with create_staging_folder() as results:
                adopt_results = compute_results(results)
                sync_files_to_disk(results)
                is_adopted = _finish_folder(folder, pending.token, adopt_results, pending_files)
        except OutputFileError:
            raise
        except AppError as error:
            _log.warning("%s could not be refined: %s %s", name, error.message, error.hint)
            return "failed" if _finish_folder(folder, pending.token, add_failure_note, pending_files) else "replaced"
        return "refined" if is_adopted else "replaced"


def abandon_refinement(folder: Path, pending_files: Collection[str] = PENDING_FILES, record: ChangeFolder = lambda: None) -> None:
    """Leave what is in a folder as it is for good; raise OutputFileError if the disk refuses it.

    Args:
        record: records in the folder that it was abandoned.
    """
    try:
        with lock_moves(folder.parent):
            if is_refinement_pending(folder):
                record()
            clear_pending_refinement(folder, pending_files)
    except OSError as exc:
        raise build_write_error(folder, exc) from exc


@contextmanager
def _lock_refinement() -> Iterator[None]:
    """Wait until no other program refines a voice or BERT; raise OutputFileError for an OSError, also of the block."""
    data = find_data_dir()
    lock = FileLock(data / REFINEMENT_LOCK_NAME)
    try:
        make_private_folder(data)
        while not lock.acquire() and not lock.is_unsupported:
            time.sleep(LOCK_POLL_S)
        yield
    except OSError as exc:
        raise build_write_error(data, exc) from exc
    finally:
        lock.release()


def _finish_folder(folder: Path, token: str, change_folder: ChangeFolder, pending_files: Collection[str]) -> bool:
    """Change a folder and remove its mark last; return False, and change nothing, if another voice or BERT is there by now."""
    with lock_moves(folder.parent):
        if not is_still_pending(folder, token):
            return False
        change_folder()
        clear_pending_refinement(folder, pending_files)
        return True
