"""Files read and written whole. Read: a pipe or a device would make reading wait for ever, a large file take all memory.

Written: the old content stays until the new one is complete on the disk. One that cannot be read, though this program wrote it, is kept under another name.
"""

import contextlib
import errno
import json
import logging
import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar

from app.common.errors import AppError, InputError, OutputFileError
from app.common.files.private_data_dir import make_private_folder
from app.common.files.untrusted_json import parse_json
from app.common.gil_yield import iterate_yielding_gil
from app.common.language import localize
from app.common.system_errors import describe_reason


def open_regular_file(path: Path) -> BufferedReader:
    """Open a regular file, or a link to one, for reading; raise OSError, whose `strerror` is in the user's language if it is ours."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags)
    except ValueError as exc:  # a null character, or letters that no name can have
        raise OSError(errno.EINVAL, localize("使用できないファイル名です", "not a valid file name"), str(path)) from exc
    if stat.S_ISREG(os.fstat(number).st_mode):
        return os.fdopen(number, "rb")
    os.close(number)
    raise NotRegularFileError(errno.EINVAL, localize("ファイルではありません", "not a file"), str(path))


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return all bytes of a small regular file; raise OSError, or FileTooLargeError if it is larger than `max_bytes`."""
    with open_regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= max_bytes:
            # Room is made for all that is asked for: no more, therefore, than there is.
            content = file.read(size + 1)
            # It grows, or is in /proc, where files have no size.
            if size < len(content) <= max_bytes:
                content += file.read(max_bytes + 1 - len(content))
            if len(content) <= max_bytes:
                return content
    limit = f"{max_bytes >> 20} MB" if max_bytes >> 20 else f"{max_bytes >> 10} KB"
    raise FileTooLargeError(errno.EFBIG, localize(f"大きすぎます（{limit} まで）", f"too large (up to {limit})"), str(path))


class NotRegularFileError(OSError):
    """A folder, a pipe or a device."""


class FileTooLargeError(OSError):
    """A file of more bytes than it may have."""


Content = TypeVar("Content")

READABLE, PRIVATE = 0o666, 0o600  # who may read a file: everyone whom the system's defaults allow, or the user alone

CHECK_WRITABLE_HINT = ("フォルダーに書き込めるか確認してください。", "Check that the folder is writable.")

RETRY_DELAYS_S = (0.1, 0.3, 1.0) if os.name == "nt" else ()
"""Windows refuses to rename while somebody looks into a file or folder; an antivirus does, for a moment after it was written."""

LARGEST_BYTES, MOST_VALUES = 256 << 20, 10_000_000
"""Of one of our files: 200,000 words, or 100,000 lines with edits, take a fifth of that. A larger one was written by nobody we know."""

PARSE_FAULTS = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError, AppError)
"""What reading and checking a file may raise where it holds anything but what we wrote."""

MAX_LOGGED_REASON_CHARS = 200
MIN_ABANDONED_PART_AGE_S = 24 * 3600.0
_PART_NAME_PATTERN = re.compile(r"\..{1,24}-[0-9a-f]{8}\.part")


def prepare_part_path(path: Path) -> Path:
    """Return a hidden name for a file or folder until it is whole, with leftovers of dead processes removed; raise OSError for a path without a name."""
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with contextlib.suppress(OSError):
        for item in list_stale_parts(path.parent, MIN_ABANDONED_PART_AGE_S):
            remove_path(item)
    # Not `secrets`, here and for the ids of lines: it loads OpenSSL, for which the window would wait.
    return path.with_name(f".{path.name[:24]}-{os.urandom(4).hex()}.part")


def list_stale_parts(folder: Path, min_age_s: float) -> list[Path]:
    """Return incomplete files and folders of a folder that have not changed for so long; raise OSError if it cannot be listed."""
    part_paths = [item for item in folder.glob(".*.part") if _PART_NAME_PATTERN.fullmatch(item.name)]
    return [item for item in part_paths if time.time() - item.lstat().st_mtime > min_age_s]


