"""One question to a server: proxies of the environment, certificates of the system, redirects that we follow knowingly."""

from __future__ import annotations

import functools
import ipaddress
import ssl
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.adapters.http_failures import of_exception, proxy_failure, unusable_address
from app.adapters.http_patience import Patience
from app.errors import DownloadError
from app.language import say

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
        url: http or https.
        headers: sent to every server on the way.
        secrets: sent to the first server only, and never over a line that others can read.
        method: GET or HEAD.
        same_host_only: a redirect to another host is an answer, not followed.
        patience: its times.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    same_host_only: bool = False
    patience: Patience = field(default_factory=Patience)

    @property
    def host(self) -> str:
        """Whom we ask, for messages."""
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class Head:
    """What a server answers before the file. Header names are looked up in any case."""

    status: int
    headers: Mapping[str, str]
    url: str

    @property
    def host(self) -> str:
        """Who answered, for messages."""
        return host_of(self.url)


class Answer:
    """An open answer: its head, then blocks of the body."""

    def __init__(self, response: urllib3.BaseHTTPResponse, url: str) -> None:
        self._response = response
        self.head = Head(response.status, response.headers, url)

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


def ask(request: Request) -> Answer:
    """Sends the request and follows redirects.

    Raises:
        DownloadError: the address is refused, the server or the proxy cannot be reached or trusted, redirects go wrong.
    """
    url = _checked(request.url, previous=None)
    for _ in range(MOST_REDIRECTS + 1):
        try:
            response = _send(request, url)
        except Exception as exc:
            raise of_exception(exc, host_of(url)) from exc
        location = response.headers.get("Location")
        if response.status not in REDIRECTS or location is None:
            return Answer(response, url)
        onward = urllib.parse.urljoin(url, location)
        if request.same_host_only and origin_of(onward) != origin_of(url):
            return Answer(response, url)
        response.close()
        url = _checked(onward, previous=url)
    raise DownloadError(
        say(f"{host_of(request.url)} の転送が終わりません。", f"{host_of(request.url)} redirects without end."),
        say("アドレスを確かめてください。", "Check the address."),
    )


def _send(request: Request, url: str) -> urllib3.BaseHTTPResponse:
    import urllib3

    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **request.headers}
    if origin_of(url) == origin_of(request.url) and _private(url):
        headers |= request.secrets
    timeout = urllib3.Timeout(connect=request.patience.connect_s, read=request.patience.silence_s)
    return _pool(url).request(
        request.method, url, headers=headers, timeout=timeout, redirect=False, retries=False, preload_content=False, decode_content=False
    )


def _pool(url: str) -> urllib3.PoolManager:
    import urllib3

    proxy = _proxy_for(url)
    if proxy is None:
        return urllib3.PoolManager(ssl_context=_system_trust())
    try:
        parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}" if parts.username else None
        place = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        address = f"{parts.scheme}://{place}" + (f":{parts.port}" if parts.port else "")
        return urllib3.ProxyManager(
            address,
            proxy_headers=urllib3.make_headers(proxy_basic_auth=login) if login else None,
            ssl_context=_system_trust(),
            proxy_ssl_context=_system_trust(),
        )
    except Exception as exc:
        raise proxy_failure() from exc


def _proxy_for(url: str) -> str | None:
    """As the environment, or else the system's settings on Windows and macOS, have it."""
    parts = urllib.parse.urlsplit(url)
    if urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all") or None


@functools.cache
def _system_trust() -> ssl.SSLContext:
    import truststore

    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _checked(url: str, previous: str | None) -> str:
    try:
        parts = urllib.parse.urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as exc:
        raise unusable_address() from exc
    if previous is None:
        if not usable:
            raise unusable_address()
    elif not usable or (parts.scheme == "http" and urllib.parse.urlsplit(previous).scheme == "https"):
        raise DownloadError(
            say(
                f"{host_of(previous)} が安全でない場所へ転送しようとしたため、中止しました。",
                f"{host_of(previous)} redirects to a place that is not safe.",
            ),
            say("アドレスを確かめてください。", "Check the address."),
        )
    return urllib.parse.urlunsplit(parts)


def origin_of(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port: what must be the same for a secret to be sent."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def host_of(url: str) -> str:
    """The host for messages: whole addresses are long and may carry secrets."""
    try:
        return urllib.parse.urlsplit(url).hostname or "?"
    except ValueError:
        return "?"


def _private(url: str) -> bool:
    """Nobody on the way can read what is sent."""
    scheme, host, _ = origin_of(url)
    if scheme == "https" or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
