"""Notation that says itself what it is: ruby in braces, in 《》 and in HTML, notes, memos."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from app.core.notation.html_ruby import LONGEST_BASE, LONGEST_READING, without_html_ruby
from app.core.notation.kana import KANJI
from app.core.notation.noted import NotedText, Ruby, Span

_SIGNS = re.compile(rf"《|[{{｛][^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}}[|｜]|<ruby|［＃", re.IGNORECASE)
_NOTE = r"［＃[^［］\n]*(?:［[^［］\n]*］[^［］\n]*)*］"
_MEMO = r"[\[［][^\[\]［］\n]*(?:[\[［][^\[\]［］\n]*[\]］][^\[\]［］\n]*)*[\]］]"
_BRACED = rf"[{{｛]([^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}})[|｜]([^{{}}｛｝|｜\n]{{0,{LONGEST_READING}}})[}}｝]"
_ANGLED = rf"《([^《》\n]{{0,{LONGEST_READING}}})》"
_MARKED = rf"[|｜]([^|｜《》\n。]{{1,{LONGEST_BASE}}}。?)\Z"
_KANA_ALONE = "[ぁ-ゖァ-ヺー・゛゜ゝゞヽヾ\u3099\u309aｦ-ﾟ〜～！？!? \u3000]*"
_TAKES_RUBY = f"[{KANJI}※]"  # ※ stands for a kanji that a note describes
_compiled = cache(re.compile)


def noted_text(text: str, *, memos: bool) -> NotedText:
    """The text with such notation taken apart.

    Args:
        memos: what stands in square brackets is not spoken; without it only Aozora Bunko's notes are left out.
    """
    noted = NotedText(text)
    if _SIGNS.search(text) or (memos and may_have_memo(text)):
        notes = [match.span() for match in _compiled(f"{_NOTE}|{_MEMO}" if memos else _NOTE).finditer(text)]
        noted = without_html_ruby(noted.noting(notes, wholes=notes) if notes else noted)
        for found in (_in_braces, _in_angles):
            noted = _taken_apart(noted, found(noted.plain))
    return noted


def may_have_memo(text: str) -> bool:
    """Whether there is a bracket that a memo could begin with."""
    return "[" in text or "［" in text


def plain_text(text: str, *, memos: bool) -> str:
    """The text without such notation, as readers see it."""
    return noted_text(text, memos=memos).plain


def memos_as_notes(text: str) -> str:
    """The text with its memos as Aozora Bunko's notes, which are one wherever the text is read."""
    return re.sub(f"{_NOTE}|{_MEMO}", _as_note, text)


def _as_note(found: re.Match[str]) -> str:
    if found[0].startswith("［＃"):
        return found[0]
    inner = found[0][1:-1].replace("［", "[").replace("］", "]")  # a note ends at its own kind of bracket
    return f"［＃{inner}］"


def _taken_apart(noted: NotedText, found: Iterator[tuple[Span, Span, str]]) -> NotedText:
    silent: list[Span] = []
    rubies: list[Ruby] = []
    wholes: list[Span] = []
    for whole, base, reading in found:
        silent += [(whole[0], base[0]), (base[1], whole[1])]
        wholes.append(whole)
        if reading.strip():
            rubies.append(Ruby(*base, reading.strip()))
    return noted.noting(silent, rubies, wholes) if wholes else noted


def _in_braces(text: str) -> Iterator[tuple[Span, Span, str]]:
    """The whole, what it stands at, the reading: {漢字|かんじ}."""
    for match in _compiled(_BRACED).finditer(text):
        yield match.span(), match.span(1), match[2]


def _in_angles(text: str) -> Iterator[tuple[Span, Span, str]]:
    """The same of ｜聖剣《エクスカリバー》 and 漢字《かんじ》; without the mark anything but kana is a title."""
    end = 0
    for match in _compiled(_ANGLED).finditer(text):
        first = max(end, match.start() - LONGEST_BASE - 2)
        marked = _compiled(_MARKED).search(text[first : match.start()])
        if marked is not None:
            base = (first + marked.start(1), match.start())
            yield (base[0] - 1, match.end()), base, match[1]
        elif _compiled(_KANA_ALONE).fullmatch(match[1]):
            start = match.start()
            while start > first and _compiled(_TAKES_RUBY).match(text, start - 1):
                start -= 1
            if start == match.start():
                continue
            yield (start, match.end()), (start, match.start()), match[1]
        else:
            continue
        end = match.end()
