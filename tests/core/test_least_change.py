"""The smallest change of a voice's own melody that makes every accent right, and how a fidelity goes from there to the whole melody."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.least_change import HIGH_BOUNDS, LEAST_FALL, LEAST_LINKED_FALL, LEAST_RISE, LOW_BOUNDS, find_least_offsets
from app.core.sound.melody import LEAST_FIDELITY, build_melody, fit_to_least_change
from app.core.sound.ports import STEPS_PER_FRAME
from app.core.sound.tone_levels import MoraTone
from app.core.synthesis_types import SynthesisRequest
from tests.core.test_melody import FRAMES, RAIN, VOICE

MORAS = st.lists(st.tuples(st.booleans(), st.floats(-6, 6), st.booleans()), min_size=2, max_size=16)
TOLERANCE = 0.3


def make_moras(drawn: list[tuple[bool, float, bool]]) -> list[MoraTone]:
    return [MoraTone(is_high, 0.13 * index, begins, begins and index % 3 == 0) for index, (is_high, _, begins) in enumerate(drawn)]


@given(MORAS)
def test_every_step_between_tones_is_right_afterwards(drawn: list[tuple[bool, float, bool]]) -> None:
    moras, levels = make_moras(drawn), np.array([level for _, level, _ in drawn])
    sung = levels + find_least_offsets(levels, moras)
    for (before, after), step in zip(pairwise(moras), np.diff(sung), strict=True):
        if after.begins_group:
            continue
        if before.is_high and not after.is_high:
            assert step < -(LEAST_LINKED_FALL if after.begins_phrase else LEAST_FALL) + TOLERANCE
        elif after.is_high and not before.is_high:
            assert step > LEAST_RISE - TOLERANCE
        elif not after.begins_phrase:
            low, high = HIGH_BOUNDS if before.is_high else LOW_BOUNDS
            assert low - TOLERANCE < step < high + TOLERANCE


def test_what_is_right_already_stays() -> None:
    moras = [MoraTone(tone, 0.13 * index, index == 0, False) for index, tone in enumerate((False, True, True, False, False))]
    assert np.abs(find_least_offsets(np.array([-2.0, 1.0, 1.2, -2.0, -3.0]), moras)).max() == pytest.approx(0, abs=1e-9)
    wrong = find_least_offsets(np.array([-2.0, 1.0, 1.2, 1.0, 1.0]), moras)
    assert wrong[3] < -0.5 < 0.5 < wrong[2], "a fall is made from both sides"
    assert abs(wrong[0]) < 0.5


def test_morae_without_voice_go_with_their_neighbours_and_a_voiceless_line_stays() -> None:
    moras = [MoraTone(tone, 0.13 * index, index == 0, False) for index, tone in enumerate((False, True, True, False))]
    assert np.isfinite(find_least_offsets(np.array([-2.0, np.nan, 1.0, 1.0]), moras)).all()
    assert not find_least_offsets(np.array([np.nan, np.nan, 1.0, np.nan]), moras).any()


def test_a_fidelity_leads_from_the_voices_own_over_the_least_change_to_the_whole_melody() -> None:
    frames = np.full(len(RAIN.phones), FRAMES)
    count = int(frames.sum()) * STEPS_PER_FRAME
    own = np.full(count, 150.0)
    own[:4] = 0.0  # nothing is voiced

    def change(fidelity: float) -> np.ndarray:
        melody = build_melody(RAIN, frames, SynthesisRequest("雨", accent_fidelity=fidelity), VOICE)
        led = fit_to_least_change(melody, own, RAIN, frames, VOICE)
        assert led == replace(melody, f0=led.f0)
        assert np.array_equal(led.f0[:4], melody.f0[:4])
        return np.asarray(12 * np.log2(led.f0[4:] / 150.0) * fidelity)

    whole = build_melody(RAIN, frames, SynthesisRequest("雨"), VOICE).f0[4:]
    least = change(LEAST_FIDELITY)
    assert np.allclose(change(0.999), 12 * np.log2(whole / 150.0), atol=0.05)
    assert np.allclose(change(LEAST_FIDELITY / 2), least / 2, atol=1e-3)
    assert np.allclose(change(0.75), (least + 12 * np.log2(whole / 150.0)) / 2, atol=1e-3)
    assert 0 < np.abs(least).max() < np.abs(12 * np.log2(whole / whole.mean())).max(), "it is the smaller change"
