"""Checks of a download's size and content, each as early as the answer shows it, errors of the disk that stop it, and its progress: bytes, speed, remaining time."""

import errno
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.adapters.files.free_space import format_bytes
from app.common.errors import DownloadError
from app.common.language import localize
from app.common.system_errors import describe_reason

MAX_DOWNLOAD_BYTES = 8 << 30


class UnfitFileError(DownloadError):
    """The server sends another file than the expected one: nothing of it is kept."""


class ChecksumMismatchError(UnfitFileError):
    """The checksum differs."""


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """Facts about a file that are known before its download."""

    sha256: str | None = None  # lower-case hex
    size: int | None = None  # in bytes
    max_bytes: int = MAX_DOWNLOAD_BYTES  # no file may be longer, in bytes

    def check_total(self, total: int, host: str) -> None:
        """Raise UnfitFileError if a file of the announced length is not the expected one."""
        if self.size is not None and total != self.size:
            raise _build_wrong_size_error(host, self.size, total)
        self.check_growth(total, host)

    def check_growth(self, length: int, host: str) -> None:
        """Raise UnfitFileError if more bytes arrived than allowed."""
        if self.size is not None and length > self.size:
            raise _build_wrong_size_error(host, self.size, length)
        if length > self.max_bytes:
            raise UnfitFileError(
                localize(f"{host} のファイルが大きすぎます。", f"The file from {host} is too large."),
                localize("アドレスを確認してください。", "Check the address."),
            )

    def check_complete_file(self, length: int, sha256: str, host: str) -> None:
        """Raise UnfitFileError if the complete file is not the expected one."""
        if self.size is not None and length != self.size:
            raise _build_wrong_size_error(host, self.size, length)
        if self.sha256 is not None and sha256 != self.sha256:
            raise ChecksumMismatchError(
                localize(
                    f"{host} から届いたファイルは壊れています（SHA-256 が一致しません）。",
                    f"The file from {host} is damaged: its SHA-256 does not match.",
                ),
                localize("削除しました。もう一度お試しください。", "It was deleted. Try again."),
            )


def build_other_file_error(host: str) -> UnfitFileError:
    """Return the error for a server that states another checksum than the expected file's."""
    return UnfitFileError(
        localize(
            f"{host} にあるのは別のファイルです（SHA-256 が一致しません）。",
            f"The file on {host} is another one: its SHA-256 does not match.",
        ),
        localize(
            "新しいバージョンに置き換えられた可能性があります。Koebako を更新してください。",
            "It may have been replaced by a newer version. Update Koebako.",
        ),
    )


def _build_wrong_size_error(host: str, expected: int, actual: int) -> UnfitFileError:
    return UnfitFileError(
        localize(
            f"{host} のファイルのサイズが違います（正しくは {expected:,} バイト、実際は {actual:,} バイト）。",
            f"The file from {host} has the wrong size ({actual:,} bytes instead of {expected:,}).",
        ),
        localize(
            "新しいバージョンに置き換えられた可能性があります。Koebako を更新してください。",
            "It may have been replaced by a newer version. Update Koebako.",
        ),
    )


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


SPEED_SMOOTHING_S = 3.0
REPORT_INTERVAL_S = 0.1
MIN_BYTES_PER_S = 1.0  # what is slower counts as stalled: years left are no information


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """A moment of a download."""

    received: int  # bytes on the disk, those of earlier runs included
    total: int | None  # bytes in all; None where the server does not say
    bytes_per_s: float  # smoothed over a few seconds; 0 at first
    seconds_left: float | None  # None where it cannot be said

    @property
    def fraction(self) -> float:
        """Return the fraction, 0..1; 0 while the total is unknown."""
        return min(self.received / self.total, 1.0) if self.total else 0.0


OnProgress = Callable[[DownloadProgress], None]


def format_speed(bytes_per_s: float) -> str:
    """Return a speed for people: 5.5 MB/s, 12 kB/s."""
    return f"{bytes_per_s / 1e6:.1f} MB/s" if bytes_per_s >= 1e5 else f"{bytes_per_s / 1e3:.0f} kB/s"


def ignore_progress(_progress: DownloadProgress) -> None:
    """Do nothing, as the callback of callers that do not show progress."""


class DownloadProgressMeter:
    """Turns byte counts into `DownloadProgress`, at most ten times a second."""

    def __init__(self, on_progress: OnProgress, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_progress = on_progress
        self._clock = clock
        self._told_at: float | None = None
        self._measured_at = 0.0
        self._byte_count = 0
        self._bytes_per_s: float | None = None

    def start_connection(self, received: int, total: int | None) -> None:
        """Begin a connection with bytes from before, which say nothing about its speed."""
        self._measured_at, self._byte_count = self._clock(), received
        self._report_progress(received, total)

    def update_received(self, received: int, total: int | None) -> None:
        """Update the number of received bytes, also when none have arrived for a moment."""
        now_s = self._clock()
        if self._told_at is not None and now_s - self._told_at < REPORT_INTERVAL_S:
            return
        self._measure_speed(now_s, received)
        self._report_progress(received, total)

    def finish_file(self, received: int) -> None:
        """Report the complete file."""
        self._report_progress(received, received)

    def _measure_speed(self, now_s: float, received: int) -> None:
        elapsed_s = now_s - self._measured_at
        if elapsed_s <= 0:
            return
        speed = (received - self._byte_count) / elapsed_s
        weight = 1 - math.exp(-elapsed_s / SPEED_SMOOTHING_S)
        self._bytes_per_s = speed if self._bytes_per_s is None else self._bytes_per_s + weight * (speed - self._bytes_per_s)
        self._measured_at, self._byte_count = now_s, received

    def _report_progress(self, received: int, total: int | None) -> None:
        self._told_at = self._clock()
        speed = max(self._bytes_per_s or 0.0, 0.0)
        left_s = max(total - received, 0) / speed if total is not None and speed >= MIN_BYTES_PER_S else None
        self._on_progress(DownloadProgress(received, total, speed, left_s))
