"""Sounds that are compared: equally loud, aligned, and switched without a click."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.comparable_sounds import compute_equal_gains, measure_spoken_power
from app.audition.parallel_sounds import SWITCH_FADE_S, SoundSwitcher, has_same_course
from app.core.sound.k_weighting import apply_k_weighting, compute_k_filters
from app.core.synthesis_types import Float32

RATE = 44_100


def tone(hz: float, length_s: float = 1.0, rate: int = RATE, level: float = 0.5) -> Float32:
    return (level * np.sin(2 * np.pi * hz * np.arange(round(length_s * rate)) / rate)).astype(np.float32)


def noise(seed: int, count: int = RATE) -> Float32:
    return np.random.default_rng(seed).normal(0, 0.1, count).astype(np.float32)


def test_the_filters_are_those_of_the_standard() -> None:
    (shelf, shelf_past), (low, low_past) = compute_k_filters(48_000)
    assert shelf == pytest.approx((1.53512485958697, -2.69169618940638, 1.19839281085285), abs=1e-9)
    assert shelf_past == pytest.approx((1, -1.69065929318241, 0.73248077421585), abs=1e-9)
    assert low == (1, -2, 1)
    assert low_past == pytest.approx((1, -1.99004745483398, 0.99007225036621), abs=1e-9)


@pytest.mark.parametrize("rate", [16_000, 24_000, 44_100, 48_000, 96_000])
def test_the_spectrum_filters_as_the_recursion_does(rate: int) -> None:
    lfilter = pytest.importorskip("scipy.signal").lfilter
    samples = noise(1, rate // 2)
    expected = samples.astype(np.float64)
    for forward, past in compute_k_filters(rate):
        expected = lfilter(forward, past, expected)
    assert apply_k_weighting(samples, rate) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_a_tone_has_the_level_that_the_standard_gives_it(rate: int) -> None:
    """997 Hz at full scale in one channel is -3.01 LKFS, where the sum is lowered by 0.691 dB."""
    power = np.square(apply_k_weighting(tone(997, 2.0, rate, 1.0), rate)[rate // 2 :]).mean()
    assert 10 * np.log10(power) - 0.691 == pytest.approx(
        -3.01, abs=0.01 if rate > 40_000 else 0.04
    )  # the filters bend near half of the rate


def test_pauses_do_not_count_and_any_length_has_a_power() -> None:
    spoken, quiet = tone(500, 0.5), np.zeros(RATE, np.float32)
    with_pauses = np.concatenate((quiet, spoken, quiet, spoken, quiet))
    assert measure_spoken_power(with_pauses, RATE) == pytest.approx(measure_spoken_power(spoken, RATE), rel=0.03)
    assert measure_spoken_power(tone(500, 0.03), RATE) > 0
    assert measure_spoken_power(quiet, RATE) == 0
    assert measure_spoken_power(quiet[:0], RATE) == 0


def test_sounds_become_as_loud_as_the_softest() -> None:
    sounds = [noise(1), 3 * noise(2), np.zeros(100, np.float32), 0.2 * noise(3, RATE // 3)]
    gains = compute_equal_gains(sounds, [RATE] * 4)
    assert max(gains) == pytest.approx(1.0)
    powers = [measure_spoken_power(samples * np.float32(gain), RATE) for samples, gain in zip(sounds, gains, strict=True)]
    assert powers[2] == 0
    assert powers[0] == pytest.approx(powers[1], rel=1e-4)
    assert powers[3] == pytest.approx(powers[1], rel=1e-4)


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 2)), min_size=1, max_size=20))
def test_switching_between_equal_sounds_is_not_heard(steps: list[tuple[int, int]]) -> None:
    sound = noise(1, 5_000)
    switcher = SoundSwitcher([sound] * 3, RATE)
    heard = []
    for count, index in steps:
        switcher.select(index)
        heard.append(switcher.read(count))
    joined = np.concatenate(heard)
    assert joined == pytest.approx(sound[: len(joined)], abs=1e-6)
    assert switcher.position == len(joined)


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 2)), min_size=1, max_size=20))
def test_no_step_is_larger_than_a_fade_makes(steps: list[tuple[int, int]]) -> None:
    """Of constants, every step comes from switching."""
    switcher = SoundSwitcher([np.full(20_000, level, np.float32) for level in (0.2, 0.5, 0.8)], RATE)
    joined = np.concatenate([(switcher.select(index), switcher.read(count))[1] for count, index in steps])
    assert np.abs(np.diff(joined)).max(initial=0) <= 1.01 * 0.6 / (SWITCH_FADE_S * RATE)
    assert joined.min() >= 0.2 - 1e-6
    assert joined.max() <= 0.8 + 1e-6


def test_after_a_fade_the_sound_is_exactly_the_other_one_in_the_same_place() -> None:
    first, second = noise(1), noise(2)
    switcher = SoundSwitcher([first, second], RATE, [1.0, 0.5])
    assert switcher.read(1_000).tobytes() == first[:1_000].tobytes()
    switcher.select(1)
    faded = switcher.read(441)
    assert switcher.read(1_000) == pytest.approx(second[1_441:2_441] * 0.5)
    assert np.abs(faded).max() < 1


def test_strangers_keep_their_power_in_a_fade_and_relatives_their_sum() -> None:
    count = 400
    powers = []
    for seed in range(count):
        switcher = SoundSwitcher([noise(seed, 2_000), noise(seed + count, 2_000)], RATE)
        switcher.select(1)
        powers.append(np.square(switcher.read(441)))
    assert np.mean(powers, axis=0)[100:340].mean() == pytest.approx(0.01, rel=0.05)
    assert has_same_course(np.stack([noise(1), noise(1) + 0.1 * noise(2)]))
    assert not has_same_course(np.stack([noise(1), noise(2)]))
    assert not has_same_course(np.stack([noise(1), -noise(1)]))


def test_shorter_sounds_end_in_silence() -> None:
    switcher = SoundSwitcher([np.ones(100, np.float32), np.ones(60, np.float32)], 1_000, first_index=1)
    heard = switcher.read(200)
    assert len(heard) == 100
    assert np.array_equal(heard, np.arange(100) < 60), "the second one from its first sample on"
    assert len(switcher.read(10)) == 0
    switcher.seek(-5)
    assert switcher.position == 0
    switcher.seek(1_000)
    assert switcher.position == 100
