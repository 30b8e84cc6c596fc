"""The head of an HTTP request to `/Talk`, read by hand: comment viewers send one line and a few headers."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from app.service.access import AccessRules
from app.service.chat.bouyomi_protocol import MAX_TEXT_BYTES, UNSET, ChatTalk

MAX_HEAD_BYTES = 3 * MAX_TEXT_BYTES  # a byte of a text is three characters of an address
HEAD_END = b"\r\n\r\n"
_MAX_FIELDS = 16
_TALK_PATH = "/talk"
_NUMBER_BOUNDS = (-(1 << 15), (1 << 15) - 1)


class TalkRefusalError(Exception):
    """A request that is not carried out.

    Attributes:
        status: of HTTP.
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The head of a request.

    Attributes:
        headers: by name in lower case; one that comes twice is joined by commas, as HTTP has it.
    """

    method: str
    target: str
    headers: dict[str, str]


def parse_head(content: bytes) -> RequestHead:
    """Return the head that these bytes hold up to the empty line; raise TalkRefusalError."""
    lines = content.removesuffix(HEAD_END).decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise TalkRefusalError(400)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        key = name.lower()
        if not colon or not key or key != key.strip():
            raise TalkRefusalError(400)
        headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    return RequestHead(parts[0], parts[1], headers)


def check_access(head: RequestHead, access: AccessRules) -> None:
    """Raise TalkRefusalError for a request that another computer's name or a browser's page may have brought about."""
    if not access.is_host_allowed(head.headers.get("host", "")):
        raise TalkRefusalError(403)
    origin = head.headers.get("origin", "").lower()
    if origin and origin not in access.origins:
        raise TalkRefusalError(403)
    if not origin and head.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise TalkRefusalError(403)


def parse_talk(head: RequestHead) -> ChatTalk:
    """Return the comment of a request; raise TalkRefusalError."""
    if head.method != "GET":
        raise TalkRefusalError(405)
    try:
        address = urlsplit(head.target)
        pairs = parse_qsl(address.query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise TalkRefusalError(400) from None
    if address.path.lower() != _TALK_PATH:
        raise TalkRefusalError(404)
    fields = {key.lower(): value for key, value in pairs}
    if "text" not in fields:
        raise TalkRefusalError(400)
    if len(fields["text"].encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise TalkRefusalError(413)
    speed, tone, volume = (_parse_number(fields.get(name), UNSET) for name in ("speed", "tone", "volume"))
    return ChatTalk(fields["text"], speed, tone, volume, _parse_number(fields.get("voice"), 0))


def _parse_number(text: str | None, default: int) -> int:
    if not text:
        return default
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise TalkRefusalError(400)
    number = int(text)
    if not _NUMBER_BOUNDS[0] <= number <= _NUMBER_BOUNDS[1]:
        raise TalkRefusalError(400)
    return number
