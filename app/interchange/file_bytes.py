"""A file of the user, whole, and what is said where it cannot be read."""

from __future__ import annotations

from pathlib import Path

from app.data_file import read_patiently
from app.errors import InputError
from app.language import localized
from app.small_file import TooLargeError
from app.system_errors import reason_of

LARGEST_PROJECT_BYTES, LARGEST_TEXT_BYTES = 64 << 20, 20 << 20


def read_bytes(path: Path, largest: int = LARGEST_TEXT_BYTES) -> bytes:
    """A file that may be anything, whole. Raises InputError."""
    try:
        return read_patiently(path, largest)
    except TooLargeError as exc:
        raise too_large(path, largest) from exc
    except OSError as exc:
        raise InputError(
            localized(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."),
            localized(f"ファイルの場所を確認してください。（{reason_of(exc)}）", f"Check the path. ({reason_of(exc)})"),
        ) from exc


def too_large(path: Path, largest: int) -> InputError:
    """For a file of more bytes than are read."""
    return InputError(
        localized(f"「{path.name}」は大きすぎます。", f"“{path.name}” is too large."),
        localized(f"{largest >> 20} MB まで読み込めます。", f"The limit is {largest >> 20} MB."),
    )
