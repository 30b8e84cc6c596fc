"""One question to a server: proxies of the environment, certificates of the system, redirects that we follow knowingly; its time limits and retries.

They end when the user cancels, and waits are announced, so that no command is silent for long.
"""

from __future__ import annotations

import functools
import math
import random
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from app.adapters.http.http_address import DEFAULT_PORTS, HttpAddress, UnusableAddressError, is_local_ip, parse_proxy_address
from app.adapters.http.network_messages import (
    DownloadCancelledError,
    TransientDownloadError,
    build_bad_response_error,
    build_network_error,
    build_proxy_error,
)
from app.adapters.http.response_headers import decode_utf8, parse_length
from app.common.errors import DownloadError
from app.common.language import choose_by_frontend, localize
from app.core.sound.stage_clock import ignore_cancellation

if TYPE_CHECKING:
    import urllib3


Result = TypeVar("Result")

CANCEL_POLL_S = 0.05  # how often `cancelled` is asked; the window promises an answer within 0.2 s

ANNOUNCE_AFTER_S = 3.0  # shorter waits are not worth a word

UPDATE_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times and numbers of tries; tests shorten them."""

    retries: int = 5  # tries after the first; those after a good stretch of new bytes are counted from zero
    # first_delay_s, max_delay_s: waits double from the first to the longest, each shortened by chance to as little as a half.
    first_delay_s: float = 0.5
    max_delay_s: float = 20.0
    max_retry_after_s: float = 120.0  # a server that asks for a longer rest is left alone
    connect_timeout_s: float = 15.0  # connect_timeout_s, silence_timeout_s: how long a server may take to be reached, and to say anything
    silence_timeout_s: float = 30.0
    # How long it may take for the head of an answer, redirects included, and for the whole of a small one; a server that sends a byte now
    # and then is never silent.
    response_timeout_s: float = 60.0
    min_progress_bytes: int = 1 << 20  # what counts as a good stretch

    def compute_wait_s(self, failures: int) -> float:
        """Return how long to wait after that many failures in a row (from 1), a little different for each program so that they do not come back as one."""
        return min(self.max_delay_s, self.first_delay_s * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True)
class WaitNotice:
    """A moment of waiting."""

    reason: str  # one sentence: what is waited for
    host: str  # of the server
    seconds: int | None = None  # how much longer at most; None where nobody can say
    attempt: int = 1  # attempt, attempts: which one it is, from 1, and how many there are at most
    attempts: int = 1

    @property
    def text(self) -> str:
        """Return what the user reads, with how to stop."""
        details = []
        if self.seconds is not None:
            details.append(localize(f"最長 {self.seconds} 秒", f"up to {self.seconds} s"))
            details.append(localize(f"{self.attempt}/{self.attempts} 回目", f"attempt {self.attempt} of {self.attempts}"))
        inside = localize(f"（{'、'.join(details)}）", f" ({', '.join(details)})") if details else ""
        return f"{self.reason}{inside}{localize('。', '. ')}{describe_how_to_stop()}"


OnWait = Callable[[WaitNotice | None], None]  # called with a wait about once a second while it lasts, and with None when it is over


def ignore_wait(_wait: WaitNotice | None) -> None:
    """Do nothing, as the callback of callers that do not show waits."""


def describe_how_to_stop() -> str:
    """Return how the user ends a download."""
    return choose_by_frontend(
        localize("× でキャンセルできます。", "Click × to cancel."), localize("Ctrl+C で中止できます。", "Press Ctrl+C to stop.")
    )


class WaitAnnouncer:
    """Announces the waits of one request, which has so many attempts at most."""

    def __init__(self, on_wait: OnWait = ignore_wait, attempts: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.host = ""  # of the server that is asked now
        self.attempt = 1  # which one is made, or comes next
        self._on_wait, self._attempts, self._clock = on_wait, attempts, clock
        self._announced_at: float | None = None
        self._reason = ""

    def announce_silent_server(self, silent_s: float, left_s: float) -> None:
        """Announce that the server has sent nothing for `silent_s` and is given up in `left_s`."""
        if silent_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(localize(f"{self.host} の応答を待っています", f"Waiting for {self.host} to respond"), left_s)

    def announce_next_attempt(self, failure: str, whole_s: float, left_s: float) -> None:
        """Announce that the next attempt after a failure starts in `left_s` of a wait of `whole_s`."""
        if whole_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(localize(f"{failure}再試行を待っています", f"{failure} Waiting to retry"), left_s)

    def announce_other_process(self, waited_s: float) -> None:
        """Announce that another process is downloading the same file."""
        if waited_s >= ANNOUNCE_AFTER_S:
            self._announce_wait(
                localize(
                    "別の Koebako がこのファイルをダウンロードするのを待っています",
                    "Waiting for another Koebako that is downloading this file",
                ),
                None,
            )

    def end_wait(self) -> None:
        """Announce that the wait is over."""
        if self._announced_at is not None:
            self._announced_at = None
            self._on_wait(None)

    def _announce_wait(self, reason: str, left_s: float | None) -> None:
        now_s = self._clock()
        if self._announced_at is not None and reason == self._reason and now_s - self._announced_at < UPDATE_INTERVAL_S:
            return
        self._announced_at, self._reason = now_s, reason
        seconds = None if left_s is None else max(math.ceil(left_s), 0)
        self._on_wait(WaitNotice(reason, self.host, seconds, self.attempt, self._attempts))


def retry_until_success(
    attempt: Callable[[], Result],
    retry_policy: RetryPolicy,
    cancelled: Callable[[], bool],
    has_advanced: Callable[[], bool] = ignore_cancellation,
    waiting: WaitAnnouncer | None = None,
) -> Result:
    """Call `attempt` until it raises no TransientDownloadError; raise the last one, another DownloadError, or DownloadCancelledError.

    Args:
        has_advanced: whether the last attempt brought enough to count failures from the start.
    """
    failures = 0
    waiting = waiting or WaitAnnouncer()
    while True:
        try:
            return attempt()
        except TransientDownloadError as failure:
            failures = 1 if has_advanced() else failures + 1
            rest_s = retry_policy.compute_wait_s(failures) if failure.wait_s is None else failure.wait_s
            if failures > retry_policy.retries or rest_s > retry_policy.max_retry_after_s:
                raise
            message = failure.message
        waiting.attempt = failures + 1
        sleep_unless_cancelled(rest_s, cancelled, partial(waiting.announce_next_attempt, message, rest_s))
        waiting.end_wait()


def sleep_unless_cancelled(seconds: float, cancelled: Callable[[], bool], announce: Callable[[float], None] = lambda _left_s: None) -> None:
    """Wait, and call `announce` with the remaining seconds; raise DownloadCancelledError as soon as `cancelled()` is true."""
    ends = time.monotonic() + seconds
    while not cancelled():
        left_s = ends - time.monotonic()
        if left_s <= 0:
            return
        announce(left_s)
        time.sleep(min(left_s, CANCEL_POLL_S))
    raise DownloadCancelledError


MAX_REDIRECTS = 8
REDIRECT_STATUSES = (301, 302, 303, 307, 308)
RESPONSE_BLOCK_BYTES = 1 << 18
USER_AGENT = "Koebako"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request to a server."""

    address: HttpAddress
    headers: Mapping[str, str] = field(default_factory=dict)  # sent to every server on the way
    # Sent to the first server only, and never over a line that others can read.
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"  # GET or HEAD
    same_host_only: bool = False  # a redirect to another host is an answer, not followed
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """A server's answer before the file. Header names are looked up in any case."""

    status: int
    headers: Mapping[str, str]
    address: HttpAddress

    @property
    def host(self) -> str:
        """Return who answered, for messages."""
        return self.address.host


