"""What the disk may do to a download, as sentences for the user."""

from __future__ import annotations

import errno
from pathlib import Path

from app.adapters.files.disk_room import megabytes
from app.errors import DownloadError
from app.language import localized
from app.system_errors import reason_of


def of_disk(error: OSError, folder: Path) -> DownloadError:
    """What the system said about writing the download."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return disk_full(folder)
    detail = reason_of(error)
    return DownloadError(
        localized(f"「{folder}」に書き込めません：{detail}。", f"“{folder}” is not writable: {detail}."),
        localized(
            "フォルダーの権限を確認するか、環境変数 KOEBAKO_HOME で別の場所を指定してください。",
            "Check its permissions, or set KOEBAKO_HOME to another folder.",
        ),
    )


def disk_full(folder: Path, needed_bytes: int = 0, free_bytes: int = 0) -> DownloadError:
    """Not enough room, found out while writing, or before: then it is known how much is needed and free."""
    missing = megabytes(needed_bytes - free_bytes)
    more = localized(f"あと約 {missing} 必要です。", f" About {missing} more is required.") if needed_bytes else ""
    return DownloadError(
        localized(f"「{folder}」のディスクの空き容量が足りません。", f"Not enough disk space for “{folder}”.") + more,
        localized(
            "空き容量を増やしてから、もう一度お試しください。途中までのデータは残っています。",
            "Free some space and try again; the part already downloaded is kept.",
        ),
    )
