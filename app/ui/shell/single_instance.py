"""One window for each data folder: a second start gives its files to the window that is open, which comes to the front.

Two windows would overwrite each other's script. No socket is needed: requests are small files in a folder that the open window watches.
"""

from __future__ import annotations

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

from app.adapters.files.lock import FileLock
from app.data_file import PRIVATE, write_whole
from app.json_text import parse_json
from app.own_folder import make_folder
from app.paths import data_dir
from app.small_file import read_small

PATIENCE_S = 10.0  # a window that is just opening takes requests once it stands
POLL_S = 0.05
LARGEST_REQUEST_BYTES = 8 << 20  # more names than a start can be given
ANY_PROCESS = -1


def requests_dir() -> Path:
    """Where requests wait."""
    return data_dir() / "requests"


def take_place(files: Sequence[Path]) -> FileLock | None:
    """The lock of the one window, to be held as long as it is open; None when another window took the files over.

    Where nothing can be written, or the other window does not react, this start gets a window of its own (an unheld lock).
    """
    lock = FileLock(data_dir() / "window.lock")
    request = requests_dir() / f"{uuid.uuid4().hex}.json"
    try:
        make_folder(data_dir())
        if lock.acquire():
            return lock
        _let_it_come_to_the_front()
        write_whole(request, json.dumps([str(file.absolute()) for file in files]).encode(), PRIVATE)
        ends = time.monotonic() + PATIENCE_S
        while request.exists():
            if lock.acquire() or time.monotonic() > ends:  # it was closed meanwhile, or stands still
                request.unlink(missing_ok=True)
                return lock
            time.sleep(POLL_S)
    except OSError:
        return lock
    return None


def take_requests() -> list[list[Path]]:
    """The files of every start that waits, an empty list for one without files; each is answered by removing its request."""
    taken = []
    for request in sorted(requests_dir().glob("*.json")):
        with contextlib.suppress(OSError):
            content = read_small(request, LARGEST_REQUEST_BYTES)
            request.unlink()
            try:
                taken.append(_files(parse_json(content)))
            except ValueError as exc:  # nobody asked for that
                logging.getLogger("koebako").info("%s: %s", request, exc)
    return taken


def _files(data: Any) -> list[Path]:
    if not isinstance(data, list) or not all(isinstance(name, str) and "\0" not in name for name in data):
        raise ValueError("no names of files")
    return [Path(name) for name in data]


def _let_it_come_to_the_front() -> None:
    """Windows lets a program raise its window only by leave of the one that the user has just started."""
    if sys.platform == "win32":
        ctypes.windll.user32.AllowSetForegroundWindow(ANY_PROCESS)
