"""Notation that says itself what it is: ruby in braces, in 《》 and in HTML, notes, memos."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from app.core.notation.html_ruby import LONGEST_BASE, LONGEST_READING, extract_html_ruby
from app.core.notation.kana_readings import KANJI_CLASS
from app.core.notation.noted_text import LetterSpan, NotedText, RubyReading

_NOTATION_SIGNS = re.compile(rf"《|[{{｛][^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}}[|｜]|<ruby|［＃", re.IGNORECASE)
_AOZORA_NOTE = r"［＃[^［］\n]*(?:［[^［］\n]*］[^［］\n]*)*］"
_BRACKETED_MEMO = r"[\[［][^\[\]［］\n]*(?:[\[［][^\[\]［］\n]*[\]］][^\[\]［］\n]*)*[\]］]"
_BRACED_RUBY = rf"[{{｛]([^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}})[|｜]([^{{}}｛｝|｜\n]{{0,{LONGEST_READING}}})[}}｝]"
_ANGLED_RUBY = rf"《([^《》\n]{{0,{LONGEST_READING}}})》"
_MARKED_BASE = rf"[|｜]([^|｜《》\n。]{{1,{LONGEST_BASE}}}。?)\Z"
_KANA_ALONE = "[ぁ-ゖァ-ヺー・゛゜ゝゞヽヾ\u3099\u309aｦ-ﾟ〜～！？!? \u3000]*"
_RUBY_BASE_CHAR = f"[{KANJI_CLASS}※]"  # ※ stands for a kanji that a note describes
_compile_pattern = cache(re.compile)


def parse_noted_text(text: str, *, memos: bool) -> NotedText:
    """Parse a text into its plain text and its notation.

    Args:
        memos: what stands in square brackets is not spoken; without it only Aozora Bunko's notes are left out.
    """
    noted = NotedText(text)
    if _NOTATION_SIGNS.search(text) or (memos and may_have_memo(text)):
        notes = [match.span() for match in _compile_pattern(f"{_AOZORA_NOTE}|{_BRACKETED_MEMO}" if memos else _AOZORA_NOTE).finditer(text)]
        noted = extract_html_ruby(noted.add_notation(notes, notation_spans=notes) if notes else noted)
        for found in (_find_braced_ruby, _find_angled_ruby):
            noted = _extract_rubies(noted, found(noted.plain))
    return noted


def may_have_memo(text: str) -> bool:
    """Return whether there is a bracket that a memo could begin with."""
    return "[" in text or "［" in text


def strip_notation(text: str, *, memos: bool) -> str:
    """Return the text without notation, as readers see it."""
    return parse_noted_text(text, memos=memos).plain


def convert_memos_to_notes(text: str) -> str:
    """Convert memos to Aozora Bunko's notes, which are notes wherever the text is read."""
    return re.sub(f"{_AOZORA_NOTE}|{_BRACKETED_MEMO}", _convert_memo, text)


def _convert_memo(match: re.Match[str]) -> str:
    if match[0].startswith("［＃"):
        return match[0]
    inner = match[0][1:-1].replace("［", "[").replace("］", "]")  # a note ends at its own kind of bracket
    return f"［＃{inner}］"


def _extract_rubies(noted: NotedText, found: Iterator[tuple[LetterSpan, LetterSpan, str]]) -> NotedText:
    silent: list[LetterSpan] = []
    rubies: list[RubyReading] = []
    wholes: list[LetterSpan] = []
    for whole, base, reading in found:
        silent += [(whole[0], base[0]), (base[1], whole[1])]
        wholes.append(whole)
        if reading.strip():
            rubies.append(RubyReading(*base, reading.strip()))
    return noted.add_notation(silent, rubies, wholes) if wholes else noted


def _find_braced_ruby(text: str) -> Iterator[tuple[LetterSpan, LetterSpan, str]]:
    """Yield the whole, the base and the reading of {漢字|かんじ}."""
    for match in _compile_pattern(_BRACED_RUBY).finditer(text):
        yield match.span(), match.span(1), match[2]


def _find_angled_ruby(text: str) -> Iterator[tuple[LetterSpan, LetterSpan, str]]:
    """Yield whole, base and reading of ｜聖剣《エクスカリバー》 and 漢字《かんじ》; without the mark, brackets after anything but kanji are a title."""
    end = 0
    for match in _compile_pattern(_ANGLED_RUBY).finditer(text):
        first = max(end, match.start() - LONGEST_BASE - 2)
        marked = _compile_pattern(_MARKED_BASE).search(text[first : match.start()])
        if marked is not None:
            base = (first + marked.start(1), match.start())
            yield (base[0] - 1, match.end()), base, match[1]
        elif _compile_pattern(_KANA_ALONE).fullmatch(match[1]):
            start = match.start()
            while start > first and _compile_pattern(_RUBY_BASE_CHAR).match(text, start - 1):
                start -= 1
            if start == match.start():
                continue
            yield (start, match.end()), (start, match.start()), match[1]
        else:
            continue
        end = match.end()
