"""The pitches of a query that its client has moved, and how far: whatever we have answered ourselves is no edit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain

from app.core.sound.accent_edits import set_mora_pitches
from app.core.symbols import EMOJI_IDS
from app.core.synthesis_types import Overrides
from app.core.text.accent_phrases import compute_phrase_heights
from app.service.voicevox_phrases import DEVOICED_VOWELS, HIGH, LOW, SILENT_VOWELS
from app.service.voicevox_query import AccentPhrase, QueryMora

# In VOICEVOX's unit: above what two decimals lose, below a step of its editor.
EDIT_TOLERANCE = 0.0075
_SEMITONES_PER_UNIT = 12 / math.log(2)


def find_pitch_edits(
    given: Sequence[AccentPhrase], own: Sequence[AccentPhrase], draw_as_read: Callable[[], Sequence[AccentPhrase] | None]
) -> Overrides:
    """Return the morae whose pitch a client has moved as edits, in semitones from ours.

    Clients that change an accent alone send the pitches of the old one along: those are no edits, for the accent counts.
    A pitch of 0 is no edit, see `find_devoiced_moras`; a mora without a pitch of its own cannot get one.

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


def find_devoiced_moras(phrases: Sequence[AccentPhrase]) -> tuple[int, ...]:
    """Return the indices of the morae that sound without voice: those whose vowel is devoiced, and those whose pitch is 0.

    Where no mora of the line has a pitch, its client knows nothing of pitches, and leaves them to the voice, as it does with lengths.
    """
    knows_pitches = any(mora.pitch > 0 for mora in _iterate_moras(phrases))
    return tuple(
        index
        for index, mora in enumerate(_iterate_moras(phrases))
        if mora.vowel in DEVOICED_VOWELS
        or (knows_pitches and mora.pitch <= 0 and mora.vowel not in SILENT_VOWELS and mora.text not in EMOJI_IDS)
    )


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