class HttpResponse:
    """An open answer: its head, then blocks of the body."""

    def __init__(self, response: urllib3.BaseHTTPResponse, address: HttpAddress) -> None:
        self._response = response
        self.head = ResponseHead(response.status, response.headers, address)

    def read_block(self) -> bytes:
        """Return the next bytes as they arrive, decoded if the server encoded them unasked; empty at the end. Raise DownloadError."""
        try:
            return self._response.read1(RESPONSE_BLOCK_BYTES, decode_content=True)
        except Exception as exc:
            raise build_network_error(exc, self.head.host) from exc

    def interrupt(self) -> None:
        """Make a `read_block` that waits in another thread return; safe at any time."""
        try:
            self._response.shutdown()
        except (ValueError, RuntimeError, OSError):
            return  # it is over already

    def close(self) -> None:
        self._response.close()


def send_request(request: HttpRequest, on_host: Callable[[str], None]) -> HttpResponse:
    """Send the request and follow redirects; call `on_host` with each host before it is asked. Raise DownloadError."""
    address = request.address
    for _ in range(MAX_REDIRECTS + 1):
        on_host(address.host)
        try:
            response = _send_once(request, address)
        except Exception as exc:
            raise build_network_error(exc, address.host) from exc
        _check_length(response, address)
        location = response.headers.get("Location")
        if response.status not in REDIRECT_STATUSES or location is None:
            return HttpResponse(response, address)
        try:
            onward = address.join_reference(decode_utf8(location))
        except UnusableAddressError as exc:
            response.close()
            raise _build_unsafe_redirect_error(address.host, exc.reason) from exc
        if request.same_host_only and onward.origin != address.origin:
            return HttpResponse(response, address)
        response.close()
        if address.scheme == "https" and onward.scheme == "http":
            reason = localize("暗号化されていない http:// です", "it is http://, which is not encrypted")
            raise _build_unsafe_redirect_error(address.host, reason)
        if _is_local_place(onward) and not _is_local_place(request.address):
            reason = localize("このコンピューターか、隣の機器のアドレスです", "it is one of this computer or of a device beside it")
            raise _build_unsafe_redirect_error(address.host, reason)
        address = onward
    raise DownloadError(
        localize(f"{request.address.host} の転送（リダイレクト）が多すぎます。", f"{request.address.host} redirects too many times."),
        localize("アドレスを確認してください。", "Check the address."),
    )


