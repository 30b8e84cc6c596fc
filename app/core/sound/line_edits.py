"""Pure edits of a line's `Overrides`: the accent, lengths and readings that a user shapes, and their move to the changed text of a line.

An edit counts morae over a text, so it names the text it was made for, and whether its emoji and memos were counted. Typing moves no edit: edits are
moved to the present text only when the line is spoken or shown, those of untouched words with their words; the others are dropped. Undoing what was typed
therefore restores its edits too. What shapes edits takes them as `move_overrides_to_text` returns them: counted over the text that was read.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from app.core.sound.line_reading import LineReading, LineWord
from app.core.synthesis_types import (
    MORA_PITCH_BOUNDS,
    PAUSE_BOUNDS,
    MoraOverride,
    Overrides,
    PauseOverride,
    PhraseOverride,
    ReadingOverride,
)
from app.core.text.emoji_symbols import has_emoji
from app.core.text.english_phones import has_latin_letters
from app.core.text.notation.explicit_notation import may_have_memo
from app.core.text.pronunciation import compute_phrase_heights

# Pairs of characters that `SequenceMatcher` may compare, which is slow on long texts;
# above this, everything between the first and the last difference counts as changed.
MAX_COMPARED_PAIRS = 40_000

ReadLine = Callable[[str, tuple[ReadingOverride, ...], bool, bool, bool], LineReading]
"""Reads a text with given readings; the flags say that emoji are read, that memos are left out and that English is read as English."""


def move_overrides_to_text(
    overrides: Overrides, text: str, read_line: ReadLine, *, emoji: bool = False, memos: bool = False, english: bool = False
) -> Overrides:
    """Return the edits counted over `text`; `emoji`, `english`: the voice speaks emoji and English, `memos`: text in square brackets is left out."""
    made_for = overrides.text or text
    if made_for == text and (not overrides.text or has_same_moras(overrides, text, emoji=emoji, memos=memos, english=english)):
        return overrides
    readings = move_readings(overrides.readings, made_for, text)
    if not (overrides.moras or overrides.pauses or overrides.phrases):
        return replace(overrides, readings=readings, text=text, emoji=emoji, memos=memos, english=english)
    old = read_line(made_for, overrides.readings, overrides.emoji, overrides.memos, overrides.english)
    return move_overrides(overrides, old, read_line(text, readings, emoji, memos, english))


def has_same_moras(overrides: Overrides, text: str, *, emoji: bool, memos: bool, english: bool) -> bool:
    """Return True if the text has the same morae as when its edits were made."""
    # Emoji are morae only for voices that speak them, memos only where they are read, and English words have syllables in English only.
    return (
        (overrides.emoji == emoji or not has_emoji(text))
        and (overrides.memos == memos or not may_have_memo(text))
        and (overrides.english == english or not has_latin_letters(text))
    )


def move_overrides(overrides: Overrides, old: LineReading, new: LineReading) -> Overrides:
    """Return the edits of `old` counted over `new`, whose readings replace the old ones."""
    moras, marks = _map_untouched(old, new)
    moved = Overrides(
        readings=new.readings,
        moras=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.moras if edit.mora in moras),
        pauses=tuple(replace(edit, mark=marks[edit.mark]) for edit in overrides.pauses if edit.mark in marks),
        phrases=tuple(replace(edit, mora=moras[edit.mora]) for edit in overrides.phrases if edit.mora in moras),
    )
    return name_counted_text(moved, new)


def name_counted_text(overrides: Overrides, reading: LineReading) -> Overrides:
    """Return the edits with what they were counted over: the text, and how it was read."""
    return replace(overrides, text=reading.text, emoji=reading.emoji, memos=reading.memos, english=reading.english)


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


SHORTEST_MORA_S = 0.02


@dataclass(frozen=True, slots=True)
class LinePhrase:
    """An accent phrase: morae [start, end) of the line, and their tones (0 low, 1 high)."""

    start: int
    end: int
    tones: tuple[int, ...]

    @property
    def accent(self) -> int:
        """Return the last high mora before the pitch falls, from 1; 0 when it never falls."""
        return next((index for index in range(len(self.tones) - 1, 0, -1) if self.tones[index - 1] > self.tones[index]), 0)


def list_phrases(reading: LineReading, overrides: Overrides) -> tuple[LinePhrase, ...]:
    """Return the accent phrases of a line with the user's edits applied."""
    tones = [mora.tone for mora in reading.moras]
    for edit in overrides.moras:
        if edit.tone is not None and edit.mora < len(tones):
            tones[edit.mora] = edit.tone
    begins = set(reading.phrases)
    for phrase in overrides.phrases:
        (begins.add if phrase.begins else begins.discard)(phrase.mora)
    begins |= _find_forced_starts(reading)
    starts = sorted(mora for mora in begins if mora < len(tones))
    ends = [*starts[1:], len(tones)] if tones else []
    return tuple(LinePhrase(start, end, tuple(tones[start:end])) for start, end in zip(starts, ends, strict=True))


def find_phrase(phrases: tuple[LinePhrase, ...], mora: int) -> LinePhrase:
    return phrases[bisect_right(phrases, mora, key=lambda phrase: phrase.start) - 1]


def set_accent(reading: LineReading, overrides: Overrides, mora: int, accent: int) -> Overrides:
    """Let the pitch of the mora's phrase fall after its `accent`-th mora; 0 means never. An emoji has no accent and stays as it is."""
    if reading.moras[mora].is_emoji:
        return overrides
    phrase = find_phrase(list_phrases(reading, overrides), mora)
    return _set_tones(reading, overrides, phrase.start, tuple(compute_phrase_heights(phrase.end - phrase.start, accent)))


