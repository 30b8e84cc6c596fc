"""Removes markup of programs that nobody says: tags of chats, of HTML, and all but the host of a page's address; spells the addresses that stay.

It is found in the raw text, so that no dictionary takes a part of it for a word.
"""

import html
import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from app.core.text.link_reading import LinkReading
from app.core.text.normalise.characters import BOUNDARY_CHAR, PLACEHOLDER, LazyPattern

_PAUSE_CHAR = "\n"
_PAUSE_CHARS = "。、！？!?.,…\n"
_PAUSE_FOLLOWS = re.compile(rf"[ \u3000]{{0,20}}[{_PAUSE_CHARS}]")
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
    rf"(<!--)|<(script|style)\b[^<>\ue000]*>|</?({_BLOCK_TAGS})(?:\s[^<>\ue000]*)?/?>|</?({_INLINE_TAGS})(?:\s[^<>\ue000]*)?/?>",
    re.IGNORECASE,
)
# Tags of other programs and of language models, if they are closed, close themselves or have an attribute; and those of boards: [b], [color=red].
_THOUGHT = LazyPattern("<", r"<(think|thinking|reasoning)>.{0,20000}?</\1>", re.IGNORECASE | re.DOTALL)
_ANY_TAG = LazyPattern("<", r"<(/?)([A-Za-z][A-Za-z0-9_:-]{0,30})((?:=|\s)[^<>\ue000\n]{0,200})?(/?)>")
_NAMES_OF_HTML = re.compile(rf"{_BLOCK_TAGS}|{_INLINE_TAGS}|script|style|ruby|rb|rt|rtc|rp", re.IGNORECASE)
_CLOSED_NAME = re.compile(r"</([A-Za-z][A-Za-z0-9_:-]{0,30})\s*>|\[/([A-Za-z]{1,10})\]")
_BOARD_TAG = LazyPattern("[", r"\[(/?)(b|i|u|s|color|size|font|url|img|quote|code|center|spoiler)(=[^\[\]\n]{1,80})?\]", re.IGNORECASE)
_PICTURE = LazyPattern("!", r"!\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")
_LINKED_WORDS = LazyPattern("]", r"(?<!!)\[([^\[\]\n]{1,200})\]\([!-'*-~]{1,500}\)")
_UNSAID_END = re.compile(rf"(-->)|</(script|style)\s*>|{PLACEHOLDER}", re.IGNORECASE)
_CLOSED_LETTER = re.compile("</([a-z])>", re.IGNORECASE)
_HTML_ENTITY = LazyPattern("&", r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_HOST_CHARACTER = f"[A-Za-z0-9{PLACEHOLDER}]"
_LINK_TAIL = r"(?::\d{1,5})?(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&+,;=%*-]*[A-Za-z0-9_/=#&%+-])?)?(?:(?<=[/=_])[一-龠々ァ-ヶー]{1,40})?"
_TOP_LEVEL_DOMAINS = "com|net|org|jp|tv|me|info|be|gg|ly|to|gl|gle|us|uk|cn|kr|tw|de|fr|eu|biz|xyz|site|shop|link|page|co|dev|app"
_LINK = LazyPattern(
    ":.",
    rf"(?P<open><)?(?:(?<![A-Za-z])(?:https?|ftp)://(?:www\.)?|(?<![A-Za-z0-9.@/-])www\.|(?<![A-Za-z0-9{PLACEHOLDER}.@/-])(?={_HOST_CHARACTER}+(?:[.-]{_HOST_CHARACTER}+){{0,5}}\.(?:{_TOP_LEVEL_DOMAINS})/))"
    rf"(?P<host>{_HOST_CHARACTER}+(?:[.-]+{_HOST_CHARACTER}+)*)(?P<tail>{_LINK_TAIL})(?(open)>?)",
)
_NUMERIC_HOST = re.compile(r"[\d.]+")

_URL = re.compile(r"(?<![A-Za-z])(https?|ftp)://([A-Za-z0-9._~:/?#@!$&+,;=%-]*[A-Za-z0-9_/=#-])")
_MAIL = re.compile(r"(?<![\w.+-])([A-Za-z0-9._%+-]{1,64})@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_DOMAIN = re.compile(
    r"(?<![A-Za-z0-9.@-])((?:[A-Za-z0-9-]{1,63}\.){1,5}(?:com|net|org|jp|io|dev|co|tv|me|info|app|ai|js|py|txt|exe|pdf|png|jpg|mp3|mp4|wav|zip|html|css"
    r"|json|md|csv|ts|sh|dll|onnx))(?![A-Za-z0-9])"
)
SPOKEN_DOMAIN_PARTS = {
    "com": "コム", "jp": "ジェイピー", "net": "ネット", "org": "オーグ", "dev": "デブ", "info": "インフォ", "app": "アップ", "md": "エムディー",
    ".": "ドット", "/": "、スラッシュ、", "-": "ハイフン", "_": "アンダーバー", "?": "、クエスチョン、", "=": "イコール", "&": "アンド", "#": "シャープ",
    "%": "パーセント", "+": "プラス", ":": "コロン", "@": "、アットマーク、", "~": "チルダ",
}  # fmt: skip


class UnspokenSpan(NamedTuple):
    """Characters [start, end) of a text, and what is read instead."""

    start: int
    end: int
    replacement: str


def find_unspoken(text: str, links: LinkReading) -> list[UnspokenSpan]:
    """Return every unspoken place of a raw text, in order, none overlapping."""
    spans = [UnspokenSpan(*match.span(), BOUNDARY_CHAR) for match in _CHAT_TAG.finditer(text)]
    spans += _iterate_tags(text)
    spans += _iterate_foreign_tags(text)
    spans += [UnspokenSpan(*match.span(), _PRIVATE_USE.sub("", html.unescape(match[0]))) for match in _HTML_ENTITY.finditer(text)]
    if links != "all":
        spans += [part for match in _LINK.finditer(text) for part in _split_link(match, links)]
    separate: list[UnspokenSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not separate or span.start >= separate[-1].end:
            separate.append(span)
    return separate


def drop_unspoken(text: str, links: LinkReading) -> str:
    """Return the text without its unspoken places."""
    places = find_unspoken(text, links)
    spoken, start, has_pause = list[str](), 0, True
    for span in places:
        has_pause = _has_pause_at_end(text[start : span.start], has_pause)
        spoken.append(text[start : span.start])
        start = span.end
        if span.replacement != _PAUSE_CHAR or not (has_pause or _PAUSE_FOLLOWS.match(text, start)):
            has_pause = _has_pause_at_end(span.replacement, has_pause)
            spoken.append(span.replacement)
    if places and not text[start:].strip():
        return "".join(spoken).rstrip()
    return "".join(spoken) + text[start:]


def _has_pause_at_end(piece: str, before: bool) -> bool:
    """Return whether a pause ends the piece; `before` says it of what precedes the piece, and holds where nothing was spoken yet."""
    visible = piece.rstrip()
    if _PAUSE_CHAR in piece[len(visible) :]:
        return True
    return visible[-1] in _PAUSE_CHARS if visible else before


def _iterate_tags(text: str) -> Iterator[UnspokenSpan]:
    """Yield tags, comments, and scripts and styles with what is in them.

    A tag of a single letter may be a formula, a<b>c, and counts only if it is closed. The text is searched once for all ends: many openings
    without one would each search the rest of it.
    """
    ends: _UnsaidEnds | None = None
    closed_letters: set[str] | None = None
    position = 0
    for match in _HTML_TAG.finditer(text):
        if match.start() < position:
            continue
        if opening := match[1] or match[2]:
            ends = ends or _UnsaidEnds(text)
            position = ends.find_end(opening, match.end())
            if position:
                yield UnspokenSpan(match.start(), position, "")
            continue
        name = match[3] or match[4]
        if len(name) == 1 and closed_letters is None:
            closed_letters = {letter.lower() for letter in _CLOSED_LETTER.findall(text)}
        if len(name) > 1 or name.lower() in (closed_letters or ()):
            yield UnspokenSpan(*match.span(), _PAUSE_CHAR if match[3] else "")


def _iterate_foreign_tags(text: str) -> Iterator[UnspokenSpan]:
    """Yield tags that HTML does not know, thoughts of a language model with what is in them, and all of a picture or link but its words."""
    yield from (UnspokenSpan(*match.span(), "") for match in _THOUGHT.finditer(text))
    for match in itertools.chain(_PICTURE.finditer(text), _LINKED_WORDS.finditer(text)):
        yield UnspokenSpan(match.start(), match.start(1), "")
        yield UnspokenSpan(match.end(1), match.end(), "")
    tags = [*_ANY_TAG.finditer(text), *_BOARD_TAG.finditer(text)]
    closed = {(first or second).lower() for first, second in _CLOSED_NAME.findall(text)} if tags else ()
    for match in tags:
        is_plain = match[0][0] == "<" and (match[3] is None or "=" not in match[3]) and not match[0].endswith("/>")
        is_html = match[0][0] == "<" and _NAMES_OF_HTML.fullmatch(match[2])
        if not is_html and (match[2].lower() in closed or (match[0][0] == "<" and not is_plain)):
            yield UnspokenSpan(*match.span(), "")


class _UnsaidEnds:
    """The places of a text where comments, scripts and styles end."""

    def __init__(self, text: str) -> None:
        matches = list(_UNSAID_END.finditer(text))
        self._starts = [match.start() for match in matches]
        # At each place, where the first end of every kind from there on ends itself; none beyond what another rule has replaced.
        self._nearest: list[dict[str, int]] = [{}]
        for match in reversed(matches):
            kind = (match[1] or match[2] or "").lower()
            self._nearest.append({**self._nearest[-1], kind: match.end()} if kind else {})
        self._nearest.reverse()

    def find_end(self, opening: str, start: int) -> int:
        """Return where what was opened before `start` ends, or 0."""
        kind = "-->" if opening == "<!--" else opening.lower()
        return self._nearest[bisect_left(self._starts, start)].get(kind, 0)


def speak_addresses(text: str) -> str:
    """Return text with addresses spelled out, their names still in Latin letters."""
    text = _URL.sub(lambda match: f" {match[1]}、{_speak_address(match[2].rstrip('/'))} ", text)
    text = _MAIL.sub(lambda match: f" {_speak_address(match[1])}、アットマーク、{_speak_address(match[2])} ", text)
    return _DOMAIN.sub(lambda match: f" {_speak_address(match[1])} ", text)


def _speak_address(address: str) -> str:
    names = re.split(r"([^A-Za-z0-9])", address)
    return " ".join(SPOKEN_DOMAIN_PARTS.get(name, name) for name in names if name)


def _split_link(match: re.Match[str], links: LinkReading) -> Iterator[UnspokenSpan]:
    """Yield the whole link, or the parts that are not the host, and the signs and known endings within the host."""
    if links == "skip" and PLACEHOLDER not in match[0]:
        yield UnspokenSpan(*match.span(), BOUNDARY_CHAR)
        return
    first = match.start("host")
    yield UnspokenSpan(match.start(), first, " ")
    if not _NUMERIC_HOST.fullmatch(match["host"]):
        for name in re.finditer("[A-Za-z0-9]+|[.-]", match["host"]):
            if name[0] in SPOKEN_DOMAIN_PARTS:
                yield UnspokenSpan(first + name.start(), first + name.end(), f" {SPOKEN_DOMAIN_PARTS[name[0]]} ")
    yield UnspokenSpan(match.end("host"), match.end(), " ")