def _is_local_place(address: HttpAddress) -> bool:
    """Return whether an address leads to this computer or a device on the same link; a name is looked up where we connect ourselves."""
    if address.is_local or _find_proxy(address) is not None:
        return address.is_local
    try:
        ends = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError:
        return False  # nobody can connect to it, which the next request says
    return any(is_local_ip(str(end[0])) for *_kind, end in ends)


def _check_length(response: urllib3.BaseHTTPResponse, address: HttpAddress) -> None:
    """Raise DownloadError for a length that is none: the library would wait for more until the server is silent for too long."""
    stated = response.headers.get("Content-Length")
    if stated is None or "Transfer-Encoding" in response.headers:
        return
    if any(parse_length(length.strip()) is None for length in stated.split(",")):
        response.close()
        raise build_bad_response_error(address.host)


def _build_unsafe_redirect_error(host: str, reason: str) -> DownloadError:
    return DownloadError(
        localize(
            f"{host} が安全でないアドレスへ転送（リダイレクト）しようとしたため、中止しました：{reason}。",
            f"{host} redirects to an unsafe address: {reason}.",
        ),
        localize("アドレスを確認してください。", "Check the address."),
    )


def _send_once(request: HttpRequest, address: HttpAddress) -> urllib3.BaseHTTPResponse:
    import urllib3

    _check_same_parse(address)
    proxy = _find_proxy(address)
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **request.headers}
    # Nobody on the way may read a secret: either it is encrypted, or it does not leave this machine.
    if address.origin == request.address.origin and (address.scheme == "https" or (address.is_on_this_machine and proxy is None)):
        headers |= request.secrets
    timeout = urllib3.Timeout(connect=request.retry_policy.connect_timeout_s, read=request.retry_policy.silence_timeout_s)
    return _create_pool(proxy).request(
        request.method,
        address.url,
        headers=headers,
        timeout=timeout,
        redirect=False,
        retries=False,
        preload_content=False,
        decode_content=False,
    )


def _check_same_parse(address: HttpAddress) -> None:
    """Raise UnusableAddressError unless the library that connects parses the address as we do."""
    import urllib3

    read = urllib3.util.parse_url(address.url)
    port = read.port or DEFAULT_PORTS.get(read.scheme or "")
    if (read.scheme, read.auth, (read.host or "").strip("[]"), port) != (address.scheme, None, address.host, address.port):
        raise UnusableAddressError(localize("解釈が一つに決まりません", "it is ambiguous"))


def _create_pool(proxy: str | None) -> urllib3.PoolManager:
    import urllib3

    if proxy is None:
        return urllib3.PoolManager(ssl_context=create_system_ssl_context())
    try:
        address, login = parse_proxy_address(proxy)
        return urllib3.ProxyManager(
            address.url,
            proxy_headers=urllib3.make_headers(proxy_basic_auth=login) if login else None,
            ssl_context=create_system_ssl_context(),
            proxy_ssl_context=create_system_ssl_context(),
        )
    except Exception as exc:
        raise build_proxy_error() from exc


def _find_proxy(address: HttpAddress) -> str | None:
    """Return the proxy of the environment, or else of the system's settings on Windows and macOS."""
    if urllib.request.proxy_bypass(address.host_and_port):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(address.scheme) or proxies.get("all") or None


@functools.cache
def create_system_ssl_context() -> ssl.SSLContext:
    """Return a context that trusts the certificates of the system; it is made once."""
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
