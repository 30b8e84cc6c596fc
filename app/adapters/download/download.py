"""Downloads that survive bad lines, restarts and lying servers: a file arrives whole and verified under its name, or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.adapters.download.job import DownloadJob
from app.adapters.download.limits import LARGEST_FILE, Expected
from app.adapters.download.part import Part, hash_of
from app.adapters.download.progress import OnProgress, ProgressMeter, unwatched
from app.adapters.http.address import Address, address_of
from app.adapters.http.headers import file_name
from app.adapters.http.request import Request
from app.adapters.http.retry_policy import RetryPolicy, retry
from app.adapters.http.waiting import OnWait, Waiting, unannounced
from app.core.timing import never


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A complete file.

    Attributes:
        path: where it is.
        name: what the server or the address calls it, unchecked; may be empty.
        content_type: what the server takes it for, in lower case without parameters; may be empty.
    """

    path: Path
    name: str
    content_type: str


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    size: int | None = None,
    largest: int = LARGEST_FILE,
    secrets: Mapping[str, str] | None = None,
    on_progress: OnProgress = unwatched,
    on_wait: OnWait = unannounced,
    cancelled: Callable[[], bool] = never,
    patience: RetryPolicy | None = None,
) -> Downloaded:
    """Downloads a file, resuming what an earlier try left in `<data>/downloads`.

    Args:
        url: http or https.
        target: where it goes, in one step when it is complete; on the disk of the data folder.
        sha256: hex; with it the file is verified, and one that is in place already is not brought again.
        size: bytes; with it a file of another length is refused.
        largest: no file may be longer, in bytes.
        secrets: headers for the first server only (see `Request`).
        on_progress: called at most ten times a second, in this thread.
        on_wait: called, in this thread, when the server is silent for more than a moment.
        cancelled: asked all the time; true ends the download within 0.2 s and keeps what is there.
        patience: how often and how slowly to try again.

    Raises:
        DownloadError: what happened, and what the user can do.
        DownloadCancelledError: `cancelled()` became true.
    """
    expected = Expected(sha256.lower() if sha256 else None, size, largest)
    address = address_of(url)
    request = Request(address, secrets=secrets or {}, patience=patience or RetryPolicy())
    waiting = Waiting(on_wait, request.patience.retries + 1)
    part = Part(address.url, expected.sha256)
    asked_at = time.time()
    with part.locked(cancelled, waiting) as waited:
        if _in_place(target, expected.sha256, cancelled, newer_than=asked_at if waited else None):
            return Downloaded(target, _name({}, address, address), "")
        part.recall(verified_later=expected.sha256 is not None, cancelled=cancelled)
        if part.length and part.sha256() == expected.sha256:  # an earlier run ended just before the last step
            part.move_to(target)
            return Downloaded(target, _name({}, address, address), "")
        job = DownloadJob(request, part, expected, ProgressMeter(on_progress), cancelled, waiting)
        head = retry(lambda: job.attempt(target), request.patience, cancelled, job.went_well, waiting)
    return Downloaded(
        target, _name(head.headers, address, head.address), head.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    )


def _in_place(target: Path, sha256: str | None, cancelled: Callable[[], bool], newer_than: float | None) -> bool:
    """Whether the file is there: by its hash, or because another process, for which we waited, has just brought it."""
    if not target.is_file():
        return False
    if sha256 is not None:
        return hash_of(target, cancelled)[0].hexdigest() == sha256
    return newer_than is not None and target.stat().st_mtime >= newer_than


def _name(headers: Mapping[str, str], asked: Address, answered: Address) -> str:
    """From Content-Disposition, else the last part of the address we asked for, else of the one that answered."""
    name = file_name(headers.get("Content-Disposition", ""))
    return name or (asked.name if "." in asked.name else answered.name or asked.name)
