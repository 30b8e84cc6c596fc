"""The newest release, as its own file `latest.json` announces it: `{"version", "page", "notes": {"ja", "en"}}`.

One request asks for it, over https, and carries nothing but this program's version. The answer is a stranger's until it is read: whatever is
wrong in it is left out, and the page must be on the server that was asked.
"""

import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from app.adapters.http.http_address import HttpAddress, UnusableAddressError, parse_address
from app.adapters.http.http_request import USER_AGENT, HttpRequest, RetryPolicy
from app.adapters.http.response_stream import read_json_response
from app.common.files.release_file import read_feed_address
from app.common.files.untrusted_json import parse_object, sanitise_long_text
from app.common.version import VERSION
from app.core.sound.stage_clock import ignore_cancellation

MAX_FEED_BYTES = 256 << 10
MAX_NOTE_CHARS = 20_000
SINGLE_TRY = RetryPolicy(retries=0)  # it is asked again next week
_VERSION_PATTERN = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Release:
    """A version that was published."""

    version: str
    page: str  # where it can be downloaded; empty if that is not known
    notes: dict[str, str]  # what is new, by language, as plain text


class ReleaseSource(Protocol):
    """Whatever announces newer versions."""

    def fetch_newer_release(self, cancelled: Callable[[], bool] = ignore_cancellation) -> Release | None:
        """Return the newest release if it is newer than this program; raise DownloadError."""
        ...


class ReleaseFeed:
    """The newest release's own file on the server that publishes it."""

    def __init__(self, address: HttpAddress) -> None:
        self._address = address

    def fetch_newer_release(self, cancelled: Callable[[], bool] = ignore_cancellation) -> Release | None:
        """Return the newest release if it is newer than this program; raise DownloadError."""
        headers = {"User-Agent": f"{USER_AGENT}/{VERSION}", "Accept": "application/json"}
        request = HttpRequest(self._address, headers, retry_policy=SINGLE_TRY)
        return _parse_newer_release(read_json_response(request, cancelled, max_bytes=MAX_FEED_BYTES), self._address)


def create_release_source() -> ReleaseSource | None:
    """Return what announces newer versions of this program; None for a checkout, and for a build whose store does that itself."""
    try:
        address = parse_address(read_feed_address())
    except UnusableAddressError:
        return None
    return ReleaseFeed(address) if address.scheme == "https" or address.is_on_this_machine else None


def pack_release(release: Release) -> str:
    """Return a release as a text that `read_packed_release` takes."""
    return json.dumps(asdict(release), ensure_ascii=False)


def read_packed_release(packed: str) -> Release | None:
    """Return a release that an earlier start found, if it is still newer than this program, with the checks of a new answer."""
    try:
        return _parse_newer_release(parse_object(packed), parse_address(read_feed_address()))
    except (UnusableAddressError, ValueError):
        return None


def split_version(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, as versions are compared; 1.0 and 1.0.0 are the same."""
    numbers = [int(number) for number in version.split(".")]
    return tuple([*numbers, 0, 0, 0, 0][:4])


def _parse_newer_release(data: dict[str, Any], feed: HttpAddress) -> Release | None:
    release = parse_release(data, feed)
    return release if release is not None and split_version(release.version) > split_version(VERSION) else None


def parse_release(data: dict[str, Any], feed: HttpAddress) -> Release | None:
    """Return what a feed announces; None where that is no release."""
    version, notes = data.get("version"), data.get("notes")
    if not isinstance(version, str) or _VERSION_PATTERN.fullmatch(version) is None:
        return None
    texts = notes if isinstance(notes, dict) else {}
    clean = {name: sanitise_long_text(text[:MAX_NOTE_CHARS]) for name in ("ja", "en") if isinstance(text := texts.get(name), str)}
    page = ""
    with contextlib.suppress(UnusableAddressError):
        if isinstance(url := data.get("page"), str) and (address := parse_address(url)).origin == feed.origin:
            page = address.url
    return Release(version, page, clean)
