"""Access rules of the service: hosts, origins and a token."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The rules that decide which requests are let in.

    Attributes:
        port: which the Host must name.
        hosts: names besides the loopback ones, lower-case.
        origins: of pages that the user trusts.
        token: that every request must bring; empty is none.
        may_change: whether clients may change presets and the dictionary.
    """

    port: int
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    token: str = field(default="", repr=False)
    may_change: bool = False

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
            parts = urlsplit(origin)
            name = parts.hostname or ""
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and origin.startswith(f"{parts.scheme}://{parts.netloc}") and is_loopback(name)


def is_loopback(name: str) -> bool:
    """Return whether a name, or an address without brackets, is this computer and nothing else."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _split_host_and_port(value: str) -> tuple[str, int]:
    """Return host and port of a Host header, the host in lower case and without brackets; the port is -1 if it is not valid."""
    name, separator, port = value.strip().lower().rpartition(":")
    if not separator or port.endswith("]"):
        name, port = value.strip().lower(), "80"
    bracketed = name.startswith("[") and name.endswith("]")
    if ":" in name and not bracketed:
        return "", -1
    return (name[1:-1] if bracketed else name), (int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1)
