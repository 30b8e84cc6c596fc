"""Regular expressions over the lines: those of Qt, which give up where an expression would never come to an end.

Python's own hold every thread until they are done, which `(a+)+$` is not in a lifetime; a library with a time limit would be one more to ship.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator

from PySide6.QtCore import QRegularExpression, QRegularExpressionMatch

from app.common.errors import InputError
from app.common.language import localize
from app.core.script import Line, Script
from app.core.text_search import SearchMatch

MAX_EXPRESSION_S = 0.1  # of a search through all lines, its pauses apart; Qt gives up a single match after about a fifth of that
LAST_BMP_CHARACTER = "\uffff"  # letters behind it are two for Qt


class EndlessExpressionError(InputError):
    """An expression takes too long."""

    def __init__(self) -> None:
        super().__init__(
            localize(
                "この正規表現は処理に時間がかかりすぎます。繰り返しを減らしてください。",
                "This expression takes too long. Use fewer repetitions.",
            )
        )


def parse_expression(pattern: str) -> QRegularExpression:
    """An expression; raises InputError, which says where it is wrong."""
    expression = QRegularExpression(pattern, QRegularExpression.PatternOption.UseUnicodePropertiesOption)
    if not expression.isValid():
        place = expression.patternErrorOffset()
        raise InputError(
            localize(
                f"正規表現が正しくありません（{place} 文字目）。", f"Invalid expression at character {place}: {expression.errorString()}."
            )
        )
    return expression


def find_matches_by_line(script: Script, expression: QRegularExpression, ids: Collection[str] | None = None) -> Iterator[list[SearchMatch]]:
    """Every place in these lines, or in all, a list for each line; an empty place counts, such as the beginning of a line.

    Raises EndlessExpressionError.
    """
    left_s = MAX_EXPRESSION_S
    for line in script.lines:
        if ids is None or line.id in ids:
            found: list[SearchMatch] = []
            began = time.perf_counter()
            for match in _iterate_matches(line, expression):
                found.append(match)
                if time.perf_counter() - began > left_s:
                    raise EndlessExpressionError
            left_s -= time.perf_counter() - began
            if left_s < 0:
                raise EndlessExpressionError
            yield found


def _iterate_matches(line: Line, expression: QRegularExpression) -> Iterator[SearchMatch]:
    places = expression.globalMatch(line.text)
    if not places.isValid():
        raise EndlessExpressionError
    letters = _Utf16Offsets(line.text)
    while places.hasNext():
        match = places.next()
        if not match.isValid():
            raise EndlessExpressionError
        yield SearchMatch(
            line.id,
            letters.convert_utf16_offset(match.capturedStart()),
            letters.convert_utf16_offset(match.capturedEnd()),
            _list_groups(match, expression),
        )


def _list_groups(match: QRegularExpressionMatch, expression: QRegularExpression) -> tuple[str, ...]:
    return tuple(match.captured(number) for number in range(expression.captureCount() + 1))


class _Utf16Offsets:
    """Qt counts letters beyond the first 65,536, such as 𠮷 and emoji, as two."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = not text or max(text) <= LAST_BMP_CHARACTER

    def convert_utf16_offset(self, utf16_offset: int) -> int:
        """The letter at a place that Qt names."""
        return (
            utf16_offset
            if self._plain
            else len(self._text.encode("utf-16-le", "surrogatepass")[: 2 * utf16_offset].decode("utf-16-le", "replace"))
        )
