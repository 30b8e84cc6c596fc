"""Accent, lengths and readings of a line as a user shapes them: pure edits of its `Overrides`.

All take the overrides as `app.core.rebased_edits.rebase` gives them: counted over the text that was read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.core.limits import PAUSE_BOUNDS
from app.core.line_reading import LineReading
from app.core.line_words import LineWord
from app.core.types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.core.words import phrase_heights

SHORTEST_MORA_S = 0.02


@dataclass(frozen=True, slots=True)
class Phrase:
    """An accent phrase: morae [start, end) of the line, their tones, and the accent, counted from 1 within it; 0 when the pitch never falls."""

    start: int
    end: int
    tones: tuple[int, ...]

    @property
    def accent(self) -> int:
        """The last high mora before a fall."""
        return next((place for place in range(len(self.tones) - 1, 0, -1) if self.tones[place - 1] > self.tones[place]), 0)


def phrases_of(reading: LineReading, overrides: Overrides) -> tuple[Phrase, ...]:
    """Accent phrases with the edits of a user."""
    tones = [mora.tone for mora in reading.moras]
    for edit in overrides.moras:
        if edit.tone is not None and edit.mora < len(tones):
            tones[edit.mora] = edit.tone
    begins = set(reading.phrases)
    for phrase in overrides.phrases:
        (begins.add if phrase.begins else begins.discard)(phrase.mora)
    begins |= _forced(reading)
    starts = sorted(mora for mora in begins if mora < len(tones))
    ends = [*starts[1:], len(tones)] if tones else []
    return tuple(Phrase(start, end, tuple(tones[start:end])) for start, end in zip(starts, ends, strict=True))


def phrase_at(phrases: tuple[Phrase, ...], mora: int) -> Phrase:
    """The phrase a mora belongs to."""
    return phrases[bisect_right(phrases, mora, key=lambda phrase: phrase.start) - 1]


def with_accent(reading: LineReading, overrides: Overrides, mora: int, accent: int) -> Overrides:
    """Lets the pitch of the mora's phrase fall after its `accent`-th mora; 0 is never. An emoji has no accent."""
    if reading.moras[mora].is_emoji:
        return overrides
    phrase = phrase_at(phrases_of(reading, overrides), mora)
    return _with_tones(reading, overrides, phrase.start, tuple(phrase_heights(phrase.end - phrase.start, accent)))


def can_toggle_phrase(reading: LineReading, mora: int) -> bool:
    """Whether the phrase before a mora can be split from it or joined with it: not where a mark or a sentence ends it."""
    return 0 < mora < len(reading.moras) and mora not in _forced(reading)


def toggle_phrase(reading: LineReading, overrides: Overrides, mora: int) -> Overrides:
    """Joins the phrase that begins with a mora to the one before it, or splits one there. The accent of the first part stays."""
    if not can_toggle_phrase(reading, mora):
        return overrides
    phrases = phrases_of(reading, overrides)
    second = phrase_at(phrases, mora)
    if second.start == mora:
        first = phrase_at(phrases, mora - 1)
        overrides = _with_begin(reading, overrides, mora, False)
        accent = first.accent or (second.accent and second.accent + first.end - first.start)
        return _with_tones(reading, overrides, first.start, tuple(phrase_heights(second.end - first.start, accent)))
    size, accent = mora - second.start, second.accent
    overrides = _with_begin(reading, overrides, mora, True)
    first_tones = phrase_heights(size, accent if accent <= size else 0)
    rest_tones = phrase_heights(second.end - mora, max(0, accent - size))
    return _with_tones(reading, overrides, second.start, (*first_tones, *rest_tones))


def with_mora_length(overrides: Overrides, mora: int, length_s: float | None) -> Overrides:
    """Fixes the length of a mora; None leaves it to the voice."""
    length_s = None if length_s is None else round(min(PAUSE_BOUNDS.high, max(SHORTEST_MORA_S, length_s)), 3)
    return _with_mora(overrides, mora, lambda edit: replace(edit, length_s=length_s))


def with_pause_length(overrides: Overrides, mark: int, length_s: float | None) -> Overrides:
    """Fixes the pause of a mark; None leaves it to the voice."""
    others = [edit for edit in overrides.pauses if edit.mark != mark]
    if length_s is not None:
        others.append(PauseOverride(mark, round(min(PAUSE_BOUNDS.high, max(PAUSE_BOUNDS.low, length_s)), 3)))
    return replace(overrides, pauses=tuple(sorted(others, key=lambda edit: edit.mark)))


def with_reading(reading: LineReading, word: LineWord, kana: str) -> tuple[ReadingOverride, ...]:
    """The readings of the line when this word is read so; empty kana leaves it to the front end."""
    surface = reading.text[word.start : word.end]
    if not surface:  # of words without letters of their own
        return reading.readings
    starts = [match.start() for match in re.finditer(re.escape(surface), reading.text)]
    occurrence = starts.index(word.start) if word.start in starts else None
    others = tuple(one for one in reading.readings if (one.surface, one.occurrence) != (surface, occurrence))
    return (ReadingOverride(surface, kana, occurrence=occurrence), *others) if kana else others


def without_phrase(reading: LineReading, overrides: Overrides, mora: int) -> Overrides:
    """Takes back every accent and length edited in the phrase of a mora, the mark behind it included."""
    phrase = phrase_at(phrases_of(reading, overrides), mora)
    inside = range(phrase.start, phrase.end)
    marks = {index for index, mark in enumerate(reading.marks) if mark.moras_before == phrase.end}
    return replace(
        overrides,
        moras=tuple(edit for edit in overrides.moras if edit.mora not in inside),
        pauses=tuple(edit for edit in overrides.pauses if edit.mark not in marks),
        phrases=tuple(edit for edit in overrides.phrases if edit.mora not in (*inside, phrase.end)),
    )


def _forced(reading: LineReading) -> set[int]:
    """Morae that begin a phrase whatever is edited."""
    marks = {mark.moras_before for mark in reading.marks}
    emoji = {mora + side for mora, one in enumerate(reading.moras) if one.is_emoji for side in (0, 1)}
    return {0} | marks | emoji | {place.moras for place in reading.places}


def _with_begin(reading: LineReading, overrides: Overrides, mora: int, begins: bool) -> Overrides:
    others = [edit for edit in overrides.phrases if edit.mora != mora]
    if (mora in reading.phrases) != begins:
        others.append(PhraseOverride(mora, begins))
    return replace(overrides, phrases=tuple(sorted(others, key=lambda edit: edit.mora)))


def _with_tones(reading: LineReading, overrides: Overrides, start: int, tones: tuple[int, ...]) -> Overrides:
    """Fixes tones; a stretch that comes to what the front end says anyway is no edit."""
    plain = tones == tuple(mora.tone for mora in reading.moras[start : start + len(tones)])
    for mora, tone in enumerate(tones, start):
        overrides = _with_tone(overrides, mora, None if plain else tone)
    return overrides


def _with_tone(overrides: Overrides, mora: int, tone: int | None) -> Overrides:
    return _with_mora(overrides, mora, lambda edit: replace(edit, tone=tone))


def _with_mora(overrides: Overrides, mora: int, change: Callable[[MoraOverride], MoraOverride]) -> Overrides:
    edits = {edit.mora: edit for edit in overrides.moras}
    edit = change(edits.pop(mora, MoraOverride(mora)))
    if edit.tone is not None or edit.length_s is not None:
        edits[mora] = edit
    return replace(overrides, moras=tuple(edits[index] for index in sorted(edits)))
