"""The sockets that the service listens on."""

from __future__ import annotations

import socket
from contextlib import suppress

from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.system_errors import describe_reason

SERVICE_PORT = 25850
LOOPBACK = "127.0.0.1"
_BACKLOG = 256


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets for an address; for the usual one also its IPv6 twin, if there is one: programs that connect to localhost try it
    first.

    Raises InputError where the port is taken or the address is none of ours.
    """
    sockets = [_bind_socket(host, port)]
    if host in (LOOPBACK, "localhost"):
        with suppress(AppError):
            sockets.append(_bind_socket("::1", sockets[0].getsockname()[1]))
    return sockets


def _bind_socket(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise _create_bind_error(
            host, port, OverflowError(localize("0 から 65535 までの番号を指定してください", "a port is a number from 0 to 65535"))
        )
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)[0]
        own = socket.socket(
            family, kind, protocol
        )  # named, or asyncio leaves Nagle's algorithm on: small pieces wait for an acknowledgement
    except (OSError, UnicodeError) as exc:
        raise _create_bind_error(host, port, exc) from exc
    try:
        if family == socket.AF_INET6:
            own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        # Windows lets any program share a port that does not say this.
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            own.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        own.bind(address)
        own.listen(_BACKLOG)
        own.setblocking(False)
    except (OSError, OverflowError) as exc:
        own.close()
        raise _create_bind_error(host, port, exc) from exc
    return own


def _create_bind_error(host: str, port: int, error: Exception) -> InputError:
    reason = describe_reason(error)
    return InputError(
        localize(f"{host}:{port} で待ち受けできません：{reason}。", f"Cannot listen on {host}:{port}: {reason}."),
        localize("--port で別の番号を指定してください。", "Choose another port with --port."),
    )
