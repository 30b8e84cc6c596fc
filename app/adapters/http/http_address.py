r"""Addresses on the web: read once, by one function, and everything that decides on one asks the value it returns.

Programs disagree about odd addresses: `https://a\@b/` is host b to Python's `urlsplit` and host a to urllib3, so that a token meant for b
reached a. Only what all parsers read alike is an address here; `request` makes sure that urllib3 agrees before it connects.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import urllib.parse
from dataclasses import dataclass

from app.common.errors import DownloadError
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.common.language import localize

MAX_URL_CHARS = 16_384  # Signed addresses of file servers have a few thousand letters
MAX_HOST_CHARS = 254
DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_PORT = 65_535
_URL_PATTERN = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.IGNORECASE | re.ASCII | re.DOTALL)
_HOST_AND_PORT_PATTERN = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::([0-9]{0,5}))?", re.IGNORECASE)
_HOST_PATTERN = re.compile(r"(?=.{1,253}\.?$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
# IDNA 2003, which Python has, and IDNA 2008, which browsers have, lead to different hosts.
_AMBIGUOUS_IDNA_CHARS = re.compile("[ßς\u200c\u200d]")
_LONE_PERCENT = re.compile(r"%(?![0-9a-f]{2})", re.IGNORECASE)
_SAFE_PATH_CHARS = "/%:@!$&'()*+,;=~"


class UnusableAddressError(DownloadError):
    """Not an address we download from."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(
            localize(f"このアドレスからはダウンロードできません：{reason}。", f"Cannot download from this address: {reason}."),
            hint or localize("配布ページからリンクのアドレスをもう一度コピーしてください。", "Copy the link from the download page again."),
        )
        self.reason = reason  # why, a clause without a full stop


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """An http or https address without user name and fragment."""

    scheme: str  # "http" or "https"
    host: str  # lower-case ASCII, names of other scripts in Punycode; an IPv6 address without its brackets
    port: int  # 1 to 65535
    path: str  # begins with a slash; ASCII, everything else percent-encoded
    query: str | None = None  # as `path`; None where there is no question mark

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return what must be the same for a secret to be sent."""
        return self.scheme, self.host, self.port

    @property
    def host_and_port(self) -> str:
        """Return host and port as in the address: an IPv6 address in brackets, the port only if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """Return the whole address, ASCII."""
        return f"{self.scheme}://{self.host_and_port}{self.path}" + ("" if self.query is None else f"?{self.query}")

    @property
    def file_name(self) -> str:
        """Return the last part of the path, decoded, as the name of a file; may be empty."""
        return urllib.parse.unquote(self.path).rpartition("/")[2]

    @property
    def is_on_this_machine(self) -> bool:
        """Return whether it leads to this computer itself, as far as its words say."""
        return is_loopback(self.host)

    @property
    def is_local(self) -> bool:
        """Return whether it leads to this computer or to devices on the same link (link-local), as far as its text says."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        with contextlib.suppress(ValueError):
            return is_local_ip(self.host)
        with contextlib.suppress(OSError):  # numbers that systems take for an address: 2130706433, 0x7f.1
            return is_local_ip(socket.inet_ntoa(socket.inet_aton(self.host)))
        return False

    def join_reference(self, reference: str) -> HttpAddress:
        """Return where a link or a redirect found at this address leads; raise UnusableAddressError."""
        # First, for `urljoin` drops tabs and line breaks.
        _check_characters(reference := reference.strip())
        try:
            return parse_address(urllib.parse.urljoin(self.url, reference))
        except ValueError as exc:
            raise _build_invalid_host_error() from exc


def is_loopback(host: str) -> bool:
    """Return whether a name in lower case, or an address without brackets, is this computer and nothing else."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_local_ip(text: str) -> bool:
    """Return whether an IP address is of this computer or link-local; raise ValueError for what is none."""
    ip = ipaddress.ip_address(text.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_loopback or ip.is_link_local or ip.is_unspecified


def parse_address(text: str) -> HttpAddress:
    """Parse an address, with spaces around it allowed; raise UnusableAddressError if it is not valid."""
    text = text.strip()
    _check_characters(text)
    match = _URL_PATTERN.fullmatch(text)
    if match is None:
        raise UnusableAddressError(
            localize("https:// か http:// で始まっていません", "it does not start with https:// or http://"),
            localize("https:// で始まるアドレスを指定してください。", "Enter an address that starts with https://."),
        )
    scheme = match[1].lower()
    host, port = _parse_host_and_port(match[2], scheme)
    return HttpAddress(scheme, host, port, _encode_path(match[3] or "/"), None if match[4] is None else _encode_path(match[4], "?"))


def parse_proxy_address(text: str) -> tuple[HttpAddress, str | None]:
    """Parse a proxy of settings, with or without http://; return its `user:password` too, or None. Raise UnusableAddressError."""
    scheme, separator, behind_scheme = text.strip().partition("://")
    login, mark, host = (behind_scheme if separator else scheme).rpartition("@")
    address = parse_address(f"{scheme if separator else 'http'}://{host}")
    if not mark:
        return address, None
    user, _, password = login.partition(":")
    return address, f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password)}"


