"""Moves a user's edits to the changed text of a line: edits of untouched words stay with their words, the others are dropped.

An edit counts morae over a text, so it names the text it was made for, and whether its emoji and memos were counted. Typing moves no
edit: edits are moved to the present text only when the line is spoken or shown. Undoing what was typed therefore restores its edits too.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

from app.core.sound.line_reading import LineReading
from app.core.synthesis_types import Overrides, ReadingOverride
from app.core.text.emoji_symbols import has_emoji
from app.core.text.notation.explicit_notation import may_have_memo

# Pairs of characters that `SequenceMatcher` may compare, which is slow on long texts;
# above this, everything between the first and the last difference counts as changed.
MAX_COMPARED_PAIRS = 40_000

ReadLine = Callable[[str, tuple[ReadingOverride, ...], bool, bool], LineReading]
"""Reads a text with given readings; the flags say that emoji are read and that memos are left out."""


def move_overrides_to_text(overrides: Overrides, text: str, read_line: ReadLine, *, emoji: bool = False, memos: bool = False) -> Overrides:
    """Return the edits counted over `text`; `emoji`: the voice speaks emoji, `memos`: text in square brackets is left out."""
    made_for = overrides.text or text
    if made_for == text and (not overrides.text or has_same_moras(overrides, text, emoji=emoji, memos=memos)):
        return overrides
    readings = move_readings(overrides.readings, made_for, text)
    if not (overrides.moras or overrides.pauses or overrides.phrases):
        return replace(overrides, readings=readings, text=text, emoji=emoji, memos=memos)
    old = read_line(made_for, overrides.readings, overrides.emoji, overrides.memos)
    return move_overrides(overrides, old, read_line(text, readings, emoji, memos))


def has_same_moras(overrides: Overrides, text: str, *, emoji: bool, memos: bool) -> bool:
    """Return True if the text has the same morae as when its edits were made."""
    # Emoji are morae only for voices that speak them, and memos only where they are read.
    return (overrides.emoji == emoji or not has_emoji(text)) and (overrides.memos == memos or not may_have_memo(text))


def move_overrides(overrides: Overrides, old: LineReading, new: LineReading) -> Overrides:
    """Return the edits of `old` counted over `new`, whose readings replace the old ones."""
    moras, marks = _map_untouched(old, new)
    return Overrides(
        readings=new.readings,
        moras=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.moras if edit.mora in moras),
        pauses=tuple(replace(edit, mark=marks[edit.mark]) for edit in overrides.pauses if edit.mark in marks),
        phrases=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.phrases if edit.mora in moras),
        text=new.text,
        emoji=new.emoji,
        memos=new.memos,
    )


def move_readings(readings: tuple[ReadingOverride, ...], old: str, new: str) -> tuple[ReadingOverride, ...]:
    """Find each reading of a single occurrence in the new text, or drop it with its occurrence."""
    spans = _find_common_stretches(old, new)
    edits = []
    for edit in readings:
        if edit.occurrence is None:
            edits.append(edit)
            continue
        places = find_occurrences(edit.surface, old)
        start = _move_span(spans, places[edit.occurrence], len(edit.surface)) if edit.occurrence < len(places) else None
        starts = find_occurrences(edit.surface, new)
        if start in starts:
            edits.append(replace(edit, occurrence=starts.index(start)))
    return tuple(edits)


def _map_untouched(old: LineReading, new: LineReading) -> tuple[dict[int, int], dict[int, int]]:
    """Return the new index of each mora and of each mark that belongs to an untouched word."""
    spans = _find_common_stretches(old.text, new.text)
    starts = {word.start: index for index, word in enumerate(new.words)}
    moras: dict[int, int] = {}
    marks: dict[int, int] = {}
    for word in old.words:
        start = _move_span(spans, word.start, word.end - word.start)
        if start not in starts:
            continue
        first = last = starts[start]
        end = start + word.end - word.start
        while last + 1 < len(new.words) and new.words[last].end < end:
            last += 1
        new_phones = [phone for new_word in new.words[first : last + 1] for phone in new_word.phones]
        if new.words[last].end == end and tuple(new_phones) == word.phones:
            shift, mark_shift = new.words[first].first_mora - word.first_mora, new.words[first].first_mark - word.first_mark
            moras |= {mora: mora + shift for mora in range(word.first_mora, word.end_mora)}
            marks |= {mark: mark + mark_shift for mark in range(word.first_mark, word.end_mark)}
    return moras, marks


def _find_common_stretches(old: str, new: str) -> list[tuple[int, int, int]]:
    """Return the stretches common to both texts in order: (start in the old, start in the new, length); the longest ones win."""
    head = tail = 0
    if len(old) * len(new) > MAX_COMPARED_PAIRS:
        shorter = min(len(old), len(new))
        head = next((new_start for new_start in range(shorter) if old[new_start] != new[new_start]), shorter)
        tail = next((new_start for new_start in range(shorter - head) if old[-1 - new_start] != new[-1 - new_start]), shorter - head)
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    inner: list[tuple[int, int, int]] = []
    if len(old_middle) * len(new_middle) <= MAX_COMPARED_PAIRS:
        blocks = SequenceMatcher(None, old_middle, new_middle, autojunk=False).get_matching_blocks()
        inner = [(head + block.a, head + block.b, block.size) for block in blocks]
    spans: list[tuple[int, int, int]] = []
    for start, new_start, size in ((0, 0, head), *inner, (len(old) - tail, len(new) - tail, tail)):
        if spans and spans[-1][0] + spans[-1][2] == start and spans[-1][1] + spans[-1][2] == new_start:
            spans[-1] = (spans[-1][0], spans[-1][1], spans[-1][2] + size)
        elif size:
            spans.append((start, new_start, size))
    return spans


def _move_span(spans: list[tuple[int, int, int]], start: int, size: int) -> int | None:
    """Return the start in the new text of a stretch of the old one; None when anything in the stretch has changed."""
    return next(
        (new_start + start - first for first, new_start, length in spans if first <= start and start + size <= first + length), None
    )


def find_occurrences(surface: str, text: str) -> list[int]:
    """Return where a word begins in a text; nowhere if it has no letters."""
    return [match.start() for match in re.finditer(re.escape(surface), text)] if surface else []
