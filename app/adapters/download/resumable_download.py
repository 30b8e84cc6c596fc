"""Downloads that survive bad connections, restarts and wrong data: a file arrives whole and verified under its name, or not at all."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.adapters.download.download_limits import (
    MAX_DOWNLOAD_BYTES,
    ChecksumMismatchError,
    DownloadProgressMeter,
    ExpectedFile,
    OnProgress,
    UnfitFileError,
    build_disk_full_error,
    ignore_progress,
)
from app.adapters.download.partial_download import PartialDownload, ResumeValidator, hash_file
from app.adapters.files.free_space import check_free_space
from app.adapters.http.http_address import HttpAddress, parse_address
from app.adapters.http.http_request import HttpRequest, OnWait, ResponseHead, RetryPolicy, WaitAnnouncer, ignore_wait, retry_until_success
from app.adapters.http.network_messages import build_disconnected_error, build_status_error
from app.adapters.http.response_headers import parse_file_name, parse_length
from app.adapters.http.response_stream import ResponseStream
from app.core.sound.stage_clock import ignore_cancellation

WHOLE, PARTIAL, RANGE_REFUSED = 200, 206, 416
_CONTENT_RANGE = re.compile(r"bytes (?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)")


class DownloadJob:
    """Fills a part until it is the expected file."""

    def __init__(
        self,
        request: HttpRequest,
        part: PartialDownload,
        expected: ExpectedFile,
        speedometer: DownloadProgressMeter,
        cancelled: Callable[[], bool],
        waiting: WaitAnnouncer,
    ) -> None:
        self._request, self._partial_download, self._expected_file = request, part, expected
        self._speedometer, self._is_cancelled, self._announcer = speedometer, cancelled, waiting
        self._furthest = self._counted_bytes = part.length
        self._is_in_pieces = False

    def has_advanced(self) -> bool:
        """Return whether the last attempt got well beyond where any before it had been; a server that always stops at one place does not."""
        gained = self._furthest - self._counted_bytes
        self._counted_bytes = self._furthest
        return gained >= self._request.retry_policy.min_progress_bytes

    def try_once(self, target: Path) -> ResponseHead:
        """Try one connection; the file is in its place then. Raise TransientDownloadError if another attempt may help, else DownloadError."""
        try:
            head = self._receive_file()
        except ChecksumMismatchError:
            self._partial_download.discard_bytes()
            # Pieces of two files, perhaps.
            if self._is_in_pieces:
                raise build_disconnected_error(self._request.address.host, wait_s=0) from None
            raise
        except UnfitFileError:
            self._partial_download.discard_bytes()
            raise
        length = self._partial_download.length
        self._partial_download.move_to_target(target)
        self._speedometer.finish_file(length)
        return head

    def _receive_file(self) -> ResponseHead:
        with ResponseStream(replace(self._request, headers=self._build_range_headers()), self._is_cancelled, self._announcer) as stream:
            head = stream.wait_for_head()
            total = self._accept_response(head)
            if head.status != RANGE_REFUSED:
                self._speedometer.start_connection(self._partial_download.length, total)
                self._partial_download.append_blocks(stream.iterate_blocks(), lambda: self._check_growth(total, head.host))
        if total is not None and self._partial_download.length != total:
            raise build_disconnected_error(head.host)
        self._expected_file.check_complete_file(self._partial_download.length, self._partial_download.compute_sha256(), head.host)
        return head

    def _build_range_headers(self) -> dict[str, str]:
        origin = self._partial_download.origin
        if origin is None or origin.encoded:
            return {}
        headers = {"Range": f"bytes={self._partial_download.length}-"}
        # A known hash vouches for the whole. Without one the server must; and copies of one file on several servers often differ in their tags.
        if self._expected_file.sha256 is None and origin.validator is not None:
            headers["If-Range"] = origin.validator
        return headers

    def _accept_response(self, head: ResponseHead) -> int | None:
        if head.status == WHOLE:
            return self._begin_file(head)
        origin = self._partial_download.origin
        match = _CONTENT_RANGE.fullmatch(head.headers.get("Content-Range", "").strip())
        total = parse_length(match[2]) if match else None
        start = parse_length(match[1]) if match else None
        if origin is None or head.status not in (PARTIAL, RANGE_REFUSED):
            raise build_status_error(head.status, head.headers, head.host)
        if head.status == RANGE_REFUSED and total == self._partial_download.length and origin.total in (None, total):
            return total  # all was there already
        if head.status == PARTIAL and start == self._partial_download.length and self._is_same_file(origin, head, total):
            return self._resume_file(head, origin.total if total is None else total)
        self._partial_download.discard_bytes()
        raise build_disconnected_error(head.host, wait_s=0)

    def _begin_file(self, head: ResponseHead) -> int | None:
        origin = ResumeValidator.from_headers(head.headers, parse_length(head.headers.get("Content-Length")))
        self._partial_download.discard_bytes()
        self._is_in_pieces = False
        if origin.total is not None:
            self._expected_file.check_total(origin.total, head.host)
            check_free_space(self._partial_download.folder, origin.total, build_disk_full_error)
        self._partial_download.begin_file(origin)
        return origin.total

    def _resume_file(self, head: ResponseHead, total: int | None) -> int | None:
        self._is_in_pieces = True
        if total is not None:
            self._expected_file.check_total(total, head.host)
            check_free_space(self._partial_download.folder, total - self._partial_download.length, build_disk_full_error)
        return total

    def _is_same_file(self, origin: ResumeValidator, head: ResponseHead, total: int | None) -> bool:
        fresh = ResumeValidator.from_headers(head.headers, total)
        tags_agree = self._expected_file.sha256 is not None or fresh.validator in (None, origin.validator)
        return tags_agree and not fresh.encoded and (total is None or origin.total in (None, total))

    def _check_growth(self, total: int | None, host: str) -> None:
        length = self._partial_download.length
        self._furthest = max(self._furthest, length)
        self._expected_file.check_growth(length, host)
        self._speedometer.update_received(length, total)


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """A complete file."""

    path: Path
    name: str  # what the server or the address calls it, unchecked; may be empty
    content_type: str  # what the server takes it for, in lower case without parameters; may be empty


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
    """Download a file in one step to `target`, on the disk of the data folder, resuming an earlier try in `<data>/downloads`.

    Args:
        sha256: hex; with it the file is verified, and one that is in place already is not brought again.
        size: bytes; with it a file of another length is refused.
        secrets: headers for the first server only (see `HttpRequest`).
        on_progress, on_wait: called in this thread, at most ten times a second, and when the server is silent for more than a moment.
        cancelled: asked all the time; true ends the download within 0.2 s with DownloadCancelledError and keeps what is there.

    Raises DownloadError: what happened, and what the user can do.
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
