"""What a seed changes of a line that asks for variation: tempo, pauses and melody, with every accent right."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.acoustic import NoiseStreams
from app.core.sound.melody import build_tone_curve
from app.core.sound.reading_variation import (
    MARK_LENGTH,
    MORA_LENGTH,
    MOST_DEVIATIONS,
    PHRASE_TEMPO,
    SENTENCE_TEMPO,
    draw_log_lengths,
    draw_phrase_shapes,
)
from app.core.sound.tone_levels import MoraTone, compute_mora_levels
from app.core.synthesis_types import Phones
from app.core.text.phone_ids import NO_INDEX, map_phones_to_marks

# In two phrases, each with an accent
NAMES = ("_", "k", "o", "n", "o", "a", "m", "e", "w", "a", ",", "ts", "u", "m", "e", "t", "a", "i", ".", "_")
TONES = (0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0)
LINE = Phones("この雨は、冷たい。", "コノアメワツメタイ", NAMES, TONES, (1, 2, 2, 3, 2, 1, 4, 2, 1, 1, 1), phrases=(0, 5))
SEEDS = st.integers(0, 2**31 - 1)


@given(SEEDS, st.floats(0.1, 2.0))
def test_lengths_stay_within_bounds_and_pauses_move_most(seed: int, variation: float) -> None:
    logs = draw_log_lengths(LINE, NoiseStreams((seed, 0)).draw_lengths_variation, variation)
    marks = np.array(map_phones_to_marks(NAMES)) != NO_INDEX
    assert np.abs(logs[~marks]).max() <= MOST_DEVIATIONS * (SENTENCE_TEMPO + PHRASE_TEMPO + MORA_LENGTH) * variation + 1e-9
    assert np.abs(logs[marks]).max() <= MOST_DEVIATIONS * MARK_LENGTH * variation + 1e-9
    assert logs[0] == logs[-1] == 0, "the silence around a line is not a reading"


def test_a_phrase_has_one_tempo() -> None:
    logs = draw_log_lengths(LINE, NoiseStreams((3, 0)).draw_lengths_variation, 1.0)
    other = draw_log_lengths(replace(LINE, phrases=(0,)), NoiseStreams((3, 0)).draw_lengths_variation, 1.0)
    assert np.array_equal(logs[:11], other[:11])
    assert not np.array_equal(logs[11:-2], other[11:-2])


@given(SEEDS, st.floats(0.1, 2.0), st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_every_step_within_a_phrase_keeps_its_direction(seed: int, variation: float, drawn: list[tuple[bool, bool]]) -> None:
    moras = [MoraTone(is_high, 0.13 * index, begins, False) for index, (is_high, begins) in enumerate(drawn)]
    streams = NoiseStreams((seed, 0))
    plain = compute_mora_levels(moras)
    varied = compute_mora_levels(moras, lambda count: draw_phrase_shapes(count, streams.draw_melody_variation, variation))
    assert np.isfinite(varied).all()
    for (before, after), step, other in zip(pairwise(moras), np.diff(plain), np.diff(varied), strict=True):
        if before.is_high != after.is_high and not after.begins_phrase and abs(step) > 1.5:
            assert np.sign(other) == np.sign(step)
            assert abs(other) > 0.5


@pytest.mark.parametrize("variation", [0.5, 1.0])
def test_five_seeds_are_five_melodies(variation: float) -> None:
    steps = np.full(len(NAMES), 6)
    curves = [
        build_tone_curve(
            LINE,
            steps,
            80.0,
            lambda count, seed=seed: draw_phrase_shapes(count, NoiseStreams((seed, 0)).draw_melody_variation, variation),
        )
        for seed in range(5)
    ]
    distances = [np.abs(one - other).max() for index, one in enumerate(curves) for other in curves[:index]]
    assert min(distances) > 0.2 * variation
    assert np.array_equal(build_tone_curve(LINE, steps, 80.0), build_tone_curve(LINE, steps, 80.0, None))
