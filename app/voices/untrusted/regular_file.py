"""Files of voices that users name: what `app.small_file` opens, with the words for what it refuses."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from app import small_file
from app.errors import VoiceError
from app.language import localized
from app.system_errors import reason_of


def open_regular(path: Path) -> BufferedReader:
    """A regular file, opened for reading; a VoiceError says why it cannot be."""
    try:
        return small_file.open_regular(path)
    except OSError as exc:
        raise unreadable(path, exc) from exc


def size_of(file: BinaryIO) -> int:
    """Bytes of an open file."""
    return os.fstat(file.fileno()).st_size


def read_regular(path: Path, largest_bytes: int) -> bytes:
    """The whole of a small file; a VoiceError when it cannot be read or is larger than it may be."""
    try:
        return small_file.read_small(path, largest_bytes)
    except OSError as exc:
        raise unreadable(path, exc) from exc


def unreadable(path: Path, reason: OSError | ValueError) -> VoiceError:
    """The error for a file that cannot be opened, or not be read to its end."""
    if isinstance(reason, FileNotFoundError | NotADirectoryError):
        return VoiceError(
            localized(f"声が見つかりません: {path}", f"There is no voice at {path}"),
            localized("ファイルの場所を確認してください。", "Check the path."),
        )
    if isinstance(reason, PermissionError):
        return VoiceError(
            localized(f"ファイルを読み込む権限がありません: {path}", f"No permission to read this file: {path}"),
            localized("ファイルの権限を確認してください。", "Check the file permissions."),
        )
    if isinstance(reason, small_file.NotRegularError):
        return VoiceError(
            localized(f"ファイルではありません: {path}", f"This is not a file: {path}"),
            localized("声のファイルを選んでください。", "Choose a voice file."),
        )
    if isinstance(reason, small_file.TooLargeError):
        return VoiceError(
            localized(f"ファイルが大きすぎます: {path.name}", f"This file is too large: {path.name}"),
            str(reason.strerror),
        )
    return VoiceError(
        localized(f"ファイルを読み込めません: {path}", f"This file cannot be read: {path}"),
        localized(f"ファイルの場所を確認してください。（{reason_of(reason)}）", f"Check the path. ({reason_of(reason)})"),
    )


def is_folder(path: Path) -> bool:
    """True for a folder, or a link to one; never raises."""
    return _is(path, stat.S_ISDIR)


def is_regular(path: Path) -> bool:
    """True for a file, or a link to one; never raises, unlike `Path.is_file` where a folder is locked or links go in circles."""
    return _is(path, stat.S_ISREG)


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False
