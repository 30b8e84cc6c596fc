"""Splits a line of text lazily into pieces that are synthesised in one go.

A piece ends after a full stop, question or exclamation mark, ellipsis or line break. Text in brackets stays whole as
long as it fits. Beyond `limit` characters a piece is cut at a comma, then between words, then anywhere. The pieces joined are
the text, each is at most `limit` long, and every character is examined a bounded number of times. Notation (`app.core.text.notation`)
is no part of a sentence: it is never cut, and does not count.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from app.core.synthesis_types import LineSentence
from app.core.text.emoji_symbols import EMOJI_PATTERN
from app.core.text.notation.explicit_notation import parse_noted_text

Words = Callable[[str], list[str]]

# BERT takes 510 characters and normalisation can double a text, but the first sound has to come soon, which decides.
SENTENCE_LENGTH_LIMIT = 120

_CLOSING_BRACKETS = {"「": "」", "『": "』", "（": "）", "(": ")", "【": "】", "［": "］", "[": "]", "〈": "〉", "《": "》", "“": "”"}
_STOP_CHARS = "。｡！？…‥⁇⁈⁉‼"
_LINE_BREAK_CHARS = "\n\r\v\f\x85\u2028\u2029"

# A stop written in ASCII ends a sentence only where it cannot be part of a number, an address or an abbreviation.
_STOP_PATTERN = re.compile(rf"[{_STOP_CHARS}{_LINE_BREAK_CHARS}]|(?<!<)[!?](?![A-Za-z0-9=&/#%])|\.(?=[\s.」』）)”\"']|$)|．(?!\d)")
# Particles behind a quoted cry or a name cannot begin a sentence (うそ！と叫んだ, モーニング娘。の曲).
# Split there, と叫んだ would begin a sentence of its own.
_QUOTE_CONTINUATIONS = r"って|を|という|とい[っわえ]|とか[いを言]|と(?=[一-龠々])|の(?=[一-龠々ァ-ヶA-Za-z])|[はへ](?=[一-龠々ァ-ヶ])"
_CONTINUATIONS_BY_STOP = {
    "。｡": _QUOTE_CONTINUATIONS,
    "！？!?": _QUOTE_CONTINUATIONS + r"|で(?![もはす]|しょ|きる|き)(?=[ぁ-んァ-ヶ一-龠々])|[がに](?=[一-龠々ァ-ヶ])",
    "…‥": "[はへ](?![ぁあいえっはへー。…？！?!」』）)]|$)",  # 俺……は、もう
}
_LAST_EMOJI = rf"(?:(?:{EMOJI_PATTERN})+(?=\s|$))?"  # emoji with nothing behind them end a piece, all others begin the next one
_STOP_RUN = re.compile("[。｡！？!?…‥]*")
_SENTENCE_TAIL = re.compile(rf"[.．!?{_STOP_CHARS}]*[{re.escape(''.join(_CLOSING_BRACKETS.values()))}]*{_LAST_EMOJI}\s*")
_ABBREVIATED = re.compile(
    r"(?:^|[^A-Za-z])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|Inc|Ltd|Co|Jr|Sr|e\.g|i\.e|[Vv]er|[Vv]ol|Fig|Ch|Yahoo)$|(?:^|[\s、。])\d{1,3}$"
)
_COMMA = re.compile(r"(?:[、，､;；：]|[,:](?!\d))[\s」』）)]*")
_CLINGING_CHARS = frozenset(
    "ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々ゝゞヽヾ゛゜ﾞﾟｰ\u200d\u3099\u309a\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
)


def split_sentences(
    text: str, split_words: Words | None = None, limit: int = SENTENCE_LENGTH_LIMIT, *, memos: bool = False
) -> Iterator[LineSentence]:
    """Yield the pieces of `text` in order; `split_words` (such as `G2P.split_words`) finds places where a long clause may be cut.

    `memos` as `app.core.text.notation.explicit_notation.parse_noted_text` has them.
    """
    noted = parse_noted_text(text, memos=memos)
    start = 0
    index = 0
    while start < len(text):
        plain_start = noted.map_to_plain(start)
        # One character more than the limit shows what follows the last one.
        window = noted.plain[plain_start : plain_start + limit + 1]
        end = (_find_natural_end(window, limit) or _find_forced_end(window, split_words)) if window else 0
        cut = noted.find_cut(plain_start + end, start)
        yield LineSentence(index, text[start:cut], start)
        start = cut
        index += 1


def _find_natural_end(window: str, limit: int) -> int:
    """Return the length of the sentence the window begins with; 0 when none ends within `limit`."""
    # Closing brackets and quotes still to come, the innermost last.
    awaited: list[str] = []
    # The first end within brackets, which counts when they do not close in time.
    inner_end = 0
    for position in range(len(window) - len(window.lstrip()), min(len(window), limit)):
        char = window[position]
        if awaited and char == awaited[-1]:
            awaited.pop()
            following = window[position + 1 : position + 2]
            # 「…。」 ends a sentence only when more speech or a space follows; 「…。」と言った continues.
            if awaited or not _is_stop(window, position - 1) or not (following in _CLOSING_BRACKETS or following.isspace()):
                continue
        elif char in _CLOSING_BRACKETS or char == '"':
            awaited.append(_CLOSING_BRACKETS.get(char, char))
            continue
        elif not _is_stop(window, position):
            continue
        end = min(_find_match_end(_SENTENCE_TAIL, window, position + 1), limit)
        if not awaited or char in _LINE_BREAK_CHARS:
            return end
        inner_end = inner_end or end
    return inner_end or (len(window) if len(window) <= limit else 0)


def _is_stop(window: str, position: int) -> bool:
    if not _STOP_PATTERN.match(window, position):
        return False
    if _is_continued(window, position):
        return False
    return window[position] not in ".!" or not _ABBREVIATED.search(window[max(0, position - 8) : position])


def _is_continued(window: str, position: int) -> bool:
    """Return True if the text after a stop cannot begin a sentence."""
    following = _find_match_end(_STOP_RUN, window, position + 1)
    if following == len(window):
        return False
    # Compiled on first use: most texts need none of these patterns, which take long to compile.
    return any(
        window[position] in stops and _compile_pattern(pattern).match(window, following)
        for stops, pattern in _CONTINUATIONS_BY_STOP.items()
    )


_compile_pattern = cache(re.compile)


def _find_forced_end(window: str, split_words: Words | None) -> int:
    """Return the place to cut a window without a sentence end; the window is one character longer than the limit."""
    limit = len(window) - 1
    commas = [match.end() for match in _COMMA.finditer(window, 0, limit)]
    if commas and commas[-1] >= limit // 4:
        return commas[-1]
    if split_words:
        # The last word may be only the beginning of one that the window cuts.
        last = split_words(window[:limit])[-1]
        if len(last) < limit // 2:
            return limit - len(last)
    return next((end for end in range(limit, 0, -1) if window[end] not in _CLINGING_CHARS), limit)


def _find_match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
