"""Imported by every Python process of the attack at its start: notes what it writes outside of where it may write."""

# pathlib is not imported here: a program's start takes as long as it does without us.
# ruff: noqa: PTH100, PTH112, PTH115, PTH118, PTH119, PTH120

import os
import sys
from typing import Any

_FILE = os.environ.get("KOEBAKO_ATTACK_WRITES")
_ALLOWED = (
    *filter(None, os.environ.get("KOEBAKO_ATTACK_ALLOWED", "").split(os.pathsep)),
    "/dev/",
    "/proc/",
    "/sys/",
)  # nothing can be made in the last ones
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Event of the interpreter → which of its arguments are paths that change.
_CHANGING = {
    "os.mkdir": (0,), "os.rename": (0, 1), "os.remove": (0,), "os.rmdir": (0,), "os.link": (1,), "os.symlink": (1,), "os.truncate": (0,),
    "os.chmod": (0,), "os.utime": (0,), "sqlite3.connect": (0,),
}  # fmt: skip
_AT_FOLDERS = ("os.remove", "os.rmdir")  # their last argument may be an open folder, as `shutil.rmtree` has it
_busy = False


def _below(folder: int | None, path: str | bytes) -> str | bytes:
    return path if folder is None else os.path.join(os.readlink(f"/proc/self/fd/{folder}"), os.fsdecode(path))


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    global _busy
    if event == "open":
        path, _, flags = arguments
        paths: tuple[str | bytes, ...] = (path,) if isinstance(flags, int) and flags & _WRITING else ()
    elif event in _CHANGING:
        folder = next((item for item in arguments[-2:] if isinstance(item, int) and item >= 0 and event in _AT_FOLDERS), None)
        paths = tuple(_below(folder, arguments[index]) for index in _CHANGING[event])
    else:
        return
    if _busy or not paths:
        return
    _busy = True
    try:
        for path in paths:
            if isinstance(path, bytes):
                path = os.fsdecode(path)
            if isinstance(path, str) and path not in ("", ":memory:"):
                _tell(event, path)
    finally:
        _busy = False


def _tell(event: str, path: str) -> None:
    whole = os.path.abspath(path)
    whole = whole[1:] if whole.startswith("//") else whole  # which POSIX leaves to the system, and Linux takes for one
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    if all(item.startswith(_ALLOWED) for item in (whole, real)) or (event == "os.mkdir" and os.path.isdir(whole)):
        return
    number = os.open(_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(number, f"{event} {whole}\n".encode("utf-8", "backslashreplace"))
    os.close(number)


if _FILE:
    sys.addaudithook(_note)
