"""Timings that end with the sound: invented outlines, in which the phones are known to sound elsewhere than in their frames."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.line_sound import PEAK_BIN_S, LineSound, find_sounding_span, fit_timings_to_sound
from app.core.synthesis_types import AudioChunk, Float32, PhoneTiming

BIN_S = 0.004
PHONES = ("_", "s", "u", ",", "k", "a", ".", "_")
BORDERS = (0.0, 0.1, 0.2, 0.5, 0.6, 0.7, 1.2, 1.3, 1.4)


def build_timings(borders: tuple[float, ...] = BORDERS) -> tuple[PhoneTiming, ...]:
    return tuple(PhoneTiming(phone, 0, start, end) for phone, (start, end) in zip(PHONES, pairwise(borders), strict=True))


def build_peaks(*heard: tuple[float, float], length_s: float = 1.4) -> Float32:
    peaks = np.full(round(length_s / BIN_S), 1e-4, np.float32)
    for start_s, end_s in heard:
        peaks[round(start_s / BIN_S) : round(end_s / BIN_S)] = 0.5
    return peaks


def starts(timings: tuple[PhoneTiming, ...]) -> list[float]:
    return [timing.start_s for timing in timings]


def test_a_pause_is_where_nothing_is_heard() -> None:
    fitted = fit_timings_to_sound(build_timings(), build_peaks((0.128, 0.3), (0.64, 0.82)), BIN_S)
    assert starts(fitted) == pytest.approx([0.0, 0.128, 0.2, 0.3, 0.64, 0.7, 0.82, 1.3])
    assert fitted[-1].end_s == 1.4


def test_a_vowel_without_sound_keeps_a_little_of_its_consonant() -> None:
    fitted = fit_timings_to_sound(build_timings(), build_peaks((0.1, 0.18), (0.6, 1.2)), BIN_S)
    assert starts(fitted)[2:4] == pytest.approx([0.16, 0.18])


def test_the_burst_of_a_stop_may_come_behind_its_frames() -> None:
    fitted = fit_timings_to_sound(build_timings(), build_peaks((0.1, 0.4), (0.72, 1.2)), BIN_S)
    assert starts(fitted)[4:6] == pytest.approx([0.72, 0.74])


def test_what_sounds_through_a_mark_keeps_its_times() -> None:
    fitted = fit_timings_to_sound(build_timings(), build_peaks((0.1, 1.2)), BIN_S)
    assert starts(fitted) == pytest.approx(list(BORDERS[:-1]))


def test_a_sentence_without_sound_keeps_its_times() -> None:
    assert fit_timings_to_sound(build_timings(), np.zeros(350, np.float32), BIN_S) == build_timings()
    assert find_sounding_span(np.zeros(350, np.float32), BIN_S) is None


@given(
    st.lists(st.floats(0.0, 0.4), min_size=len(PHONES), max_size=len(PHONES)),
    st.lists(st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 1.0)), max_size=4),
)
def test_the_phones_tile_the_sentence_whatever_is_heard(lengths: list[float], heard: list[tuple[float, float]]) -> None:
    borders = (0.0, *map(float, np.cumsum(lengths)))
    peaks = build_peaks(*((start_s, start_s + length_s) for start_s, length_s in heard), length_s=borders[-1])
    fitted = fit_timings_to_sound(build_timings(borders), peaks, BIN_S)
    assert (fitted[0].start_s, fitted[-1].end_s) == (0.0, borders[-1])
    assert all(before.end_s == after.start_s for before, after in pairwise(fitted))
    assert all(timing.start_s <= timing.end_s + 1e-9 for timing in fitted)


@pytest.mark.parametrize("rate", [24000, 44100])
def test_each_sentence_of_a_line_is_fitted_once_all_of_it_is_there(rate: int) -> None:
    sound, samples = LineSound("a"), np.zeros(round(1.4 * rate), np.float32)
    samples[round(0.128 * rate) : round(0.3 * rate)] = samples[round(0.64 * rate) : round(0.82 * rate)] = 0.5
    half = len(samples) // 2
    # A long line: the outline's bins are not quite PEAK_BIN_S at every rate.
    sound.add_chunk(AudioChunk(np.zeros(60 * rate, np.float32), rate, "a", 0, silence=True))
    for sentence in range(2):
        sound.add_chunk(AudioChunk(samples[:half], rate, "a", sentence, phones=build_timings()))
        assert sound.sentences[sentence][1] == build_timings()
        sound.add_chunk(AudioChunk(samples[half:], rate, "a", sentence, last=sentence == 1))
    for sentence, (start_s, timings) in sound.sentences.items():
        assert start_s == pytest.approx(60 + 1.4 * sentence)
        assert starts(timings)[1:7] == pytest.approx([0.128, 0.2, 0.3, 0.64, 0.7, 0.82], abs=2 * PEAK_BIN_S)
        assert sound.sounding_spans[sentence].start_s == pytest.approx(start_s + 0.128, abs=2 * PEAK_BIN_S)
        assert sound.sounding_spans[sentence].end_s == pytest.approx(start_s + 0.82, abs=2 * PEAK_BIN_S)
