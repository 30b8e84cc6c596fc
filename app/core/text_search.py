"""Finds and replaces words in lines: letter by letter, or without regard to kana, width and case."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from app.core.moras import hiragana_to_katakana
from app.core.script import Script, retext

_VOICING = "ﾞﾟ゙゚"  # written behind a kana, they belong to it


@dataclass(frozen=True, slots=True)
class Query:
    """What is sought.

    Attributes:
        loose: hiragana, katakana, half and full width, capitals and small letters are alike.
    """

    text: str
    loose: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """Where something was found: letters start to end of a line's text."""

    line_id: str
    start: int
    end: int


def find(script: Script, query: Query, ids: Collection[str] | None = None) -> list[Match]:
    """Every place in these lines, or in all, from the top; places do not overlap."""
    if not query.text:
        return []
    return [
        Match(line.id, start, end) for line in script.lines if ids is None or line.id in ids for start, end in _places(line.text, query)
    ]


def substitute(script: Script, matches: Collection[Match], text: str) -> Script:
    """The script with another text at these places, which were found in it."""
    by_line: dict[str, list[Match]] = {}
    for match in matches:
        by_line.setdefault(match.line_id, []).append(match)
    for line_id, found in by_line.items():
        line = script.find(line_id)
        if line is None:
            continue
        changed = line.text
        for match in sorted(found, key=lambda item: item.start, reverse=True):  # from the end, so that places before it stay
            changed = changed[: match.start] + text + changed[match.end :]
        script = retext(script, line_id, changed)
    return script


def _places(text: str, query: Query) -> list[tuple[int, int]]:
    letters, wanted = _letters(text, query.loose), "".join(letter for letter, _, _ in _letters(query.text, query.loose))
    written = "".join(letter for letter, _, _ in letters)
    found, begin = [], 0
    while wanted and (at := written.find(wanted, begin)) >= 0:
        begin = at + len(wanted)
        found.append((letters[at][1], letters[begin - 1][2]))
    return found


def _letters(text: str, loose: bool) -> list[tuple[str, int, int]]:
    """Letters to compare, each with the place it comes from; one letter may become several (㌔), and two one (ｶﾞ)."""
    if not loose:
        return [(letter, index, index + 1) for index, letter in enumerate(text)]
    folded = hiragana_to_katakana(text.casefold())
    if unicodedata.is_normalized("NFKC", text) and len(folded) == len(text):  # nearly every line: nothing moves
        return [(letter, index, index + 1) for index, letter in enumerate(folded)]
    found: list[tuple[str, int, int]] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and text[end] in _VOICING:
            end += 1
        plain = hiragana_to_katakana(unicodedata.normalize("NFKC", text[start:end]).casefold())
        found += [(letter, start, end) for letter in plain]
        start = end
    return found
