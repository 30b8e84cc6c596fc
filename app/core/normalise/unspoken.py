"""What programs put into a text and nobody says: tags of chats, of HTML, and of the address of a page all but its host.

It is found in the raw text, so that no dictionary takes a part of it for a word.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.core.normalise.addresses import SPOKEN_PARTS
from app.core.normalise.boundaries import BOUNDARY
from app.core.normalise.characters import PLACEHOLDER
from app.core.normalise.rare import RarePattern
from app.link_reading import LinkReading

_PAUSE = "\n"
_PAUSES = "。、！？!?.,…\n"
_PAUSE_FOLLOWS = re.compile(rf"[ \u3000]*[{_PAUSES}]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")

# Mentions, channels, emoji, times and commands of Discord, mentions of Slack.
_CHAT = RarePattern(
    "<",
    r"<(?:[@#][!&]?[A-Z0-9]{8,24}(?:\|[^<>\n\ue000]{0,80})?|a?:\w{1,64}:\d{8,24}|t:-?\d{1,13}(?::[tTdDfFR])?|/[^<>:\n\ue000]{1,64}:\d{8,24}|id:[a-z]{3,12})>",
)
_BREAKS = "br|hr|p|div|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|caption|h[1-6]|blockquote|pre|section|article|header|footer|title|form|body"
_INLINE = (
    "a|abbr|b|bdi|bdo|big|button|center|cite|code|del|em|embed|figure|font|html|i|iframe|img|input|ins|kbd|label|link|main|mark|meta|nav|q|s|samp|small|span"
    "|strike|strong|sub|sup|svg|tt|u|var|video|audio|wbr"
)
_HTML = RarePattern(
    "<",
    rf"<!--[^\ue000]*?-->|<(script|style)\b[^<>\ue000]*>[^\ue000]*?</\1\s*>|</?({_BREAKS})(?:\s[^<>\ue000]*)?/?>|</?({_INLINE})(?:\s[^<>\ue000]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = RarePattern("&", r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_HOST_CHARACTER = f"[A-Za-z0-9{PLACEHOLDER}]"
_TAIL = r"(?::\d{1,5})?(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&+,;=%*-]*[A-Za-z0-9_/=#&%+-])?)?(?:(?<=[/=_])[一-龠々ァ-ヶー]{1,40})?"
_SITES = "com|net|org|jp|tv|me|info|be|gg|ly|to|gl|gle|us|uk|cn|kr|tw|de|fr|eu|biz|xyz|site|shop|link|page|co|dev|app"
_LINK = RarePattern(
    ":.",
    rf"(?P<open><)?(?:(?<![A-Za-z])(?:https?|ftp)://(?:www\.)?|(?<![A-Za-z0-9.@/-])www\.|(?<![A-Za-z0-9.@/-])(?={_HOST_CHARACTER}+(?:[.-]{_HOST_CHARACTER}+){{0,5}}\.(?:{_SITES})/))"
    rf"(?P<host>{_HOST_CHARACTER}+(?:[.-]+{_HOST_CHARACTER}+)*)(?P<tail>{_TAIL})(?(open)>?)",
)
_ADDRESS_OF_NUMBERS = re.compile(r"[\d.]+")


class Unspoken(NamedTuple):
    """Characters [start, end) of a text, and what is read instead."""

    start: int
    end: int
    instead: str


def find_unspoken(text: str, links: LinkReading) -> list[Unspoken]:
    """Every such place of a raw text, in order, none overlapping."""
    found = [Unspoken(*match.span(), BOUNDARY) for match in _CHAT.finditer(text)]
    found += [Unspoken(*match.span(), _PAUSE if match[2] else "") for match in _HTML.finditer(text) if _is_tag(match)]
    found += [Unspoken(*match.span(), _character(match[0])) for match in _ENTITY.finditer(text)]
    if links != "all":
        found += [part for match in _LINK.finditer(text) for part in _parts_of_link(match, links)]
    kept: list[Unspoken] = []
    for place in sorted(found):
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
    return kept


def leave_out(text: str, links: LinkReading) -> str:
    """The text without it."""
    places = find_unspoken(text, links)
    spoken, start = "", 0
    for place in places:
        spoken += text[start : place.start]
        start = place.end
        spoken += "" if place.instead == _PAUSE and _has_pause(spoken, text, start) else place.instead
    if places and not text[start:].strip():
        return spoken.rstrip()
    return spoken + text[start:]


def _has_pause(before: str, text: str, place: int) -> bool:
    """Nothing has been said yet, or there is a pause already."""
    return not before.strip() or before.rstrip(" \u3000")[-1] in _PAUSES or _PAUSE_FOLLOWS.match(text, place) is not None


def _is_tag(match: re.Match[str]) -> bool:
    """A tag of one letter may be a formula, a<b>c, and counts where it is closed."""
    name = match[2] or match[3] or ""
    return len(name) != 1 or re.search(f"</{name}>", match.string, re.IGNORECASE) is not None


def _character(entity: str) -> str:
    return _PRIVATE.sub("", html.unescape(entity))


def _parts_of_link(match: re.Match[str], links: LinkReading) -> Iterator[Unspoken]:
    """All of it, or what is not the host, and the signs and known endings within the host."""
    if links == "skip" and PLACEHOLDER not in match[0]:
        yield Unspoken(*match.span(), BOUNDARY)
        return
    first = match.start("host")
    yield Unspoken(match.start(), first, " ")
    if not _ADDRESS_OF_NUMBERS.fullmatch(match["host"]):
        for part in re.finditer("[A-Za-z0-9]+|[.-]", match["host"]):
            if part[0] in SPOKEN_PARTS:
                yield Unspoken(first + part.start(), first + part.end(), f" {SPOKEN_PARTS[part[0]]} ")
    yield Unspoken(match.end("host"), match.end(), " ")
