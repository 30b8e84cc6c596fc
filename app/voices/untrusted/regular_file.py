"""Files of voices that users name: what `app.common.files.whole_files` opens, with the words for what it refuses."""

import os
import stat
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from app.common.errors import VoiceError
from app.common.files import whole_files
from app.common.language import localize
from app.common.system_errors import describe_reason


def open_regular_file(path: Path) -> BufferedReader:
    """Open a regular file for reading; raise VoiceError with the reason if that is not possible."""
    try:
        return whole_files.open_regular_file(path)
    except OSError as exc:
        raise build_unreadable_error(path, exc) from exc


def measure_file(file: BinaryIO) -> int:
    """Return the size of an open file in bytes."""
    return os.fstat(file.fileno()).st_size


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """Return all bytes of a small file; raise VoiceError if it cannot be read or is larger than `max_bytes`."""
    try:
        return whole_files.read_bounded(path, max_bytes)
    except OSError as exc:
        raise build_unreadable_error(path, exc) from exc


def build_unreadable_error(path: Path, reason: OSError | ValueError) -> VoiceError:
    """Return the error for a file that cannot be opened, or cannot be read to its end."""
    message = localize(f"ファイルを読み込めません: {path}", f"This file cannot be read: {path}")
    hint = localize(f"ファイルの場所を確認してください。（{describe_reason(reason)}）", f"Check the path. ({describe_reason(reason)})")
    if isinstance(reason, FileNotFoundError | NotADirectoryError):
        message = localize(f"声が見つかりません: {path}", f"There is no voice at {path}")
        hint = localize("ファイルの場所を確認してください。", "Check the path.")
    elif isinstance(reason, PermissionError):
        message = localize(f"ファイルを読み込む権限がありません: {path}", f"No permission to read this file: {path}")
        hint = localize("ファイルの権限を確認してください。", "Check the file permissions.")
    elif isinstance(reason, whole_files.NotRegularFileError):
        message = localize(f"ファイルではありません: {path}", f"This is not a file: {path}")
        hint = localize("声のファイルを選んでください。", "Choose a voice file.")
    elif isinstance(reason, whole_files.FileTooLargeError):
        message = localize(f"ファイルが大きすぎます: {path.name}", f"This file is too large: {path.name}")
        hint = str(reason.strerror)
    return VoiceError(message, hint)


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder or a link to one; never raise."""
    return _has_file_kind(path, stat.S_ISDIR)


def is_regular_file(path: Path) -> bool:
    """Return whether the path is a file or a link to one; never raise, unlike `Path.is_file` for locked folders and circular links."""
    return _has_file_kind(path, stat.S_ISREG)


def _has_file_kind(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def describe_incomplete_download() -> str:
    """Return the hint for an incomplete download, in the language of the user."""
    return localize(
        "途中までしかダウンロードされていないか、壊れている可能性があります。もう一度ダウンロードしてください。",
        "It may be damaged, or only part of it was downloaded. Download it again.",
    )
