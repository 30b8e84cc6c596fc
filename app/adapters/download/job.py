"""One download, connection by connection: asks for what is missing and judges what the server answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.adapters.download.disk import disk_full
from app.adapters.download.limits import Expected, UnfitFileError, WrongBytesError
from app.adapters.download.origin import Origin
from app.adapters.download.part import Part
from app.adapters.download.progress import ProgressMeter
from app.adapters.files.disk_room import check_room
from app.adapters.http.failures import broken_off, of_status
from app.adapters.http.headers import count_of
from app.adapters.http.request import Head, Request
from app.adapters.http.stream import AnswerStream
from app.adapters.http.waiting import Waiting

WHOLE, PARTIAL, RANGE_REFUSED = 200, 206, 416
_CONTENT_RANGE = re.compile(r"bytes (?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)")


class DownloadJob:
    """Fills a part until it is the expected file."""

    def __init__(
        self,
        request: Request,
        part: Part,
        expected: Expected,
        speedometer: ProgressMeter,
        cancelled: Callable[[], bool],
        waiting: Waiting,
    ) -> None:
        self._request, self._part, self._expected = request, part, expected
        self._speedometer, self._cancelled, self._waiting = speedometer, cancelled, waiting
        self._furthest = self._counted = part.length
        self._pieced = False

    def went_well(self) -> bool:
        """Whether the last attempt got well beyond where any before it had been; a server that always stops at one place does not."""
        gained = self._furthest - self._counted
        self._counted = self._furthest
        return gained >= self._request.patience.good_stretch_bytes

    def attempt(self, target: Path) -> Head:
        """One connection; with success the file is in its place.

        Raises:
            PassingError: another attempt may help.
            DownloadError: no attempt can help.
        """
        try:
            head = self._receive()
        except WrongBytesError:
            self._part.drop()
            if self._pieced:  # pieces of two files, perhaps
                raise broken_off(self._request.address.host, wait_s=0) from None
            raise
        except UnfitFileError:
            self._part.drop()
            raise
        length = self._part.length
        self._part.move_to(target)
        self._speedometer.finish(length)
        return head

    def _receive(self) -> Head:
        with AnswerStream(replace(self._request, headers=self._rest_requested()), self._cancelled, self._waiting) as stream:
            head = stream.head()
            total = self._accept(head)
            if head.status != RANGE_REFUSED:
                self._speedometer.start(self._part.length, total)
                self._part.append(stream.blocks(), lambda: self._watch(total, head.host))
        if total is not None and self._part.length != total:
            raise broken_off(head.host)
        self._expected.check_whole(self._part.length, self._part.sha256(), head.host)
        return head

    def _rest_requested(self) -> dict[str, str]:
        origin = self._part.origin
        if origin is None or origin.encoded:
            return {}
        wanted = {"Range": f"bytes={self._part.length}-"}
        # A known hash vouches for the whole. Without one the server must; and copies of one file on several servers often differ in their tags.
        if self._expected.sha256 is None and origin.validator is not None:
            wanted["If-Range"] = origin.validator
        return wanted

    def _accept(self, head: Head) -> int | None:
        """Takes the answer for what it is and returns the length of the whole file, where that is known."""
        if head.status == WHOLE:
            return self._begin(head)
        origin = self._part.origin
        match = _CONTENT_RANGE.fullmatch(head.headers.get("Content-Range", "").strip())
        total = count_of(match[2]) if match else None
        start = count_of(match[1]) if match else None
        if origin is None or head.status not in (PARTIAL, RANGE_REFUSED):
            raise of_status(head.status, head.headers, head.host)
        if head.status == RANGE_REFUSED and total == self._part.length and origin.total in (None, total):
            return total  # all was there already
        if head.status == PARTIAL and start == self._part.length and self._same_file(origin, head, total):
            return self._go_on(head, origin.total if total is None else total)
        self._part.drop()
        raise broken_off(head.host, wait_s=0)

    def _begin(self, head: Head) -> int | None:
        origin = Origin.of(head.headers, count_of(head.headers.get("Content-Length")))
        self._part.drop()
        self._pieced = False
        if origin.total is not None:
            self._expected.check_total(origin.total, head.host)
            check_room(self._part.folder, origin.total, disk_full)
        self._part.begin(origin)
        return origin.total

    def _go_on(self, head: Head, total: int | None) -> int | None:
        self._pieced = True
        if total is not None:
            self._expected.check_total(total, head.host)
            check_room(self._part.folder, total - self._part.length, disk_full)
        return total

    def _same_file(self, origin: Origin, head: Head, total: int | None) -> bool:
        fresh = Origin.of(head.headers, total)
        tags_agree = self._expected.sha256 is not None or fresh.validator in (None, origin.validator)
        return tags_agree and not fresh.encoded and (total is None or origin.total in (None, total))

    def _watch(self, total: int | None, host: str) -> None:
        length = self._part.length
        self._furthest = max(self._furthest, length)
        self._expected.check_growth(length, host)
        self._speedometer.advance(length, total)
