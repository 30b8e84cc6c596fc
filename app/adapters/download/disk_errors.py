"""Sentences for the user about a disk that stops a download."""

from __future__ import annotations

import errno
from pathlib import Path

from app.adapters.files.free_space import format_bytes
from app.common.errors import DownloadError
from app.common.language import localize
from app.common.system_errors import describe_reason


def build_disk_error(error: OSError, folder: Path) -> DownloadError:
    """Return what the system said about writing the download."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return build_disk_full_error(folder)
    detail = describe_reason(error)
    return DownloadError(
        localize(f"「{folder}」に書き込めません：{detail}。", f"“{folder}” is not writable: {detail}."),
        localize(
            "フォルダーの権限を確認するか、環境変数 KOEBAKO_HOME で別の場所を指定してください。",
            "Check its permissions, or set KOEBAKO_HOME to another folder.",
        ),
    )


def build_disk_full_error(folder: Path, needed_bytes: int = 0, free_bytes: int = 0) -> DownloadError:
    """Return the error for a full disk, found while writing or before; in the latter case the needed and free bytes are known."""
    missing = format_bytes(needed_bytes - free_bytes)
    more = localize(f"あと約 {missing} 必要です。", f" About {missing} more is required.") if needed_bytes else ""
    return DownloadError(
        localize(f"「{folder}」のディスクの空き容量が足りません。", f"Not enough disk space for “{folder}”.") + more,
        localize(
            "空き容量を増やしてから、もう一度お試しください。途中までのデータは残っています。",
            "Free some space and try again; the part already downloaded is kept.",
        ),
    )
