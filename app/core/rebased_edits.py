"""Edits of a line whose text has changed since: those whose word is untouched stay with it, the others are dropped.

An edit counts morae over a text, so it names the text it was made for, and whether its emoji and memos were counted. Typing moves nothing: edits
are settled, from the text they were made for to the present text, when the line is spoken or shown. So undone typing brings its edits back too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

from app.core.emoji import has_emoji
from app.core.line_reading import LineReading
from app.core.notation.written import may_have_memo
from app.core.types import Overrides, ReadingOverride

MOST_PAIRS = 40_000  # of characters to compare; beyond them all between the first and the last difference counts as changed

ReadLine = Callable[[str, tuple[ReadingOverride, ...], bool, bool], LineReading]
"""Reads a text with readings of it, its emoji or not, without its memos or with them."""


def rebase(overrides: Overrides, text: str, read: ReadLine, *, emoji: bool = False, memos: bool = False) -> Overrides:
    """The edits counted over `text`; `emoji` says whether the voice speaks them, `memos` whether what stands in square brackets is none of it."""
    made_for = overrides.text or text
    if made_for == text and (not overrides.text or counts_alike(overrides, text, emoji=emoji, memos=memos)):
        return overrides
    readings = rebased_readings(overrides.readings, made_for, text)
    if not (overrides.moras or overrides.pauses or overrides.phrases):
        return replace(overrides, readings=readings, text=text, emoji=emoji, memos=memos)
    old = read(made_for, overrides.readings, overrides.emoji, overrides.memos)
    return moved(overrides, old, read(text, readings, emoji, memos))


def counts_alike(overrides: Overrides, text: str, *, emoji: bool, memos: bool) -> bool:
    """Whether a text has the same morae as when edits of it were made."""
    return (overrides.emoji == emoji or not has_emoji(text)) and (overrides.memos == memos or not may_have_memo(text))


def moved(overrides: Overrides, old: LineReading, new: LineReading) -> Overrides:
    """The edits of `old` counted over `new`, whose readings are taken over."""
    moras, marks = _places(old, new)
    return Overrides(
        readings=new.readings,
        moras=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.moras if edit.mora in moras),
        pauses=tuple(replace(edit, mark=marks[edit.mark]) for edit in overrides.pauses if edit.mark in marks),
        phrases=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.phrases if edit.mora in moras),
        text=new.text,
        emoji=new.emoji,
        memos=new.memos,
    )


def rebased_readings(readings: tuple[ReadingOverride, ...], old: str, new: str) -> tuple[ReadingOverride, ...]:
    """Readings of single occurrences find theirs again, or are dropped with it."""
    spans = _kept(old, new)
    found = []
    for edit in readings:
        if edit.occurrence is None:
            found.append(edit)
            continue
        places = _starts(edit.surface, old)
        place = _moved_span(spans, places[edit.occurrence], len(edit.surface)) if edit.occurrence < len(places) else None
        now = _starts(edit.surface, new)
        if place in now:
            found.append(replace(edit, occurrence=now.index(place)))
    return tuple(found)


def _places(old: LineReading, new: LineReading) -> tuple[dict[int, int], dict[int, int]]:
    """Where the morae and the marks of untouched words are now."""
    spans = _kept(old.text, new.text)
    starts = {word.start: index for index, word in enumerate(new.words)}
    moras: dict[int, int] = {}
    marks: dict[int, int] = {}
    for word in old.words:
        start = _moved_span(spans, word.start, word.end - word.start)
        if start not in starts:
            continue
        first = last = starts[start]
        end = start + word.end - word.start
        while last + 1 < len(new.words) and new.words[last].end < end:
            last += 1
        same = [phone for one in new.words[first : last + 1] for phone in one.phones]
        if new.words[last].end == end and tuple(same) == word.phones:
            shift, mark_shift = new.words[first].first_mora - word.first_mora, new.words[first].first_mark - word.first_mark
            moras |= {mora: mora + shift for mora in range(word.first_mora, word.end_mora)}
            marks |= {mark: mark + mark_shift for mark in range(word.first_mark, word.end_mark)}
    return moras, marks


def _kept(old: str, new: str) -> list[tuple[int, int, int]]:
    """Stretches that stand in both texts: (start in the old one, start in the new one, length), in order; the longest ones win."""
    head = tail = 0
    if len(old) * len(new) > MOST_PAIRS:
        shorter = min(len(old), len(new))
        head = next((place for place in range(shorter) if old[place] != new[place]), shorter)
        tail = next((place for place in range(shorter - head) if old[-1 - place] != new[-1 - place]), shorter - head)
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    inner: list[tuple[int, int, int]] = []
    if len(old_middle) * len(new_middle) <= MOST_PAIRS:
        blocks = SequenceMatcher(None, old_middle, new_middle, autojunk=False).get_matching_blocks()
        inner = [(head + block.a, head + block.b, block.size) for block in blocks]
    spans: list[tuple[int, int, int]] = []
    for start, place, size in ((0, 0, head), *inner, (len(old) - tail, len(new) - tail, tail)):
        if spans and spans[-1][0] + spans[-1][2] == start and spans[-1][1] + spans[-1][2] == place:
            spans[-1] = (spans[-1][0], spans[-1][1], spans[-1][2] + size)
        elif size:
            spans.append((start, place, size))
    return spans


def _moved_span(spans: list[tuple[int, int, int]], start: int, size: int) -> int | None:
    """Where a stretch of the old text begins in the new one; None when anything in it has changed."""
    return next((place + start - first for first, place, length in spans if first <= start and start + size <= first + length), None)


def _starts(surface: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(surface), text)] if surface else []
