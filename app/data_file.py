"""Files that are always whole: the old content stays until the new one is complete on the disk."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.errors import AppError, InputError, OutputFileError
from app.language import say

Content = TypeVar("Content")

READABLE, PRIVATE = 0o666, 0o600
"""Who may read a file: whoever the system lets by default, or the user alone."""

WAITS_S = (0.1, 0.3, 1.0) if os.name == "nt" else ()
"""Windows refuses to rename while somebody looks into a file or folder; an antivirus does, for a moment after it was written."""

ABANDONED_S = 24 * 3600.0
_PART = re.compile(r"\..{1,24}-[0-9a-f]{8}\.part")


def part_beside(path: Path) -> Path:
    """A hidden name for a file or folder until it is whole; what dead processes left in that place goes."""
    with contextlib.suppress(OSError):
        for item in parts_in(path.parent, ABANDONED_S):
            drop(item)
    # Not `secrets`, here and for the ids of lines: it loads OpenSSL, for which the window would wait.
    return path.with_name(f".{path.name[:24]}-{os.urandom(4).hex()}.part")


def parts_in(folder: Path, older_s: float) -> list[Path]:
    """Files and folders of a folder that are not whole, and have not changed for so long. Raises OSError."""
    named = [item for item in folder.glob(".*.part") if _PART.fullmatch(item.name)]
    return [item for item in named if time.time() - item.lstat().st_mtime > older_s]


def drop(path: Path) -> None:
    """Removes a file or folder, if it is there and lets itself be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def move(source: Path, target: Path) -> None:
    """Renames a file or folder; a file that is there gives way. Raises OSError."""
    for wait_s in WAITS_S:
        with contextlib.suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(wait_s)
    source.replace(target)


def behind_link(path: Path) -> Path:
    """What is to be replaced instead of a link, which stays one; any other path as it is, for not every drive of Windows can resolve one."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_whole(path: Path, content: bytes, mode: int = READABLE) -> None:
    """Writes a file at once, making its folder where needed. Raises OSError, and leaves nothing behind then."""
    path = behind_link(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_beside(path)
    try:
        part.touch(mode, exist_ok=False)
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        move(part, path)
    finally:
        drop(part)


def write_json(path: Path, data: Any, *, indent: int | None = 1, errors: str = "surrogatepass", mode: int = READABLE) -> None:
    """Writes plain data as `write_whole` does; `errors` is for letters that are no text: kept for `json.loads`, or what `str.encode` takes."""
    write_whole(path, json.dumps(data, ensure_ascii=False, indent=indent).encode("utf-8", errors), mode)


def read_json(path: Path, kind: type[Content]) -> Content:
    """What `write_json` wrote; an empty one where nothing of this kind can be read."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return kind()
    return data if isinstance(data, kind) else kind()


def save_data(path: Path, data: Any, failed: str, *, indent: int | None = 1) -> None:
    """Writes what is the user's own; an OutputFileError says `failed` and where."""
    try:
        write_json(path, data, indent=indent, mode=PRIVATE)
    except OSError as exc:
        raise OutputFileError(
            f"{failed}: {path}",
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc


def load_data(path: Path, read: Callable[[Any], Content], failed: str) -> tuple[Content | None, AppError | None]:
    """What `save_data` wrote, as `read` understands it; None where there is nothing, or nothing that can be read, which is told.

    Args:
        read: raises ValueError for what it does not understand.
        failed: one sentence without its reason.
    """
    try:
        return read(json.loads(path.read_bytes())), None
    except FileNotFoundError:
        return None, None
    except (OSError, ValueError, RecursionError) as exc:
        return None, set_aside(path, failed, str(exc))


def versioned(data: Any, version: int, name: str) -> dict[str, Any]:
    """The object `name` of a file of this version; a ValueError when it is another one, or none."""
    if not isinstance(data, dict) or data.get("version") != version or not isinstance(data.get(name), dict):
        raise ValueError(f"no {name}")
    return dict(data[name])


def set_aside(path: Path, failed: str, reason: str) -> AppError:
    """Copies a file that cannot be used, for the next save would overwrite it; what to tell of that."""
    copy = path.with_name(path.name + ".unreadable")
    hint = say(f"元のファイルは {copy} に残してあります。", f"The file as it was is kept as {copy}.")
    try:
        shutil.copyfile(path, copy)
    except OSError:
        hint = ""
    return InputError(say(f"{failed}（{reason}）", f"{failed} ({reason})"), hint)