def may_toggle_phrase(reading: LineReading, mora: int) -> bool:
    """Return True if the phrase before a mora can be split from the mora or joined with it: no mark and no sentence end is between them."""
    return 0 < mora < len(reading.moras) and mora not in _find_forced_starts(reading)


def toggle_phrase(reading: LineReading, overrides: Overrides, mora: int) -> Overrides:
    """Join the phrase that begins with a mora to the one before it, or split the phrase there. The accent of the first part stays."""
    if not may_toggle_phrase(reading, mora):
        return overrides
    phrases = list_phrases(reading, overrides)
    second = find_phrase(phrases, mora)
    if second.start == mora:
        first = find_phrase(phrases, mora - 1)
        overrides = _set_phrase_start(reading, overrides, mora, False)
        accent = first.accent or (second.accent and second.accent + first.end - first.start)
        return _set_tones(reading, overrides, first.start, tuple(compute_phrase_heights(second.end - first.start, accent)))
    size, accent = mora - second.start, second.accent
    overrides = _set_phrase_start(reading, overrides, mora, True)
    first_tones = compute_phrase_heights(size, accent if accent <= size else 0)
    rest_tones = compute_phrase_heights(second.end - mora, max(0, accent - size))
    return _set_tones(reading, overrides, second.start, (*first_tones, *rest_tones))


def set_mora_length(overrides: Overrides, mora: int, length_s: float | None) -> Overrides:
    """Fix the length of a mora in seconds; None leaves the length to the voice."""
    length_s = None if length_s is None else round(min(PAUSE_BOUNDS.high, max(SHORTEST_MORA_S, length_s)), 3)
    return _change_mora(overrides, mora, length_s=length_s)


def set_mora_pitches(overrides: Overrides, pitches: Mapping[int, float | None]) -> Overrides:
    """Move the pitch of morae by semitones; None, or less than a hundredth, leaves the pitch to the voice."""
    for mora, pitch in pitches.items():
        offset = None if pitch is None else round(min(MORA_PITCH_BOUNDS.high, max(MORA_PITCH_BOUNDS.low, pitch)), 2) or None
        overrides = _change_mora(overrides, mora, pitch=offset)
    return overrides


def set_pause_length(overrides: Overrides, mark: int, length_s: float | None) -> Overrides:
    """Fix the pause of a mark in seconds; None leaves the pause to the voice."""
    other_edits = [edit for edit in overrides.pauses if edit.mark != mark]
    if length_s is not None:
        other_edits.append(PauseOverride(mark, round(min(PAUSE_BOUNDS.high, max(PAUSE_BOUNDS.low, length_s)), 3)))
    return replace(overrides, pauses=tuple(sorted(other_edits, key=lambda edit: edit.mark)))


def set_word_reading(reading: LineReading, word: LineWord, kana: str) -> tuple[ReadingOverride, ...]:
    """Return the readings of the line once this word is read as `kana`; empty kana leaves the word to the front end."""
    surface = reading.text[word.start : word.end]
    if not surface:  # which an override could name
        return reading.readings
    starts = find_occurrences(surface, reading.text)
    occurrence = starts.index(word.start) if word.start in starts else None
    other_edits = tuple(edit for edit in reading.readings if (edit.surface, edit.occurrence) != (surface, occurrence))
    return (ReadingOverride(surface, kana, occurrence=occurrence), *other_edits) if kana else other_edits


def reset_phrase(reading: LineReading, overrides: Overrides, mora: int) -> Overrides:
    """Remove every accent and length edited in the phrase of a mora, the mark behind the phrase included."""
    phrase = find_phrase(list_phrases(reading, overrides), mora)
    inside = range(phrase.start, phrase.end)
    marks = {index for index, mark in enumerate(reading.marks) if mark.moras_before == phrase.end}
    return replace(
        overrides,
        moras=tuple(edit for edit in overrides.moras if edit.mora not in inside),
        pauses=tuple(edit for edit in overrides.pauses if edit.mark not in marks),
        phrases=tuple(edit for edit in overrides.phrases if edit.mora not in (*inside, phrase.end)),
    )


def _find_forced_starts(reading: LineReading) -> set[int]:
    """Return the morae that begin a phrase whatever the user edits."""
    marks = {mark.moras_before for mark in reading.marks}
    emoji = {mora + side for mora, line_mora in enumerate(reading.moras) if line_mora.is_emoji for side in (0, 1)}
    return {0} | marks | emoji | {offset.moras for offset in reading.offsets}


def _set_phrase_start(reading: LineReading, overrides: Overrides, mora: int, begins: bool) -> Overrides:
    other_edits = [edit for edit in overrides.phrases if edit.mora != mora]
    if (mora in reading.phrases) != begins:
        other_edits.append(PhraseOverride(mora, begins))
    return replace(overrides, phrases=tuple(sorted(other_edits, key=lambda edit: edit.mora)))


def _set_tones(reading: LineReading, overrides: Overrides, start: int, tones: tuple[int, ...]) -> Overrides:
    """Fix tones; tones equal to the front end's own are stored as no edit at all."""
    plain = tones == tuple(mora.tone for mora in reading.moras[start : start + len(tones)])
    for mora, tone in enumerate(tones, start):
        overrides = _change_mora(overrides, mora, tone=None if plain else tone)
    return overrides


def _change_mora(overrides: Overrides, mora: int, **values: Any) -> Overrides:
    edits = {edit.mora: edit for edit in overrides.moras}
    edit = replace(edits.pop(mora, MoraOverride(mora)), **values)
    if edit != MoraOverride(mora):
        edits[mora] = edit
    return replace(overrides, moras=tuple(edits[index] for index in sorted(edits)))
