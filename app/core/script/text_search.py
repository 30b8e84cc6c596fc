"""Finds and replaces words in lines: letter by letter, or without regard to kana, width and case."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from app.core.script.script import Line, Script, replace_texts
from app.core.text.notation.explicit_notation import parse_noted_text
from app.core.text.pronunciation import convert_to_katakana, fold_letters

_parse_noted_text = lru_cache(maxsize=20_000)(parse_noted_text)
_GROUP_REFERENCE = re.compile(r"\$\$|\\\\|\$\{(\d{1,2})\}|[$\\](\d{1,2})")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The search text and its options."""

    text: str
    is_loose: bool = True  # hiragana and katakana, half and full width, capitals and small letters are equal
    is_expression: bool = False  # the text is a regular expression, in which every letter counts; `find_matches` does not handle those


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """Letters [start, end) of a line's text that were found; for an expression also its groups, the whole match first."""

    line_id: str
    start: int
    end: int
    groups: tuple[str, ...] = ()


def find_matches(script: Script, query: SearchQuery, ids: Collection[str] | None = None) -> Iterator[list[SearchMatch]]:
    """Yield the matches in these lines, or in all, from the top, also across ruby and notes; matches do not overlap.

    There is one list for each line, so that a search through very many lines can pause.
    """
    letters = _fold_with_origins(query.text, query.is_loose)[0]
    for line in script.lines:
        if ids is None or line.id in ids:
            yield [SearchMatch(line.id, start, end) for start, end in _find_in_line(line, letters, query.is_loose)]


def fold_text(text: str) -> str:
    """Return the text without differences of kana, width and case; its length may change."""
    return convert_to_katakana(unicodedata.normalize("NFKC", text).casefold())


def replace_matches(script: Script, matches: Collection[SearchMatch], text: str) -> Script:
    """Return the script with another text at these matches; `$1` stands for a group of an expression."""
    by_line: dict[str, list[SearchMatch]] = {}
    for match in matches:
        by_line.setdefault(match.line_id, []).append(match)
    texts = {line.id: line.text for line in script.lines if line.id in by_line}
    for line_id in texts:
        # From the end, so that the places of earlier matches stay valid.
        for match in sorted(by_line[line_id], key=attrgetter("start"), reverse=True):
            texts[line_id] = texts[line_id][: match.start] + expand_replacement(match, text) + texts[line_id][match.end :]
    return replace_texts(script, texts)


def expand_replacement(match: SearchMatch, text: str) -> str:
    r"""Return the text for a match: `$1`, `${1}` and `\1` become its group, `$$` and `\\` one such sign; a plain match has no groups."""
    if not match.groups:
        return text

    def expand_group(reference: re.Match[str]) -> str:
        number = reference[1] or reference[2]
        return reference[0][0] if number is None else match.groups[int(number)] if int(number) < len(match.groups) else ""

    return _GROUP_REFERENCE.sub(expand_group, text)


def find_unknown_group(text: str, groups: int) -> int | None:
    """Return the first group number in a replacement text that an expression with so many groups does not have; None if all exist."""
    numbers = (int(match[1] or match[2]) for match in _GROUP_REFERENCE.finditer(text) if match[1] or match[2])
    return next((number for number in numbers if number > groups), None)


def _find_in_line(line: Line, letters: str, is_loose: bool) -> list[tuple[int, int]]:
    spans = _find_spans(line.text, letters, is_loose)
    # Only letters in this order can be found across notation, so all other lines are not parsed for it.
    if not _has_in_order(_fold_with_origins(line.text, is_loose)[0], letters):
        return spans
    noted = _parse_noted_text(line.text, memos=line.settings.memos)
    if noted.silent:
        spoken = (noted.map_span_to_written(*span) for span in _find_spans(noted.plain, letters, is_loose))
        spans = sorted([*spans, *(span for span in spoken if all(span[1] <= start or end <= span[0] for start, end in spans))])
    return spans


def _has_in_order(text: str, letters: str) -> bool:
    """Return True if the text has these letters in this order, with anything in between."""
    at = 0
    for letter in letters:
        at = text.find(letter, at) + 1
        if at == 0:
            return False
    return bool(letters)


def _find_spans(text: str, letters: str, is_loose: bool) -> list[tuple[int, int]]:
    written, origins = _fold_with_origins(text, is_loose)
    spans: list[tuple[int, int]] = []
    begin = 0
    while letters and (at := written.find(letters, begin)) >= 0:
        begin = at + len(letters)
        start, end = (at, begin) if origins is None else (origins[at][0], origins[begin - 1][1])
        # The same character may hold the word twice, once for each of its letters.
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return spans


# A script is searched again after every edit, which mostly changes one line.
@lru_cache(maxsize=20_000)
def _fold_with_origins(text: str, is_loose: bool) -> tuple[str, list[tuple[int, int]] | None]:
    """Return the letters to compare and the origin of each; None for origins where no letter moves.

    One character may become several letters (㌔), and two may become one (ｶﾞ).
    """
    if not is_loose:
        return text, None
    plain = fold_text(text)
    # Nearly every line is normalised already, so folding letter by letter is rarely needed.
    if unicodedata.is_normalized("NFKC", text) and len(plain) == len(text):
        return plain, None
    return fold_letters(text, fold_text)
