r"""Addresses on the web: read once, by one function, and everything that decides on one asks the value it returns.

Programs disagree about odd addresses: `https://a\@b/` is host b to Python's `urlsplit` and host a to urllib3, so that a token meant for b
reached a. Only what all parsers read alike is an address here; `request` makes sure that urllib3 agrees before it connects.
"""

from __future__ import annotations

import ipaddress
import re
import urllib.parse
from dataclasses import dataclass

from app.errors import DownloadError
from app.json_text import DISTURBING
from app.language import localized

LONGEST_ADDRESS = 16_384  # signed addresses of file servers have a few thousand letters
LONGEST_HOST = 254
DEFAULT_PORTS = {"http": 80, "https": 443}
HIGHEST_PORT = 65_535
_PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.IGNORECASE | re.ASCII | re.DOTALL)
_HOST_AND_PORT = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::([0-9]{0,5}))?", re.IGNORECASE)
_HOST = re.compile(r"(?=.{1,253}\.?$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_READ_DIFFERENTLY = re.compile(
    "[ßς\u200c\u200d]"
)  # IDNA 2003, which Python has, and IDNA 2008, which browsers have, lead to different hosts
_LONE_PERCENT = re.compile(r"%(?![0-9a-f]{2})", re.IGNORECASE)
_PATH_MARKS = "/%:@!$&'()*+,;=~"


class UnusableAddressError(DownloadError):
    """Not an address we download from.

    Attributes:
        reason: why, a clause without a full stop.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(
            localized(f"このアドレスからはダウンロードできません：{reason}。", f"Cannot download from this address: {reason}."),
            hint
            or localized("配布ページからリンクのアドレスをもう一度コピーしてください。", "Copy the link from the download page again."),
        )
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Address:
    """An http or https address without user name and fragment.

    Attributes:
        scheme: "http" or "https".
        host: lower-case ASCII, names of other scripts in Punycode; an IPv6 address without its brackets.
        port: 1 to 65535.
        path: begins with a slash; ASCII, everything else percent-encoded.
        query: as `path`; None where there is no question mark.
    """

    scheme: str
    host: str
    port: int
    path: str
    query: str | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must be the same for a secret to be sent."""
        return self.scheme, self.host, self.port

    @property
    def host_and_port(self) -> str:
        """As it stands in the address: an IPv6 address in brackets, the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address, ASCII."""
        return f"{self.scheme}://{self.host_and_port}{self.path}" + ("" if self.query is None else f"?{self.query}")

    @property
    def name(self) -> str:
        """The last part of the path, decoded: what a file would be called; may be empty."""
        return urllib.parse.unquote(self.path).rpartition("/")[2]

    @property
    def on_this_machine(self) -> bool:
        """Whether it leads to this computer itself, as far as its words say."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def join(self, reference: str) -> Address:
        """Where a link or a redirect leads that stands at this address; raises UnusableAddressError."""
        _check_letters(reference := reference.strip())  # first, for `urljoin` drops tabs and line breaks
        try:
            return address_of(urllib.parse.urljoin(self.url, reference))
        except ValueError as exc:
            raise _invalid_host() from exc


def address_of(text: str) -> Address:
    """Reads an address, spaces around it allowed; raises UnusableAddressError."""
    text = text.strip()
    _check_letters(text)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise UnusableAddressError(
            localized("https:// か http:// で始まっていません", "it does not start with https:// or http://"),
            localized("https:// で始まるアドレスを指定してください。", "Enter an address that starts with https://."),
        )
    scheme = parts[1].lower()
    host, port = _host_and_port(parts[2], scheme)
    return Address(scheme, host, port, _encoded(parts[3] or "/"), None if parts[4] is None else _encoded(parts[4], "?"))


def proxy_address(text: str) -> tuple[Address, str | None]:
    """A proxy as settings name it, with or without http://, and its `user:password`, None where it has none; raises UnusableAddressError."""
    scheme, separator, rest = text.strip().partition("://")
    login, mark, place = (rest if separator else scheme).rpartition("@")
    address = address_of(f"{scheme if separator else 'http'}://{place}")
    if not mark:
        return address, None
    user, _, password = login.partition(":")
    return address, f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password)}"


def _check_letters(text: str) -> None:
    """Refuses what some programs drop, some take for a separator, and people do not see."""
    if len(text) > LONGEST_ADDRESS:
        raise UnusableAddressError(localized("長すぎます", "it is too long"))
    if "\\" in text:
        raise UnusableAddressError(localized("「\\」が含まれています", "it contains a backslash"))
    if "\t" in text or "\n" in text or DISTURBING.search(text):
        raise UnusableAddressError(
            localized(
                "改行、制御文字、または見えない文字が含まれています",
                "it contains line breaks, control characters or invisible characters",
            )
        )


def _host_and_port(text: str, scheme: str) -> tuple[str, int]:
    if "@" in text:
        raise UnusableAddressError(
            localized("サーバー名の前に「@」が含まれています", "there is an @ before the server name"),
            localized(
                "「@」とその前の部分を削除してください。実際の接続先は「@」より後ろのサーバーです。",
                "Remove the @ and everything before it. The part after the @ is the real server.",
            ),
        )
    if not text:
        raise UnusableAddressError(localized("サーバー名がありません", "it has no server name"))
    parts = _HOST_AND_PORT.fullmatch(text)
    if parts is None:
        raise _invalid_host()
    port = int(parts[3] or DEFAULT_PORTS[scheme])
    if not 1 <= port <= HIGHEST_PORT:
        raise UnusableAddressError(localized("ポート番号が正しくありません", "its port is not a number from 1 to 65535"))
    return (_ipv6(parts[1]) if parts[1] else _ascii_host(parts[2])), port


def _ipv6(text: str) -> str:
    try:
        return ipaddress.IPv6Address(text).compressed
    except ValueError as exc:
        raise _invalid_host() from exc


def _ascii_host(text: str) -> str:
    """A name as it is looked up; one that is not ASCII becomes Punycode here, so that nobody after us has to."""
    if len(text) > LONGEST_HOST or _READ_DIFFERENTLY.search(text):
        raise _invalid_host()
    try:
        host = text.lower() if text.isascii() else text.encode("idna").decode("ascii").lower()
    except UnicodeError as exc:
        raise _invalid_host() from exc
    if not _HOST.fullmatch(host):
        raise _invalid_host()
    return host


def _invalid_host() -> UnusableAddressError:
    return UnusableAddressError(localized("サーバー名かポート番号が正しくありません", "its server name or port is invalid"))


def _encoded(text: str, further: str = "") -> str:
    return _LONE_PERCENT.sub("%25", urllib.parse.quote(text, safe=_PATH_MARKS + further))
