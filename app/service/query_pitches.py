"""The pitches of a query that its client has moved, and how far: whatever we have answered ourselves is no edit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain

from app.core.accent_edits import set_mora_pitches
from app.core.accent_phrases import compute_phrase_heights
from app.core.synthesis_types import Overrides
from app.service.voicevox_phrases import HIGH, LOW
from app.service.voicevox_query import AccentPhrase, QueryMora

# In VOICEVOX's unit: above what two decimals lose, below a step of its editor.
EDIT_TOLERANCE = 0.0075
_SEMITONES_PER_UNIT = 12 / math.log(2)


def find_pitch_edits(
    given: Sequence[AccentPhrase], own: Sequence[AccentPhrase], draw_as_read: Callable[[], Sequence[AccentPhrase] | None]
) -> Overrides:
    """Return the morae whose pitch a client has moved as edits, in semitones from ours.

    Clients that change an accent alone send the pitches of the old one along: those are no edits, for the accent counts.
    A pitch of 0 leaves a mora to the voice, as a length of 0 does; a mora without a pitch of its own cannot get one.

    Args:
        given: phrases of the client.
        own: the same phrases with what we answer for their present accents.
        draw_as_read: returns the same phrases with what we answer for the accents of their text, None where nobody knows it;
            it is asked only where that decides.
    """
    pictured = [_is_accent_picture(phrase) for phrase in given for _ in phrase.moras]
    pairs = list(zip(_iterate_moras(given), _iterate_moras(own), strict=True))
    moved = {
        index: mora.pitch - ours.pitch for index, (mora, ours) in enumerate(pairs) if not pictured[index] and _has_other_pitch(mora, ours)
    }
    if not moved:
        return Overrides()
    as_read = draw_as_read()
    known = () if as_read is None else zip(_iterate_moras(given), _iterate_moras(as_read), strict=True)
    left = {index for index, (mora, ours) in enumerate(known) if not _has_other_pitch(mora, ours)}
    semitones = {index: distance * _SEMITONES_PER_UNIT for index, distance in moved.items() if index not in left}
    return set_mora_pitches(Overrides(), semitones)


def _iterate_moras(phrases: Sequence[AccentPhrase]) -> chain[QueryMora]:
    return chain.from_iterable(phrase.moras for phrase in phrases)


def _has_other_pitch(mora: QueryMora, ours: QueryMora) -> bool:
    return mora.pitch > 0 and ours.pitch > 0 and abs(mora.pitch - ours.pitch) > EDIT_TOLERANCE


def _is_accent_picture(phrase: AccentPhrase) -> bool:
    """Return whether all pitches of a phrase are `LOW` and `HIGH` as some accent has them, be it another one or that of another voice."""
    tones = [_name_tone(mora.pitch) for mora in phrase.moras]
    last_high = max((place for place, tone in enumerate(tones, 1) if tone == HIGH), default=0)
    if not last_high:
        return False
    heights = compute_phrase_heights(len(tones), last_high)
    return all(tone == 0.0 or tone == (HIGH if height else LOW) for tone, height in zip(tones, heights, strict=True))


def _name_tone(pitch: float) -> float | None:
    """Return which of `LOW` and `HIGH` a pitch is, 0 for a mora without one, and None for any other pitch."""
    if pitch <= 0:
        return 0.0
    return next((tone for tone in (LOW, HIGH) if abs(pitch - tone) <= EDIT_TOLERANCE), None)
