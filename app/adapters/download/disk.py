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
        localized(f"「{folder}」に書き込めません：{detail}。", f'"{folder}" is not writable: {detail}.'),
        localized(
            "フォルダーの権限を確かめてください。環境変数 KOEBAKO_HOME で別の場所にできます。",
            "Check its permissions, or set KOEBAKO_HOME to another place.",
        ),
    )


def disk_full(folder: Path, needed_bytes: int = 0, free_bytes: int = 0) -> DownloadError:
    """Not enough room, found out while writing, or before: then it is known how much is needed and free."""
    missing = megabytes(needed_bytes - free_bytes)
    more = localized(f"あと約 {missing} 必要です。", f" About {missing} more are needed.") if needed_bytes else ""
    return DownloadError(
        localized(f"「{folder}」のディスクに空きがありません。", f'The disk of "{folder}" is full.') + more,
        localized(
            "空きを作ってからもう一度お試しください。途中までの分は残っています。", "Make room and try again; what has arrived is kept."
        ),
    )
