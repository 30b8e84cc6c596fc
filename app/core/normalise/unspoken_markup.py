"""Removes markup of programs that nobody says: tags of chats, of HTML, and all but the host of a page's address.

It is found in the raw text, so that no dictionary takes a part of it for a word.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.core.link_reading import LinkReading
from app.core.normalise.characters import PLACEHOLDER
from app.core.normalise.lazy_pattern import LazyPattern
from app.core.normalise.web_addresses import SPOKEN_DOMAIN_PARTS
from app.core.normalise.word_boundaries import BOUNDARY_CHAR

_PAUSE_CHAR = "\n"
_PAUSE_CHARS = "。、！？!?.,…\n"
_PAUSE_FOLLOWS = re.compile(rf"[ \u3000]*[{_PAUSE_CHARS}]")
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")

# Mentions, channels, emoji, times and commands of Discord, mentions of Slack.
_CHAT_TAG = LazyPattern(
    "<",
    r"<(?:[@#][!&]?[A-Z0-9]{8,24}(?:\|[^<>\n\ue000]{0,80})?|a?:\w{1,64}:\d{8,24}|t:-?\d{1,13}(?::[tTdDfFR])?|/[^<>:\n\ue000]{1,64}:\d{8,24}|id:[a-z]{3,12})>",
)
_BLOCK_TAGS = "br|hr|p|div|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|caption|h[1-6]|blockquote|pre|section|article|header|footer|title|form|body"
_INLINE_TAGS = (
    "a|abbr|b|bdi|bdo|big|button|center|cite|code|del|em|embed|figure|font|html|i|iframe|img|input|ins|kbd|label|link|main|mark|meta|nav|q|s|samp|small|span"
    "|strike|strong|sub|sup|svg|tt|u|var|video|audio|wbr"
)
_HTML_TAG = LazyPattern(
    "<",
    rf"<!--[^\ue000]*?-->|<(script|style)\b[^<>\ue000]*>[^\ue000]*?</\1\s*>|</?({_BLOCK_TAGS})(?:\s[^<>\ue000]*)?/?>|</?({_INLINE_TAGS})(?:\s[^<>\ue000]*)?/?>",
    re.IGNORECASE,
)
_HTML_ENTITY = LazyPattern("&", r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_HOST_CHARACTER = f"[A-Za-z0-9{PLACEHOLDER}]"
_LINK_TAIL = r"(?::\d{1,5})?(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&+,;=%*-]*[A-Za-z0-9_/=#&%+-])?)?(?:(?<=[/=_])[一-龠々ァ-ヶー]{1,40})?"
_TOP_LEVEL_DOMAINS = "com|net|org|jp|tv|me|info|be|gg|ly|to|gl|gle|us|uk|cn|kr|tw|de|fr|eu|biz|xyz|site|shop|link|page|co|dev|app"
_LINK = LazyPattern(
    ":.",
    rf"(?P<open><)?(?:(?<![A-Za-z])(?:https?|ftp)://(?:www\.)?|(?<![A-Za-z0-9.@/-])www\.|(?<![A-Za-z0-9.@/-])(?={_HOST_CHARACTER}+(?:[.-]{_HOST_CHARACTER}+){{0,5}}\.(?:{_TOP_LEVEL_DOMAINS})/))"
    rf"(?P<host>{_HOST_CHARACTER}+(?:[.-]+{_HOST_CHARACTER}+)*)(?P<tail>{_LINK_TAIL})(?(open)>?)",
)
_NUMERIC_HOST = re.compile(r"[\d.]+")


class UnspokenSpan(NamedTuple):
    """Characters [start, end) of a text, and what is read instead."""

    start: int
    end: int
    replacement: str


def find_unspoken(text: str, links: LinkReading) -> list[UnspokenSpan]:
    """Return every unspoken place of a raw text, in order, none overlapping."""
    found = [UnspokenSpan(*match.span(), BOUNDARY_CHAR) for match in _CHAT_TAG.finditer(text)]
    found += [UnspokenSpan(*match.span(), _PAUSE_CHAR if match[2] else "") for match in _HTML_TAG.finditer(text) if _is_tag(match)]
    found += [UnspokenSpan(*match.span(), _decode_entity(match[0])) for match in _HTML_ENTITY.finditer(text)]
    if links != "all":
        found += [part for match in _LINK.finditer(text) for part in _split_link(match, links)]
    kept: list[UnspokenSpan] = []
    for place in sorted(found):
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
    return kept


def drop_unspoken(text: str, links: LinkReading) -> str:
    """Return the text without its unspoken places."""
    places = find_unspoken(text, links)
    spoken, start = "", 0
    for place in places:
        spoken += text[start : place.start]
        start = place.end
        spoken += "" if place.replacement == _PAUSE_CHAR and _has_pause(spoken, text, start) else place.replacement
    if places and not text[start:].strip():
        return spoken.rstrip()
    return spoken + text[start:]


def _has_pause(before: str, text: str, position: int) -> bool:
    """Return whether nothing was spoken yet, or a pause precedes the position."""
    return not before.strip() or before.rstrip(" \u3000")[-1] in _PAUSE_CHARS or _PAUSE_FOLLOWS.match(text, position) is not None


def _is_tag(match: re.Match[str]) -> bool:
    """Return whether the match is a tag; one of a single letter may be a formula, a<b>c, and counts only if it is closed."""
    name = match[2] or match[3] or ""
    return len(name) != 1 or re.search(f"</{name}>", match.string, re.IGNORECASE) is not None


def _decode_entity(entity: str) -> str:
    return _PRIVATE_USE.sub("", html.unescape(entity))


def _split_link(match: re.Match[str], links: LinkReading) -> Iterator[UnspokenSpan]:
    """Yield the whole link, or the parts that are not the host, and the signs and known endings within the host."""
    if links == "skip" and PLACEHOLDER not in match[0]:
        yield UnspokenSpan(*match.span(), BOUNDARY_CHAR)
        return
    first = match.start("host")
    yield UnspokenSpan(match.start(), first, " ")
    if not _NUMERIC_HOST.fullmatch(match["host"]):
        for part in re.finditer("[A-Za-z0-9]+|[.-]", match["host"]):
            if part[0] in SPOKEN_DOMAIN_PARTS:
                yield UnspokenSpan(first + part.start(), first + part.end(), f" {SPOKEN_DOMAIN_PARTS[part[0]]} ")
    yield UnspokenSpan(match.end("host"), match.end(), " ")
