"""Loudness against the test signals of EBU Tech 3341, which are made here as that document describes them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.core.k_weighting import apply_k_weighting
from app.core.synthesis_types import Float32
from app.export.loudness import (
    LoudnessMeasurement,
    compute_block_powers,
    compute_gain_db,
    compute_gains_db,
    compute_integrated_lufs,
    measure_loudness,
    measure_true_peak,
    merge_measurements,
)

RATE = 48_000
STEREO_DB = 10 * math.log10(2)


def tone(*parts: tuple[float, float], hz: float = 1000.0, rate: int = RATE) -> Float32:
    """Stretches of (dBFS, seconds) of one sine."""
    levels = np.concatenate([np.full(round(seconds * rate), 10 ** (db / 20)) for db, seconds in parts])
    return (levels * np.sin(2 * np.pi * hz / rate * np.arange(len(levels)))).astype(np.float32)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([(-23.0, 20.0)], -23.0),
        ([(-33.0, 20.0)], -33.0),
        ([(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)], -23.0),
        ([(-72.0, 10.0), (-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0), (-72.0, 10.0)], -23.0),
        ([(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)], -23.0),
    ],
)
def test_integrated_loudness_of_the_stereo_cases_1_to_5(rate: int, parts: list[tuple[float, float]], expected: float) -> None:
    found = compute_integrated_lufs(compute_block_powers(tone(*parts, rate=rate), rate).tolist()) + STEREO_DB
    assert found == pytest.approx(expected, abs=0.1)


def test_the_weighting_is_that_of_the_recommendation() -> None:
    """Its table of coefficients for 48 kHz, as a loop over samples."""
    shelf = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
    high_pass = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
    noise = np.random.default_rng(1).standard_normal(3000)
    expected = noise
    for above, below in (shelf, high_pass):
        made = np.zeros(len(expected))
        for index in range(len(made)):
            before = [(expected[index - lag], made[index - lag]) if index >= lag else (0.0, 0.0) for lag in range(3)]
            made[index] = sum(above[lag] * before[lag][0] for lag in range(3)) - sum(below[lag] * before[lag][1] for lag in (1, 2))
        expected = made
    np.testing.assert_allclose(apply_k_weighting(noise.astype(np.float32), RATE), expected, atol=2e-5)


def test_a_long_sound_is_weighted_as_in_one_piece() -> None:
    sound = tone((-20.0, 4.0), hz=60.0)
    whole = apply_k_weighting(sound, RATE)
    np.testing.assert_allclose(apply_k_weighting(sound[:100_000], RATE), whole[:100_000], atol=1e-9)


@pytest.mark.parametrize(
    ("fraction", "degrees", "amplitude", "expected_db"),
    [(4, 0.0, 0.5, -6.0), (4, 45.0, 0.5, -6.0), (6, 60.0, 0.5, -6.0), (8, 67.5, 0.5, -6.0), (4, 45.0, 1.41, 3.0)],
)
def test_true_peak_of_the_cases_15_to_19(fraction: int, degrees: float, amplitude: float, expected_db: float) -> None:
    at = np.arange(RATE)
    ramp = np.minimum(1.0, np.minimum(at, at[::-1]) / 2000)  # a tone that begins at once is no tone there
    sound = (amplitude * ramp * np.sin(2 * np.pi * at / fraction + math.radians(degrees))).astype(np.float32)
    found = 20 * math.log10(measure_true_peak(sound, RATE))
    assert expected_db - 0.4 <= found <= expected_db + 0.2


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_true_peak_between_samples_of_the_cases_20_to_23(offset: int) -> None:
    """A wave of full scale at four times the rate, of which every fourth sample is left."""
    at = np.arange(4 * RATE)
    fine = 0.5 * np.sin(2 * np.pi * at / 24) * np.hanning(len(at)) + 0.5 * np.cos(2 * np.pi * (at - 2 * RATE) / 16) * np.hanning(len(at))
    fine /= np.abs(fine).max()
    found = 20 * math.log10(measure_true_peak(fine[offset::4].astype(np.float32), RATE))
    assert -0.4 <= found <= 0.2


def test_a_batch_reaches_its_target_as_one() -> None:
    quiet, loud = (measure_loudness(tone((db, 5.0)), RATE) for db in (-40.0, -34.0))
    gains = compute_gains_db([quiet, loud], -23.0, 1, is_per_file=False)
    assert gains[0] == gains[1]
    raised = merge_measurements(
        [measure_loudness((tone((db, 5.0)) * 10 ** (gains[0] / 20)).astype(np.float32), RATE) for db in (-40.0, -34.0)]
    )
    assert compute_integrated_lufs(raised.powers) == pytest.approx(-23.0, abs=0.05)


def test_each_file_by_itself_but_not_a_word() -> None:
    long, longer, word = (measure_loudness(tone((db, seconds)), RATE) for db, seconds in ((-30.0, 4.0), (-36.0, 4.0), (-50.0, 0.5)))
    first, second, third = compute_gains_db([long, longer, word], -23.0, 1, is_per_file=True)
    assert second - first == pytest.approx(6.0, abs=0.1)
    assert third == compute_gain_db(merge_measurements([long, longer, word]), -23.0, 1)


def test_no_gain_brings_a_peak_above_the_limit() -> None:
    click = np.zeros(5 * RATE, np.float32)
    click[::4800] = 0.5
    measured = measure_loudness(click, RATE)
    gain = compute_gain_db(measured, -16.0, 1)
    assert 20 * math.log10(measured.peak) + gain <= -1.0 + 1e-9
    assert compute_integrated_lufs(measured.powers) + gain < -16.0


def test_stereo_counts_as_louder_and_silence_has_no_gain() -> None:
    sound = measure_loudness(tone((-30.0, 5.0)), RATE)
    assert compute_gain_db(sound, -23.0, 1) - compute_gain_db(sound, -23.0, 2) == pytest.approx(STEREO_DB)
    assert compute_gain_db(LoudnessMeasurement((0.0, 0.0), 0.0, 5.0), -23.0, 1) == 0.0
    assert compute_gains_db([measure_loudness(np.zeros(100, np.float32), RATE)], -23.0, 1, is_per_file=True) == [0.0]
