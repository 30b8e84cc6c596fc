"""Draws what a seed changes of tempo, pauses and melody where a line asks for variation, in a voice without noise: takes become readings of their own.

Everything is drawn within bounds in which accents stay right: phrases are moved and widened as wholes.
"""

from collections.abc import Callable

import numpy as np

from app.core.sound.tone_levels import PhraseShape
from app.core.synthesis_types import Float32, Float64, Phones
from app.core.text.phone_ids import NO_INDEX, map_phones_to_marks, map_phones_to_moras

# Deviations at variation 1. Logarithms of lengths: of the sentence, of each accent phrase, of each mora, of each mark.
SENTENCE_TEMPO, PHRASE_TEMPO, MORA_LENGTH, MARK_LENGTH = 0.06, 0.08, 0.04, 0.28
PHRASE_RANGE = 0.22  # logarithm of how far a phrase's melody moves
PHRASE_LEVEL = 0.9  # semitones
MOST_DEVIATIONS = 2.0  # how far from its mean anything is drawn

DrawNumbers = Callable[[int], Float32]  # as many standard normal numbers as asked for, the same ones for the same sentence and seed


def draw_log_lengths(phones: Phones, draw: DrawNumbers, variation: float, pauses: float = 1.0) -> Float64:
    """Return what is added to the logarithm of each phone's length, float64 (n,); `pauses` is a factor of the length of marks."""
    moras, marks = (np.array(find(phones.phones)) for find in (map_phones_to_moras, map_phones_to_marks))
    count = int(moras.max(initial=NO_INDEX)) + 1
    numbers = _draw_bounded(draw, 1 + 2 * count + int((marks != NO_INDEX).sum())) * variation
    sentence, by_phrase, by_mora, by_mark = np.split(numbers, np.cumsum([1, count, count]))
    phrases = np.searchsorted(np.array(sorted(phones.phrases), np.int64), np.arange(count), side="right")
    mora_logs = sentence * SENTENCE_TEMPO + by_phrase[np.minimum(phrases, count - 1)] * PHRASE_TEMPO + by_mora * MORA_LENGTH
    logs = np.zeros(len(phones.phones))
    logs[moras != NO_INDEX] = mora_logs[moras[moras != NO_INDEX]]
    logs[marks != NO_INDEX] = by_mark * MARK_LENGTH + np.log(pauses)
    return logs


def draw_phrase_shapes(count: int, draw: DrawNumbers, variation: float) -> list[PhraseShape]:
    """Return the shapes of the first `count` accent phrases of a sentence."""
    pairs = _draw_bounded(draw, 2 * count).reshape(count, 2) * variation
    return [PhraseShape(float(np.exp(wide * PHRASE_RANGE)), float(level * PHRASE_LEVEL)) for wide, level in pairs]


def _draw_bounded(draw: DrawNumbers, count: int) -> Float64:
    return np.clip(draw(count).astype(np.float64), -MOST_DEVIATIONS, MOST_DEVIATIONS)
