"""A file of the user, whole, and what is said where it cannot be read."""

from __future__ import annotations

from pathlib import Path

from app.common.errors import InputError
from app.common.files.atomic_write import read_with_retry
from app.common.files.bounded_read import FileTooLargeError
from app.common.language import localize
from app.common.system_errors import describe_reason

LARGEST_PROJECT_BYTES, LARGEST_TEXT_BYTES = 64 << 20, 20 << 20


def read_file_bytes(path: Path, max_bytes: int = LARGEST_TEXT_BYTES) -> bytes:
    """Return all bytes of a file of any content; raise InputError if it cannot be read."""
    try:
        return read_with_retry(path, max_bytes)
    except FileTooLargeError as exc:
        raise build_too_large_error(path, max_bytes) from exc
    except OSError as exc:
        raise InputError(
            localize(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."),
            localize(f"ファイルの場所を確認してください。（{describe_reason(exc)}）", f"Check the path. ({describe_reason(exc)})"),
        ) from exc


def build_too_large_error(path: Path, max_bytes: int) -> InputError:
    """Return the error for a file of more bytes than are read."""
    return InputError(
        localize(f"「{path.name}」は大きすぎます。", f"“{path.name}” is too large."),
        localize(f"{max_bytes >> 20} MB まで読み込めます。", f"The limit is {max_bytes >> 20} MB."),
    )
