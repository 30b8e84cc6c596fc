"""The sockets of the service, and who may reach it: hosts, origins and a token."""

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from app.adapters.http.http_address import is_loopback
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.system_errors import describe_reason

SERVICE_PORT = 25850
LOOPBACK = "127.0.0.1"
_BACKLOG = 256


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The rules that decide which requests are let in."""

    port: int  # which the Host must name
    hosts: frozenset[str] = frozenset()  # names besides the loopback ones, lower-case
    origins: frozenset[str] = frozenset()  # of pages that the user trusts
    token: str = field(default="", repr=False)  # that every request must bring; empty is none
    may_change: bool = False  # whether clients may change presets and the dictionary

    def is_host_allowed(self, value: str) -> bool:
        """Return whether a Host header names this service: a loopback name or one that the user gave, with our port."""
        name, port = _split_host_and_port(value)
        return port == self.port and (is_loopback(name) or name in self.hosts)

    def is_origin_allowed(self, origin: str, site: str) -> bool:
        """Return whether a page may send requests. `site` is the browser's own word for the page; both are empty for other programs."""
        if origin.lower() in self.origins:
            return True
        if site == "cross-site":
            return False
        if not origin:
            return True
        try:
            address = urlsplit(origin)
            name = address.hostname or ""
        except ValueError:
            return False
        return address.scheme in ("http", "https") and origin.startswith(f"{address.scheme}://{address.netloc}") and is_loopback(name)


def _split_host_and_port(value: str) -> tuple[str, int]:
    """Return host and port of a Host header, the host in lower case and without brackets; the port is -1 if it is not valid."""
    name, separator, port = value.strip().lower().rpartition(":")
    if not separator or port.endswith("]"):
        name, port = value.strip().lower(), "80"
    bracketed = name.startswith("[") and name.endswith("]")
    if ":" in name and not bracketed:
        return "", -1
    return (name[1:-1] if bracketed else name), (int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1)


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets for an address, with its IPv6 twin for the usual one, which programs try first for localhost; raise InputError."""
    sockets = [_bind_socket(host, port)]
    if host in (LOOPBACK, "localhost"):
        with suppress(AppError):
            sockets.append(_bind_socket("::1", sockets[0].getsockname()[1]))
    return sockets


def _bind_socket(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        reason = localize("0 から 65535 までの番号を指定してください", "a port is a number from 0 to 65535")
        raise _create_bind_error(host, port, OverflowError(reason))
    try:
        family, *kind, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)[0]
        # With kind and protocol, or asyncio leaves Nagle's algorithm on: small pieces wait for an acknowledgement.
        listener = socket.socket(family, *kind)
    except (OSError, UnicodeError) as exc:
        raise _create_bind_error(host, port, exc) from exc
    try:
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        # Windows lets any program share a port that does not say this.
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except (OSError, OverflowError) as exc:
        listener.close()
        raise _create_bind_error(host, port, exc) from exc
    return listener


def _create_bind_error(host: str, port: int, error: Exception) -> InputError:
    reason = describe_reason(error)
    return InputError(
        localize(f"{host}:{port} で待ち受けできません：{reason}。", f"Cannot listen on {host}:{port}: {reason}."),
        localize("--port で別の番号を指定してください。", "Choose another port with --port."),
    )
