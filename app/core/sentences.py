"""A line of text, cut lazily into pieces that are synthesised in one go.

A piece ends after a full stop, question or exclamation mark, ellipsis or line break. What stands in brackets stays whole as
long as it fits. Beyond `limit` characters a piece is cut at a comma, then between words, then anywhere. The pieces joined are
the text, each is at most `limit` long, and every character is looked at a bounded number of times. Notation (`app.core.notation`)
is no part of a sentence: it is never cut, and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from app.core.emoji import EMOJI_PATTERN
from app.core.notation.written import noted_text
from app.core.types import Sentence

Words = Callable[[str], list[str]]

# BERT takes 510 characters and normalisation can double a text, but what decides is that the first sound comes soon.
DEFAULT_LIMIT = 120

_CLOSER_OF = {"「": "」", "『": "』", "（": "）", "(": ")", "【": "】", "［": "］", "[": "]", "〈": "〉", "《": "》", "“": "”"}
_STOPS = "。｡！？…‥⁇⁈⁉‼"
_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"

# A stop written in ASCII ends a sentence only where it cannot be part of a number, an address or an abbreviation.
_STOP = re.compile(rf"[{_STOPS}{_LINE_BREAKS}]|(?<!<)[!?](?![A-Za-z0-9=&/#%])|\.(?=[\s.」』）)”\"']|$)|．(?!\d)")
# What cannot begin a sentence: particles behind a quoted cry or a name (うそ！と叫んだ, モーニング娘。の曲).
_QUOTES = r"って|を|という|とい[っわえ]|とか[いを言]|と(?=[一-龠々])|の(?=[一-龠々ァ-ヶA-Za-z])|[はへ](?=[一-龠々ァ-ヶ])"
_CONTINUES = {
    "。｡": _QUOTES,
    "！？!?": _QUOTES + r"|で(?![もはす]|しょ|きる|き)(?=[ぁ-んァ-ヶ一-龠々])|[がに](?=[一-龠々ァ-ヶ])",
    "…‥": "[はへ](?![ぁあいえっはへー。…？！?!」』）)]|$)",  # 俺……は、もう
}
_LAST_EMOJI = rf"(?:(?:{EMOJI_PATTERN})+(?=\s|$))?"  # with nothing behind them they end a piece, else they begin the next
_MARKS = re.compile("[。｡！？!?…‥]*")
_TAIL = re.compile(rf"[.．!?{_STOPS}]*[{re.escape(''.join(_CLOSER_OF.values()))}]*{_LAST_EMOJI}\s*")
_ABBREVIATED = re.compile(
    r"(?:^|[^A-Za-z])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|Inc|Ltd|Co|Jr|Sr|e\.g|i\.e|[Vv]er|[Vv]ol|Fig|Ch|Yahoo)$|(?:^|[\s、。])\d{1,3}$"
)
_COMMA = re.compile(r"(?:[、，､;；：]|[,:](?!\d))[\s」』）)]*")
_CLINGING = frozenset(
    "ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々ゝゞヽヾ゛゜ﾞﾟｰ\u200d\u3099\u309a\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
)


def split_sentences(text: str, words: Words | None = None, limit: int = DEFAULT_LIMIT, *, memos: bool = False) -> Iterator[Sentence]:
    """Yields the pieces of `text` in order; `words` (such as `G2P.words`) says where a long clause may be cut.

    `memos` as `app.core.notation.written.noted_text` has them.
    """
    noted = noted_text(text, memos=memos)
    start = 0
    index = 0
    while start < len(text):
        place = noted.plain_at(start)
        window = noted.plain[place : place + limit + 1]  # one more, to see what follows
        end = (_natural_end(window, limit) or _forced_end(window, words)) if window else 0
        cut = noted.cut_at(place + end, start)
        yield Sentence(index, text[start:cut], start)
        start = cut
        index += 1


def _natural_end(window: str, limit: int) -> int:
    """Length of the sentence the window begins with; 0 when none ends within `limit`."""
    awaited: list[str] = []  # closing brackets and quotes, innermost last
    inner_end = 0  # first end within brackets, taken when they do not close in time
    for position in range(len(window) - len(window.lstrip()), min(len(window), limit)):
        char = window[position]
        if awaited and char == awaited[-1]:
            awaited.pop()
            if awaited or not _closes_speech(window, position):
                continue
        elif char in _CLOSER_OF or char == '"':
            awaited.append(_CLOSER_OF.get(char, char))
            continue
        elif not _is_stop(window, position):
            continue
        end = min(_end_of(_TAIL, window, position + 1), limit)
        if not awaited or char in _LINE_BREAKS:
            return end
        inner_end = inner_end or end
    return inner_end or (len(window) if len(window) <= limit else 0)


def _is_stop(window: str, position: int) -> bool:
    if not _STOP.match(window, position):
        return False
    if _continues(window, position):
        return False
    return window[position] not in ".!" or not _ABBREVIATED.search(window[max(0, position - 8) : position])


def _continues(window: str, position: int) -> bool:
    """Whether what follows a stop cannot begin a sentence. Most texts need none of the patterns, which take long to compile."""
    following = _end_of(_MARKS, window, position + 1)
    if following == len(window):
        return False
    return any(window[position] in stops and _compiled(pattern).match(window, following) for stops, pattern in _CONTINUES.items())


_compiled = cache(re.compile)


def _closes_speech(window: str, position: int) -> bool:
    """「…。」 ends a sentence only when more speech or a space follows: 「…。」と言った continues."""
    following = window[position + 1 : position + 2]
    return _is_stop(window, position - 1) and (following in _CLOSER_OF or following.isspace())


def _forced_end(window: str, words: Words | None) -> int:
    """Where to cut a window without a sentence end, which is one character too long."""
    limit = len(window) - 1
    commas = [match.end() for match in _COMMA.finditer(window, 0, limit)]
    if commas and commas[-1] >= limit // 4:
        return commas[-1]
    if words:
        last = words(window[:limit])[-1]  # may be only the beginning of a word
        if len(last) < limit // 2:
            return limit - len(last)
    return next((end for end in range(limit, 0, -1) if window[end] not in _CLINGING), limit)


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
