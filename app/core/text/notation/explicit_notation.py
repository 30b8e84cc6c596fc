"""Notation that says itself what it is: ruby in braces, in 《》 and in HTML, notes, memos."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from app.core.text.notation.noted_text import LetterSpan, NotedText, RubyReading
from app.core.text.pronunciation import KANJI_CLASS

MAX_RUBY_ELEMENT_LENGTH = 4_000  # letters of one element, tags included; what is longer is text
LONGEST_BASE, LONGEST_READING = 100, 200  # letters of all bases, of a reading; what is longer is text
_RUBY_TAG = re.compile(r"<(/?)(ruby|rbc|rb|rtc|rt|rp)(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)
_OKURIGANA_BEFORE_KANJI = re.compile(f"[ぁ-ゖ]{{1,{LONGEST_BASE}}}(?=[{KANJI_CLASS}])")
_BASE, _READING, _NOTHING = "base", "reading", ""
_CONTENT_BY_TAG = {"ruby": _BASE, "rbc": _BASE, "rb": _BASE, "rtc": _READING, "rt": _READING, "rp": _NOTHING}


@dataclass(slots=True)
class _RubySegment:
    """Text between two tags; depth counts the elements around it."""

    content: str
    start: int
    end: int
    depth: int


@dataclass(slots=True)
class _RubyElement:
    start: int
    depth: int = 0
    content: str = _BASE
    silent: list[LetterSpan] = field(default_factory=list)
    parts: list[_RubySegment] = field(default_factory=list)

    @property
    def base_length(self) -> int:
        return sum(part.end - part.start for part in self.parts if part.content == _BASE)

    def add_text(self, text: str, start: int, end: int) -> None:
        """Add the text up to the next tag; the space around it belongs to the tags."""
        written = text[start:end]
        first = start + len(written) - len(written.lstrip())
        last = max(first, start + len(written.rstrip()))
        self.silent += [(start, first), (last, end)]
        if first == last:
            return
        if self.content != _BASE:
            self.silent.append((first, last))
        if self.content:
            self.parts.append(_RubySegment(self.content, first, last, self.depth))

    def add_tag(self, tag: re.Match[str]) -> None:
        """Assign the text behind a tag to what the tag begins, or to the base where it ends something."""
        name, ends = tag[2].lower(), bool(tag[1])
        self.silent.append(tag.span())
        self.content = _BASE if ends else _CONTENT_BY_TAG[name]
        if name == "ruby":
            self.depth += -1 if ends else 1


def extract_html_ruby(noted: NotedText) -> NotedText:
    """Parse the ruby elements of the text; an element that is not closed is text."""
    text = noted.plain
    if "<" not in text:
        return noted
    silent: list[LetterSpan] = []
    rubies: list[RubyReading] = []
    wholes: list[LetterSpan] = []
    for element, end in _parse_elements(text):
        readings = list(_build_rubies(text, element.parts))
        if element.base_length > LONGEST_BASE or any(len(ruby.reading) > LONGEST_READING for ruby in readings):
            continue
        silent += element.silent
        rubies += readings
        wholes.append((element.start, end))
    return noted.add_notation(silent, rubies, wholes)


def _parse_elements(text: str) -> Iterator[tuple[_RubyElement, int]]:
    tags = list(_RUBY_TAG.finditer(text))
    for first, last in _find_outermost(tags):
        element, at = _RubyElement(tags[first].start()), tags[first].start()
        for tag in tags[first : last + 1]:
            element.add_text(text, at, tag.start())
            element.add_tag(tag)
            at = tag.end()
        yield element, at


def _find_outermost(tags: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Yield the tags that begin and end an outermost element; a tag that is not closed, or closed too far away, begins nothing."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, tag in enumerate(tags):
        if tag[2].lower() != "ruby":
            continue
        if not tag[1]:
            opened.append(at)
        elif opened and tag.end() - tags[first := opened.pop()].start() <= MAX_RUBY_ELEMENT_LENGTH:
            while pairs and pairs[-1][0] > first:
                pairs.pop()
            pairs.append((first, at))
    yield from pairs


def _build_rubies(text: str, parts: list[_RubySegment]) -> Iterator[RubyReading]:
    """Yield for each run of bases the readings that follow it: one each if there are as many, else all of them together.

    Readings further out than their base are a second one, which nobody can say at once.
    """
    at = 0
    while at < len(parts):
        bases, readings = [], []
        while at < len(parts) and parts[at].content == _BASE:
            bases.append(parts[at])
            at += 1
        while at < len(parts) and parts[at].content == _READING:
            readings.append(parts[at])
            at += 1
        if not bases:
            continue
        readings_said = [text[part.start : part.end] for part in readings if part.depth >= bases[-1].depth]
        if len(readings_said) == len(bases):
            for base, reading in zip(bases, readings_said, strict=True):
                # Of 取(と)り扱(あつか)い in one element, the kana before 扱 end the reading before them.
                kana = _OKURIGANA_BEFORE_KANJI.match(text, base.start, base.end)
                start = base.start if kana is None or reading.startswith(kana[0]) else kana.end()
                yield RubyReading(start, base.end, reading)
        elif readings_said:
            yield RubyReading(bases[0].start, bases[-1].end, "".join(readings_said))


_NOTATION_SIGNS = re.compile(rf"《|[{{｛][^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}}[|｜]|<ruby|［＃", re.IGNORECASE)
_AOZORA_NOTE = r"［＃[^［］\n]*(?:［[^［］\n]*］[^［］\n]*)*］"
_BRACKETED_MEMO = r"[\[［][^\[\]［］\n]*(?:[\[［][^\[\]［］\n]*[\]］][^\[\]［］\n]*)*[\]］]"
_BRACED_RUBY = rf"[{{｛]([^{{}}｛｝|｜\n]{{1,{LONGEST_BASE}}})[|｜]([^{{}}｛｝|｜\n]{{0,{LONGEST_READING}}})[}}｝]"
_ANGLED_RUBY = rf"《([^《》\n]{{0,{LONGEST_READING}}})》"
_OTHER_ANGLES = re.compile(
    rf"(?<=[{KANJI_CLASS}])≪([ぁ-ゖァ-ヺー]{{1,{LONGEST_READING}}})≫"
)  # signs of numbers, where 《》 cannot be typed
_MARKED_BASE = rf"[|｜]([^|｜《》\n。]{{1,{LONGEST_BASE}}}。?)\Z"
_KANA_ALONE = "[ぁ-ゖァ-ヺー・゛゜ゝゞヽヾ\u3099\u309aｦ-ﾟ〜～！？!? \u3000]*"
_RUBY_BASE_CHAR = f"[{KANJI_CLASS}※]"  # ※ stands for a kanji that a note describes
_compile_pattern = cache(re.compile)


def parse_noted_text(text: str, *, memos: bool) -> NotedText:
    """Parse a text into its plain text and its notation.

    Args:
        memos: text in square brackets is not spoken; without it only Aozora Bunko's notes are left out.
    """
    text = _OTHER_ANGLES.sub(r"《\1》", text) if "≪" in text else text
    noted = NotedText(text)
    if _NOTATION_SIGNS.search(text) or (memos and may_have_memo(text)):
        notes = [match.span() for match in _compile_pattern(f"{_AOZORA_NOTE}|{_BRACKETED_MEMO}" if memos else _AOZORA_NOTE).finditer(text)]
        noted = extract_html_ruby(noted.add_notation(notes, notation_spans=notes) if notes else noted)
        for find_rubies in (_find_braced_ruby, _find_angled_ruby):
            noted = _extract_rubies(noted, find_rubies(noted.plain))
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


def _extract_rubies(noted: NotedText, rubies_found: Iterator[tuple[LetterSpan, LetterSpan, str]]) -> NotedText:
    silent: list[LetterSpan] = []
    rubies: list[RubyReading] = []
    wholes: list[LetterSpan] = []
    for span, base, reading in rubies_found:
        silent += [(span[0], base[0]), (base[1], span[1])]
        wholes.append(span)
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
