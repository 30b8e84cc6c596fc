"""Downloads that survive bad lines, restarts and lying servers: a file arrives whole and verified under its name, or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.adapters.download.download_job import DownloadJob
from app.adapters.download.download_limits import MAX_DOWNLOAD_BYTES, ExpectedFile
from app.adapters.download.download_progress import DownloadProgressMeter, OnProgress, ignore_progress
from app.adapters.download.partial_download import PartialDownload, hash_file
from app.adapters.http.http_address import HttpAddress, parse_address
from app.adapters.http.http_request import HttpRequest
from app.adapters.http.response_headers import parse_file_name
from app.adapters.http.retry_policy import RetryPolicy, retry_until_success
from app.adapters.http.wait_notices import OnWait, WaitAnnouncer, ignore_wait
from app.core.stage_clock import ignore_cancellation


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A complete file.

    Attributes:
        path: where it is.
        name: what the server or the address calls it, unchecked; may be empty.
        content_type: what the server takes it for, in lower case without parameters; may be empty.
    """

    path: Path
    name: str
    content_type: str


def download_file(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    size: int | None = None,
    max_bytes: int = MAX_DOWNLOAD_BYTES,
    secrets: Mapping[str, str] | None = None,
    on_progress: OnProgress = ignore_progress,
    on_wait: OnWait = ignore_wait,
    cancelled: Callable[[], bool] = ignore_cancellation,
    retry_policy: RetryPolicy | None = None,
) -> DownloadedFile:
    """Download a file, resuming an earlier try in `<data>/downloads`.

    Args:
        url: http or https.
        target: where it goes, in one step when it is complete; on the disk of the data folder.
        sha256: hex; with it the file is verified, and one that is in place already is not brought again.
        size: bytes; with it a file of another length is refused.
        max_bytes: no file may be longer, in bytes.
        secrets: headers for the first server only (see `Request`).
        on_progress: called at most ten times a second, in this thread.
        on_wait: called, in this thread, when the server is silent for more than a moment.
        cancelled: asked all the time; true ends the download within 0.2 s and keeps what is there.
        retry_policy: how often and how slowly to try again.

    Raises:
        DownloadError: what happened, and what the user can do.
        DownloadCancelledError: `cancelled()` became true.
    """
    expected = ExpectedFile(sha256.lower() if sha256 else None, size, max_bytes)
    address = parse_address(url)
    request = HttpRequest(address, secrets=secrets or {}, retry_policy=retry_policy or RetryPolicy())
    waiting = WaitAnnouncer(on_wait, request.retry_policy.retries + 1)
    part = PartialDownload(address.url, expected.sha256)
    asked_at = time.time()
    with part.lock_download(cancelled, waiting) as waited:
        if _is_in_place(target, expected.sha256, cancelled, newer_than=asked_at if waited else None):
            return DownloadedFile(target, _choose_file_name({}, address, address), "")
        part.load_earlier_bytes(verified_later=expected.sha256 is not None, cancelled=cancelled)
        # An earlier run ended just before the last step.
        if part.length and part.compute_sha256() == expected.sha256:
            part.move_to_target(target)
            return DownloadedFile(target, _choose_file_name({}, address, address), "")
        job = DownloadJob(request, part, expected, DownloadProgressMeter(on_progress), cancelled, waiting)
        head = retry_until_success(lambda: job.try_once(target), request.retry_policy, cancelled, job.has_advanced, waiting)
    return DownloadedFile(
        target,
        _choose_file_name(head.headers, address, head.address),
        head.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
    )


def _is_in_place(target: Path, sha256: str | None, cancelled: Callable[[], bool], newer_than: float | None) -> bool:
    """Return whether the file is there: by its hash, or because another process, for which we waited, has just brought it."""
    if not target.is_file():
        return False
    if sha256 is not None:
        return hash_file(target, cancelled)[0].hexdigest() == sha256
    return newer_than is not None and target.stat().st_mtime >= newer_than


def _choose_file_name(headers: Mapping[str, str], requested: HttpAddress, responding: HttpAddress) -> str:
    """From Content-Disposition, else the last part of the address we asked for, else of the one that answered."""
    name = parse_file_name(headers.get("Content-Disposition", ""))
    return name or (requested.file_name if "." in requested.file_name else responding.file_name or requested.file_name)
