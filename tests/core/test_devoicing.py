"""A vowel without voice: no period is left of it, its envelope and its place stay, and nothing else changes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.waveform import DEVOICED_GAIN, devoice_pieces, devoice_samples
from app.core.synthesis_types import Float32
from tests.pitch_measures import pitch_of

RATE = 24_000
PLACES = st.lists(st.integers(0, RATE), max_size=12, unique=True).map(sorted)


def vowel(f0_hz: float, rate: int) -> Float32:
    """A second of harmonics under an envelope with its peak at 700 Hz."""
    times = np.arange(rate) / rate
    strengths = [(number, np.exp(-(((number * f0_hz - 700) / 600) ** 2))) for number in range(1, int(rate / 2 / f0_hz))]
    whole = sum(strength * np.sin(2 * np.pi * f0_hz * number * times + number**2) for number, strength in strengths)
    return np.asarray(0.3 * whole / np.abs(whole).max(), np.float32)


@given(PLACES, st.lists(st.integers(0, RATE), max_size=30).map(sorted))
def test_pieces_of_any_size_make_the_same_sound(places: list[int], cuts: list[int]) -> None:
    samples = vowel(180, RATE)
    spans = list(pairwise(places))[::2]
    pieces = [samples[start:end] for start, end in pairwise([0, *cuts, RATE])]
    found = np.concatenate(list(devoice_pieces(pieces, spans, RATE)))
    wanted = samples.copy()
    for start, end in spans:
        wanted[start:end] = devoice_samples(samples[start:end], RATE)
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("rate", [22_050, RATE, 48_000])
@pytest.mark.parametrize("f0_hz", [90.0, 180.0, 420.0])
def test_periods_go_and_the_envelope_stays(f0_hz: float, rate: int) -> None:
    before = vowel(f0_hz, rate)
    after = devoice_samples(before, rate)
    assert np.isfinite(pitch_of(before, rate)).all()
    assert not np.isfinite(pitch_of(after, rate)).any()
    assert np.sqrt((after**2).mean() / (before**2).mean()) == pytest.approx(DEVOICED_GAIN, rel=0.1)
    powers = [np.abs(np.fft.rfft(samples)) ** 2 for samples in (before, after)]
    hz = np.fft.rfftfreq(rate, 1 / rate)
    around, far = (hz > 200) & (hz < 1400), hz > 2500
    for power in powers:
        assert power[around].sum() > 0.8 * power.sum()
        assert power[far].sum() < 0.001 * power.sum()


@pytest.mark.parametrize("length", [0, 1, 2, 50, 479, 481])
def test_the_shortest_mora_is_no_trouble(length: int) -> None:
    samples = vowel(180, RATE)[:length]
    found = devoice_samples(samples, RATE)
    assert (found.shape, found.dtype) == (samples.shape, np.float32)
    assert np.isfinite(found).all()


def test_silence_stays_silent_and_a_cancelled_sound_ends() -> None:
    assert not devoice_samples(np.zeros(4000, np.float32), RATE).any()
    assert sum(map(len, devoice_pieces([vowel(180, RATE)[:5000]], [(4000, 9000)], RATE))) == 5000
