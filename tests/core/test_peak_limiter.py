"""The limiter: nothing leaves it above the ceiling, nothing below is changed, and pieces are no different from the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.waveform import CEILING, HOLD_S, LOOK_AHEAD_S, REACH, PeakLimiter, find_true_levels
from app.core.synthesis_types import Float32

RATE = 24000
NEAR = round((HOLD_S + 2 * LOOK_AHEAD_S) * RATE)


def limit(samples: Float32, cuts: list[int] | None = None) -> Float32:
    limiter = PeakLimiter(RATE)
    pieces = np.split(samples, sorted(cut % (len(samples) + 1) for cut in cuts or []))
    return np.concatenate([*map(limiter.limit_samples, pieces), limiter.flush_samples()])


def tone(peak: float, seconds: float = 0.3) -> Float32:
    return (peak * np.sin(2 * np.pi * 220 * np.arange(round(seconds * RATE)) / RATE)).astype(np.float32)


@given(st.lists(st.integers(0, 1 << 20), max_size=5))
def test_sound_below_the_ceiling_passes_as_it_is(cuts: list[int]) -> None:
    samples = tone(0.96)
    assert np.array_equal(limit(samples, cuts), samples)


@given(st.lists(st.integers(0, 1 << 20), max_size=6), st.floats(0.1, 8.0), st.integers(0, 1 << 16))
def test_nothing_is_above_the_ceiling_and_nothing_is_lost(cuts: list[int], peak: float, seed: int) -> None:
    noise = np.random.default_rng(seed).standard_normal(9000).astype(np.float32) * np.float32(peak / 3)
    limited = limit(noise, cuts)
    assert len(limited) == len(noise)
    assert np.abs(limited).max() <= CEILING + 1e-6
    assert np.all(np.abs(limited) <= np.abs(noise) + 1e-7)


def test_a_peak_lowers_the_sound_around_it_alone_and_without_a_step() -> None:
    samples = tone(0.5, 1.0)
    place = len(samples) // 2
    samples[place] = 1.9
    limited = limit(samples)
    assert np.array_equal(limited[: place - NEAR], samples[: place - NEAR])
    assert np.array_equal(limited[place + NEAR :], samples[place + NEAR :])
    sounding = np.abs(samples) > 0.1
    gains = limited[sounding] / samples[sounding]
    assert gains.min() == pytest.approx(CEILING / 1.9, rel=1e-3)
    # Over the look-ahead the gain changes evenly.
    assert np.abs(np.diff(gains)).max() < 4 / (LOOK_AHEAD_S * RATE)


@given(st.lists(st.integers(round(LOOK_AHEAD_S * RATE), RATE // 2), min_size=1, max_size=6))
def test_pieces_of_loud_sound_are_limited_as_the_whole(cuts: list[int]) -> None:
    """A first piece shorter than the look-ahead may end before anything in it is loud, and is not held back."""
    samples = tone(1.4, 0.5) * np.linspace(0.7, 1.0, RATE // 2, dtype=np.float32)
    assert limit(samples, cuts) == pytest.approx(limit(samples), abs=1e-6)


def test_quiet_sound_is_not_held_back() -> None:
    limiter = PeakLimiter(RATE)
    assert len(limiter.limit_samples(tone(0.4))) == round(0.3 * RATE)
    assert len(limiter.limit_samples(tone(0.9))) == round((0.3 - LOOK_AHEAD_S) * RATE)
    assert len(limiter.flush_samples()) == round(LOOK_AHEAD_S * RATE)


def speak(seed: int, level: float) -> Float32:
    """A sound below 0.8 of half the rate, as soundless at its ends as speech, with its true peak at `level`."""
    size = 9000
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(size))
    spectrum[round(len(spectrum) * 0.8) :] = 0
    at = np.arange(size)
    sound = np.fft.irfft(spectrum, size) * np.minimum(1, np.minimum(at, at[::-1]) / 200) * (0.4 + 0.6 * np.sin(at / 700) ** 2)
    return np.asarray(level * sound / find_true_levels(sound.astype(np.float32)).max(), np.float32)


@given(st.integers(0, 1 << 16), st.floats(0.3, 2.0), st.lists(st.integers(0, 1 << 20), max_size=6))
def test_what_lies_between_the_samples_stays_below_the_ceiling(seed: int, level: float, cuts: list[int]) -> None:
    sound = speak(seed, level)
    limiter = PeakLimiter(RATE, 1.0, is_true_peak=True)
    pieces = np.split(sound, sorted(cut % (len(sound) + 1) for cut in cuts))
    limited = np.concatenate([*map(limiter.limit_samples, pieces), limiter.flush_samples()])
    assert len(limited) == len(sound)
    assert find_true_levels(limited).max() <= 1.002
    assert limiter.least_gain == pytest.approx(min(1, 1 / level), rel=1e-5)
    loud = np.flatnonzero(find_true_levels(sound) > 1)
    near = round((HOLD_S + 2 * LOOK_AHEAD_S) * RATE) + 2 * REACH
    untouched = np.ones(len(sound), bool)
    for place in loud:
        untouched[max(0, place - near) : place + near] = False
    assert np.array_equal(limited[untouched], sound[untouched])
    sounding = np.abs(sound) > 1e-3
    gains = np.interp(np.arange(len(sound)), np.flatnonzero(sounding), limited[sounding] / sound[sounding])
    assert np.abs(np.diff(gains)).max() < 2 / (LOOK_AHEAD_S * RATE)


def test_pieces_are_limited_between_the_samples_as_the_whole() -> None:
    sound = speak(1, 2.0)
    whole = PeakLimiter(RATE, 1.0, is_true_peak=True)
    expected = np.concatenate([whole.limit_samples(sound), whole.flush_samples()])
    parts = PeakLimiter(RATE, 1.0, is_true_peak=True)
    pieces = [sound[:0], *np.split(sound, [1, 7, 3000, 3010, 8999])]
    assert np.concatenate([*map(parts.limit_samples, pieces), parts.flush_samples()]) == pytest.approx(expected, abs=1e-6)
