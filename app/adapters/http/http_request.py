"""One question to a server: proxies of the environment, certificates of the system, redirects that we follow knowingly."""

from __future__ import annotations

import functools
import socket
import ssl
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.adapters.http.http_address import DEFAULT_PORTS, HttpAddress, UnusableAddressError, is_local_ip, parse_proxy_address
from app.adapters.http.network_messages import build_bad_response_error, build_network_error, build_proxy_error
from app.adapters.http.response_headers import decode_utf8, parse_length
from app.adapters.http.retry_policy import RetryPolicy
from app.common.errors import DownloadError
from app.common.language import localize

if TYPE_CHECKING:
    import urllib3

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
        """Close the connection."""
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
