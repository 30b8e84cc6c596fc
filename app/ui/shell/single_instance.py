"""Keeps one window per data folder: a second start passes its files to the open window, which comes to the front.

Two windows would overwrite each other's script. No socket is needed: requests are small files in a folder that the open window watches.
"""

import contextlib
import ctypes
import json
import logging
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import FileLock
from app.adapters.window_requests import find_requests_dir, find_window_lock_path
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import parse_json
from app.common.files.whole_files import PRIVATE, read_bounded, write_file_atomically

INSTANCE_TIMEOUT_S = 10.0  # seconds; a window that is still opening takes requests once it is ready
INSTANCE_POLL_S = 0.05
MAX_OPEN_REQUEST_BYTES = 8 << 20  # bytes; a command line cannot hold as many file names
ANY_PROCESS = -1


def acquire_window_lock(files: Sequence[Path]) -> FileLock | None:
    """Return the lock of the one window, to be held while it is open, or None if another window took over the files.

    If nothing can be written or the other window does not react, this start gets a window of its own (an unheld lock).
    """
    lock = FileLock(find_window_lock_path())
    request = find_requests_dir() / f"{uuid.uuid4().hex}.json"
    try:
        make_private_folder(find_data_dir())
        if lock.acquire():
            return lock
        # Windows lets a program raise its window only with the permission of the one that the user has just started.
        if sys.platform == "win32":
            ctypes.windll.user32.AllowSetForegroundWindow(ANY_PROCESS)
        write_file_atomically(request, json.dumps([str(file.absolute()) for file in files]).encode(), PRIVATE)
        ends = time.monotonic() + INSTANCE_TIMEOUT_S
        while request.exists():
            # The other window was closed meanwhile, or does not react.
            if lock.acquire() or time.monotonic() > ends:
                request.unlink(missing_ok=True)
                return lock
            time.sleep(INSTANCE_POLL_S)
    except OSError:
        return lock
    return None


def take_requests() -> list[list[Path]]:
    """Return the files of every waiting start, an empty list for one without files; removing its request answers it."""
    requests = []
    for request in sorted(find_requests_dir().glob("*.json")):
        with contextlib.suppress(OSError):
            content = read_bounded(request, MAX_OPEN_REQUEST_BYTES)
            request.unlink()
            try:
                requests.append(_parse_files(parse_json(content)))
            # The file is not a request from this program.
            except ValueError as exc:
                logging.getLogger("koebako").info("%s: %s", request, exc)
    return requests


def _parse_files(data: Any) -> list[Path]:
    if not isinstance(data, list) or not all(isinstance(name, str) and "\0" not in name for name in data):
        raise ValueError("no names of files")
    return [Path(name) for name in data]