def _check_characters(text: str) -> None:
    """Refuse characters that some programs drop, some take for a separator, and people do not see."""
    if len(text) > MAX_URL_CHARS:
        raise UnusableAddressError(localize("長すぎます", "it is too long"))
    if "\\" in text:
        raise UnusableAddressError(localize("「\\」が含まれています", "it contains a backslash"))
    if "\t" in text or "\n" in text or DISTURBING_CHARS.search(text):
        english = "it contains line breaks, control characters or invisible characters"
        raise UnusableAddressError(localize("改行、制御文字、または見えない文字が含まれています", english))


def _parse_host_and_port(text: str, scheme: str) -> tuple[str, int]:
    if "@" in text:
        raise UnusableAddressError(
            localize("サーバー名の前に「@」が含まれています", "there is an @ before the server name"),
            localize(
                "「@」とその前の部分を削除してください。実際の接続先は「@」より後ろのサーバーです。",
                "Remove the @ and everything before it. The part after the @ is the real server.",
            ),
        )
    if not text:
        raise UnusableAddressError(localize("サーバー名がありません", "it has no server name"))
    match = _HOST_AND_PORT_PATTERN.fullmatch(text)
    if match is None:
        raise _build_invalid_host_error()
    port = int(match[3] or DEFAULT_PORTS[scheme])
    if not 1 <= port <= MAX_PORT:
        raise UnusableAddressError(localize("ポート番号が正しくありません", "its port is not a number from 1 to 65535"))
    if not match[1]:
        return _encode_host(match[2]), port
    try:
        return ipaddress.IPv6Address(match[1]).compressed, port
    except ValueError as exc:
        raise _build_invalid_host_error() from exc


def _encode_host(text: str) -> str:
    """Return a host name as it is looked up; a name that is not ASCII becomes Punycode here, so that no library has to convert it."""
    if len(text) > MAX_HOST_CHARS or _AMBIGUOUS_IDNA_CHARS.search(text):
        raise _build_invalid_host_error()
    try:
        host = text.lower() if text.isascii() else text.encode("idna").decode("ascii").lower()
    except UnicodeError as exc:
        raise _build_invalid_host_error() from exc
    if not _HOST_PATTERN.fullmatch(host):
        raise _build_invalid_host_error()
    return host


def _build_invalid_host_error() -> UnusableAddressError:
    return UnusableAddressError(localize("サーバー名かポート番号が正しくありません", "its server name or port is invalid"))


def _encode_path(text: str, extra_safe: str = "") -> str:
    return _LONE_PERCENT.sub("%25", urllib.parse.quote(text, safe=_SAFE_PATH_CHARS + extra_safe))
