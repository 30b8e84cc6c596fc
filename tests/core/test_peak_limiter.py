"""The limiter: nothing leaves it above the ceiling, nothing below is changed, and pieces are no different from the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.peak_limiter import CEILING, HOLD_S, LOOK_AHEAD_S, PeakLimiter
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
