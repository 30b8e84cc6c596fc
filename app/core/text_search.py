"""Finds and replaces words in lines: letter by letter, or without regard to kana, width and case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from app.core.letters import compared_letters
from app.core.moras import hiragana_to_katakana
from app.core.notation.noted import NotedText
from app.core.notation.written import noted_text
from app.core.script import Line, Script, retext_lines

_REFERENCE = re.compile(r"\$\$|\\\\|\$\{(\d{1,2})\}|[$\\](\d{1,2})")


@dataclass(frozen=True, slots=True)
class Query:
    """What is sought.

    Attributes:
        loose: hiragana, katakana, half and full width, capitals and small letters are alike.
        is_expression: the text is a regular expression, to which every letter counts; `find` does not know those.
    """

    text: str
    loose: bool = True
    is_expression: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """Where something was found: letters start to end of a line's text; of an expression also what its groups hold, the whole first."""

    line_id: str
    start: int
    end: int
    groups: tuple[str, ...] = ()


def find_by_line(script: Script, query: Query, ids: Collection[str] | None = None) -> Iterator[list[Match]]:
    """Every place in these lines, or in all, from the top, also across ruby and notes; places do not overlap.

    It yields a list for each line, so that a search through very many lines can pause.
    """
    wanted = _written(query.text, query.loose)[0]
    for line in script.lines:
        if ids is None or line.id in ids:
            yield [Match(line.id, start, end) for start, end in _places_in(line, wanted, query.loose)]


def folded(text: str) -> str:
    """Without regard to kana, width and case; may have another length."""
    return hiragana_to_katakana(unicodedata.normalize("NFKC", text).casefold())


def substitute(script: Script, matches: Collection[Match], text: str) -> Script:
    """The script with another text at these places, which were found in it; `$1` stands for a group of an expression."""
    by_line: dict[str, list[Match]] = {}
    for match in matches:
        by_line.setdefault(match.line_id, []).append(match)
    return retext_lines(script, {line.id: _replaced(line.text, by_line[line.id], text) for line in script.lines if line.id in by_line})


def _replaced(line_text: str, matches: list[Match], text: str) -> str:
    for match in sorted(matches, key=attrgetter("start"), reverse=True):  # from the end, so that places before it stay
        line_text = line_text[: match.start] + written_for(match, text) + line_text[match.end :]
    return line_text


def written_for(match: Match, text: str) -> str:
    r"""What takes the place of a match: in place of `$1`, `${1}` or `\1` its group, of `$$` and `\\` one of them; a plain match has no groups."""
    if not match.groups:
        return text

    def group(found: re.Match[str]) -> str:
        number = found[1] or found[2]
        return found[0][0] if number is None else match.groups[int(number)] if int(number) < len(match.groups) else ""

    return _REFERENCE.sub(group, text)


def unknown_group(text: str, groups: int) -> int | None:
    """The first group that a text for replacing names and an expression of so many groups does not have."""
    named = (int(found[1] or found[2]) for found in _REFERENCE.finditer(text) if found[1] or found[2])
    return next((number for number in named if number > groups), None)


def _places_in(line: Line, wanted: str, loose: bool) -> list[tuple[int, int]]:
    found = _places(line.text, wanted, loose)
    if not _has_in_order(_written(line.text, loose)[0], wanted):
        return found
    noted = _noted(line.text, line.settings.memos)
    if noted.silent:
        spoken = (noted.written(*place) for place in _places(noted.plain, wanted, loose))
        found = sorted([*found, *(place for place in spoken if all(place[1] <= start or end <= place[0] for start, end in found))])
    return found


def _has_in_order(text: str, letters: str) -> bool:
    """Whether a text has these letters, whatever stands between them: nothing else can be found across notation."""
    at = 0
    for letter in letters:
        at = text.find(letter, at) + 1
        if at == 0:
            return False
    return bool(letters)


@lru_cache(maxsize=20_000)
def _noted(text: str, memos: bool) -> NotedText:
    return noted_text(text, memos=memos)


def _places(text: str, wanted: str, loose: bool) -> list[tuple[int, int]]:
    written, origins = _written(text, loose)
    found, begin = [], 0
    while wanted and (at := written.find(wanted, begin)) >= 0:
        begin = at + len(wanted)
        found.append((at, begin) if origins is None else (origins[at][0], origins[begin - 1][1]))
    return found


@lru_cache(maxsize=20_000)  # a script is searched again after every edit, of one line mostly
def _written(text: str, loose: bool) -> tuple[str, list[tuple[int, int]] | None]:
    """Letters to compare, and where each comes from, None where nothing moves: one may become several (㌔), and two one (ｶﾞ)."""
    if not loose:
        return text, None
    plain = folded(text)
    if unicodedata.is_normalized("NFKC", text) and len(plain) == len(text):  # nearly every line
        return plain, None
    return compared_letters(text, folded)