def remove_path(path: Path) -> None:
    """Remove a file or folder, if it exists and can be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def move_path(source: Path, target: Path) -> None:
    """Rename a file or folder, replacing an existing file; raise OSError if that fails."""
    _retry_while_refused(lambda: source.replace(target))


def _retry_while_refused(rename: Callable[[], object]) -> None:
    """Rename what another program may still hold open, as Windows does not allow."""
    for wait_s in RETRY_DELAYS_S:
        with contextlib.suppress(PermissionError):
            rename()
            return
        time.sleep(wait_s)
    rename()


def move_to_free_name(source: Path, target: Path) -> None:
    """Rename a file to a name that nothing has; raise FileExistsError where anything has it by now, be it a link to nowhere, OSError if it fails."""
    if os.name == "nt":
        _retry_while_refused(lambda: source.rename(target))
        return
    # Other systems replace what has the name that a file is renamed to, but give it no second name that something has.
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:  # a disk that gives a file one name only
        target.touch(exist_ok=False)
        try:
            source.replace(target)
        except BaseException:
            remove_path(target)
            raise
        return
    source.unlink()


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, so that later writes may rely on them; raise OSError if that fails."""
    # Folders cannot be opened there; NTFS keeps renames in order by itself.
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def resolve_symlink(path: Path) -> Path:
    """Return what is to be replaced instead of a link, which stays one; any other path as it is, for not every drive of Windows can resolve one."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_file_atomically(path: Path, content: bytes, mode: int = READABLE) -> None:
    """Write a file at once, creating its folder if need be; if OSError is raised, nothing is left behind."""
    path = resolve_symlink(path)
    make_private_folder(path.parent)
    # The null device and its like, which an administrator could replace.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise NotRegularFileError(errno.EINVAL, localize("ファイルではありません", "not a file"), str(path))
    part_path = prepare_part_path(path)
    try:
        part_path.touch(mode, exist_ok=False)
        with part_path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        move_path(part_path, path)
    finally:
        remove_path(part_path)


def write_json(path: Path, data: Any, *, indent: int | None = 1, errors: str = "surrogatepass", mode: int = READABLE) -> None:
    """Write plain data as `write_file_atomically` does; `errors` decides about letters that are no text: kept for `json.loads`, or as `str.encode` takes it."""
    write_file_atomically(path, json.dumps(data, ensure_ascii=False, indent=indent).encode("utf-8", errors), mode)


def encode_readable_json(data: Any) -> bytes:
    """Return plain data as files hold it, with a line for each value at most three levels deep, such as the lines of a script.

    Python keeps its lock while it makes a piece: of a large script in one piece the window would notice.
    """
    return b"".join(piece.encode("utf-8", "surrogatepass") for piece in iterate_yielding_gil(_format_pieces(data, 3, "\n")))


def _format_pieces(data: Any, depth: int, indentation: str) -> Iterator[str]:
    if not depth or not data or not isinstance(data, dict | list):
        yield json.dumps(data, ensure_ascii=False)
        return
    names = [json.dumps(name, ensure_ascii=False) + ": " for name in data] if isinstance(data, dict) else [""] * len(data)
    brackets = "{}" if isinstance(data, dict) else "[]"
    between = brackets[0]
    for name, value in zip(names, data.values() if isinstance(data, dict) else data, strict=True):
        yield f"{between}{indentation} {name}"
        yield from _format_pieces(value, depth - 1, indentation + " ")
        between = ","
    yield indentation + brackets[1]


def save_data(path: Path, data: Any, failure_message: str) -> None:
    """Write the user's own data; raise OutputFileError with `failure_message` and the path if that fails."""
    save_bytes(path, json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"), failure_message)


def save_bytes(path: Path, content: bytes, failure_message: str, mode: int = PRIVATE) -> None:
    """Write bytes that are the user's own; raise OutputFileError as `save_data` does."""
    try:
        write_file_atomically(path, content, mode)
    except OSError as exc:
        why = describe_reason(exc)
        full = exc.errno in (errno.ENOSPC, errno.EDQUOT)
        ja, en = ("ディスクの空き容量を増やしてください。", "Free some space.") if full else CHECK_WRITABLE_HINT
        raise OutputFileError(f"{failure_message}: {path}", localize(f"{ja}（{why}）", f"{en} ({why})")) from exc


UNREADABLE_SUFFIX = ".unreadable"
MAX_BACKUPS = 5  # of one file; the last one is overwritten, so that whatever damages a file every day cannot fill the disk
_backup_lock = threading.Lock()  # two threads that read one file would keep two copies, and the user would read two messages


class CorruptFileError(InputError):
    """One of our files cannot be read; `backup` is where it is now, None where it could neither be copied nor renamed."""

    def __init__(self, message: str, backup: Path | None) -> None:
        hint = localize(f"元のファイルのコピーを {backup} に残しました。", f"A copy of the original was kept as {backup}.")
        super().__init__(message, "" if backup is None else hint)
        self.backup = backup


def back_up_corrupt_file(path: Path, failure_message: str, reason: str, max_bytes: int) -> CorruptFileError:
    """Keep a copy of a file that cannot be used, for the next save would overwrite it; return the error to show."""
    with _backup_lock:
        backup = _keep_copy(path, max_bytes)
    return CorruptFileError(localize(f"{failure_message}（{reason}）", f"{failure_message} ({reason})"), backup)


def _keep_copy(path: Path, max_bytes: int) -> Path | None:
    with contextlib.suppress(OSError):
        return _ensure_copy(path, read_bounded(path, max_bytes))
    # A folder, a device, a file that is too large or that nobody may read: a name is all that can be changed of it.
    with contextlib.suppress(OSError):
        return path.rename(_find_free_path(path))
    return None


def _ensure_copy(path: Path, content: bytes) -> Path:
    """Return the copy with this content, made if there is none; raise OSError if that fails."""
    for copy in _iterate_backup_paths(path):
        with contextlib.suppress(OSError):
            if read_bounded(copy, len(content)) == content:
                return copy
    copy = _find_free_path(path)
    copy.touch(0o600)
    try:
        copy.write_bytes(content)
    except OSError:  # a full disk: half a copy would only be in the way
        copy.unlink()
        raise
    return copy


def _iterate_backup_paths(path: Path) -> Iterator[Path]:
    yield path.with_name(path.name + UNREADABLE_SUFFIX)
    yield from (path.with_name(f"{path.name}{UNREADABLE_SUFFIX}.{number}") for number in range(2, MAX_BACKUPS + 1))


def _find_free_path(path: Path) -> Path:
    *names, last = _iterate_backup_paths(path)
    return next((name for name in names if not name.exists() and not name.is_symlink()), last)


def load_data(path: Path, parse: Callable[[Any], Content], failure_message: str) -> tuple[Content | None, CorruptFileError | None]:
    """Return what `save_data` wrote, as `parse` understands it; whatever `parse` raises, the file is one that cannot be used.

    None where there is no file, or none that can be used: that one is kept under another name, and the second value is the error, which begins
    with `failure_message`, a sentence without its reason.
    """
    try:
        return _load_file(path, parse), None
    except FileNotFoundError:
        return None, None
    except PARSE_FAULTS as exc:
        _log_error(path, exc)
        reason = describe_reason(exc) if isinstance(exc, OSError) else localize("内容が壊れています", "its content is damaged")
        return None, back_up_corrupt_file(path, failure_message, reason, LARGEST_BYTES)


def load_cache(path: Path, parse: Callable[[Any], Content]) -> Content | None:
    """Load data that can be computed again; if they cannot be used, only the log reports it."""
    try:
        return _load_file(path, parse)
    except FileNotFoundError:
        return None
    except PARSE_FAULTS as exc:
        _log_error(path, exc)
        return None


def _log_error(path: Path, exc: Exception) -> None:
    """Log an error that the user does not see, in the original error's own words."""
    logging.getLogger("koebako").info("%s cannot be used: %s: %s", path, type(exc).__name__, str(exc)[:MAX_LOGGED_REASON_CHARS])


def _load_file(path: Path, parse: Callable[[Any], Content]) -> Content:
    text = read_with_retry(path, LARGEST_BYTES).decode("utf-8-sig", "surrogatepass")
    return parse(parse_json(text, most_values=MOST_VALUES, is_lenient=True))


def read_with_retry(path: Path, max_bytes: int) -> bytes:
    """Read a file as `read_bounded` does, and retry while another program has it open; raise OSError if that fails."""
    for wait_s in RETRY_DELAYS_S:
        with contextlib.suppress(PermissionError):
            return read_bounded(path, max_bytes)
        time.sleep(wait_s)
    return read_bounded(path, max_bytes)


def check_version(data: Any, version: int, name: str) -> dict[str, Any]:
    """Return the object `name` of a file of this version; raise ValueError if the data are of another version, or no such object."""
    if not isinstance(data, dict) or data.get("version") != version or not isinstance(data.get(name), dict):
        raise ValueError(f"no {name}")
    return dict(data[name])
