"""One question to a server: proxies of the environment, certificates of the system, redirects that we follow knowingly."""

from __future__ import annotations

import functools
import ssl
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.adapters.http.address import DEFAULT_PORTS, Address, UnusableAddressError, proxy_address
from app.adapters.http.failures import of_exception, proxy_failure
from app.adapters.http.headers import as_utf8
from app.adapters.http.retry_policy import RetryPolicy
from app.errors import DownloadError
from app.language import localized

if TYPE_CHECKING:
    import urllib3

MOST_REDIRECTS = 8
REDIRECTS = (301, 302, 303, 307, 308)
BLOCK_BYTES = 1 << 18
USER_AGENT = "Koebako"


@dataclass(frozen=True, slots=True)
class Request:
    """What we ask for.

    Attributes:
        address: where.
        headers: sent to every server on the way.
        secrets: sent to the first server only, and never over a line that others can read.
        method: GET or HEAD.
        same_host_only: a redirect to another host is an answer, not followed.
        patience: its times.
    """

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    same_host_only: bool = False
    patience: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, slots=True)
class Head:
    """What a server answers before the file. Header names are looked up in any case."""

    status: int
    headers: Mapping[str, str]
    address: Address

    @property
    def host(self) -> str:
        """Who answered, for messages."""
        return self.address.host


class Answer:
    """An open answer: its head, then blocks of the body."""

    def __init__(self, response: urllib3.BaseHTTPResponse, address: Address) -> None:
        self._response = response
        self.head = Head(response.status, response.headers, address)

    def read(self) -> bytes:
        """The next bytes as they arrive, decoded where the server encoded them unasked; empty at the end. Raises DownloadError."""
        try:
            return self._response.read1(BLOCK_BYTES, decode_content=True)
        except Exception as exc:
            raise of_exception(exc, self.head.host) from exc

    def interrupt(self) -> None:
        """Makes a `read` that waits in another thread return; safe at any time."""
        try:
            self._response.shutdown()
        except (ValueError, RuntimeError, OSError):
            return  # it is over already

    def close(self) -> None:
        """Ends the connection."""
        self._response.close()


def ask(request: Request, asking: Callable[[str], None]) -> Answer:
    """Sends the request and follows redirects.

    Args:
        request: what to ask for.
        asking: called with the host before it is asked, and again with each one that a redirect leads to.

    Raises:
        DownloadError: the address is refused, the server or the proxy cannot be reached or trusted, redirects go wrong.
    """
    address = request.address
    for _ in range(MOST_REDIRECTS + 1):
        asking(address.host)
        try:
            response = _send(request, address)
        except Exception as exc:
            raise of_exception(exc, address.host) from exc
        location = response.headers.get("Location")
        if response.status not in REDIRECTS or location is None:
            return Answer(response, address)
        try:
            onward = address.join(as_utf8(location))
        except UnusableAddressError as exc:
            response.close()
            raise _unsafe_redirect(address.host, exc.reason) from exc
        if request.same_host_only and onward.origin != address.origin:
            return Answer(response, address)
        response.close()
        if address.scheme == "https" and onward.scheme == "http":
            raise _unsafe_redirect(address.host, localized("暗号化されていない http:// です", "it is http://, which is not encrypted"))
        address = onward
    raise DownloadError(
        localized(f"{request.address.host} の転送（リダイレクト）が多すぎます。", f"{request.address.host} redirects too many times."),
        localized("アドレスを確認してください。", "Check the address."),
    )


def _unsafe_redirect(host: str, reason: str) -> DownloadError:
    return DownloadError(
        localized(
            f"{host} が安全でないアドレスへ転送（リダイレクト）しようとしたため、中止しました：{reason}。",
            f"{host} redirects to an unsafe address: {reason}.",
        ),
        localized("アドレスを確認してください。", "Check the address."),
    )


def _send(request: Request, address: Address) -> urllib3.BaseHTTPResponse:
    import urllib3

    _check_agreement(address)
    proxy = _proxy_for(address)
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **request.headers}
    # Nobody on the way may read a secret: either it is encrypted, or it does not leave this machine.
    if address.origin == request.address.origin and (address.scheme == "https" or (address.on_this_machine and proxy is None)):
        headers |= request.secrets
    timeout = urllib3.Timeout(connect=request.patience.connect_s, read=request.patience.silence_s)
    return _pool(proxy).request(
        request.method,
        address.url,
        headers=headers,
        timeout=timeout,
        redirect=False,
        retries=False,
        preload_content=False,
        decode_content=False,
    )


def _check_agreement(address: Address) -> None:
    """Raises UnusableAddressError unless the library that connects reads the address as we do."""
    import urllib3

    read = urllib3.util.parse_url(address.url)
    port = read.port or DEFAULT_PORTS.get(read.scheme or "")
    if (read.scheme, read.auth, (read.host or "").strip("[]"), port) != (address.scheme, None, address.host, address.port):
        raise UnusableAddressError(localized("解釈が一つに決まりません", "it is ambiguous"))


def _pool(proxy: str | None) -> urllib3.PoolManager:
    import urllib3

    if proxy is None:
        return urllib3.PoolManager(ssl_context=_system_trust())
    try:
        address, login = proxy_address(proxy)
        return urllib3.ProxyManager(
            address.url,
            proxy_headers=urllib3.make_headers(proxy_basic_auth=login) if login else None,
            ssl_context=_system_trust(),
            proxy_ssl_context=_system_trust(),
        )
    except Exception as exc:
        raise proxy_failure() from exc


def _proxy_for(address: Address) -> str | None:
    """As the environment, or else the system's settings on Windows and macOS, have it."""
    if urllib.request.proxy_bypass(address.host_and_port):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(address.scheme) or proxies.get("all") or None


@functools.cache
def _system_trust() -> ssl.SSLContext:
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
