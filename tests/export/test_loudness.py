"""Loudness against the test signals of EBU Tech 3341, which are made here as that document describes them."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.adapters.resampler import RateConverter
from app.core.script.script import Line
from app.core.sound.k_weighting import KWeighting, apply_k_weighting
from app.core.sound.waveform import find_true_levels
from app.core.synthesis_types import Float32
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.loudness import (
    MAX_LIMITED_DB,
    MAX_TRUE_PEAK_DB,
    FileGains,
    LoudnessMeasurement,
    LoudnessMeter,
    LoudnessStage,
    WrittenLoudness,
    compute_file_gains,
    compute_gain_db,
    compute_integrated_lufs,
    compute_limited_lufs,
    compute_max_gain_db,
    convert_to_db,
    measure_loudness,
    merge_measurements,
)

RATE = 48_000
STEREO_DB = 10 * math.log10(2)


def tone(*parts: tuple[float, float], hz: float = 1000.0, rate: int = RATE) -> Float32:
    """Stretches of (dBFS, seconds) of one sine."""
    levels = np.concatenate([np.full(round(seconds * rate), 10 ** (db / 20)) for db, seconds in parts])
    return (levels * np.sin(2 * np.pi * hz / rate * np.arange(len(levels)))).astype(np.float32)


@pytest.mark.parametrize(
    ("parts", "expected", "rate"),
    [
        ([(-23.0, 20.0)], -23.0, 22_050),
        ([(-23.0, 20.0)], -23.0, 44_100),
        ([(-23.0, 20.0)], -23.0, 48_000),
        ([(-33.0, 20.0)], -33.0, 48_000),
        ([(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)], -23.0, 22_050),
        ([(-72.0, 10.0), (-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0), (-72.0, 10.0)], -23.0, 44_100),
        ([(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)], -23.0, 48_000),
    ],
)
def test_integrated_loudness_of_the_stereo_cases_1_to_5(parts: list[tuple[float, float]], expected: float, rate: int) -> None:
    found = compute_integrated_lufs(measure_loudness(tone(*parts, rate=rate), rate).powers) + STEREO_DB
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
    found = convert_to_db(float(find_true_levels(sound).max()))
    assert expected_db - 0.4 <= found <= expected_db + 0.2


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_true_peak_between_samples_of_the_cases_20_to_23(offset: int) -> None:
    """A wave of full scale at four times the rate, of which every fourth sample is left."""
    at = np.arange(4 * RATE)
    fine = 0.5 * np.sin(2 * np.pi * at / 24) * np.hanning(len(at)) + 0.5 * np.cos(2 * np.pi * (at - 2 * RATE) / 16) * np.hanning(len(at))
    fine /= np.abs(fine).max()
    found = convert_to_db(float(find_true_levels(fine[offset::4].astype(np.float32)).max()))
    assert -0.4 <= found <= 0.2


@pytest.mark.parametrize("cuts", [[1], [100, 60_000], [4800 * 13, 4800 * 13 + 5], [70_000, 140_001]])
def test_pieces_are_measured_as_the_whole(cuts: list[int]) -> None:
    sound = speak(3.3)
    meter, weighting = LoudnessMeter(RATE), KWeighting(RATE)
    pieces = np.split(sound, cuts)
    for piece in pieces:
        meter.add_samples(piece)
    found, whole = meter.finish_measurement(), measure_loudness(sound, RATE)
    assert (found.powers, found.seconds) == (pytest.approx(whole.powers), whole.seconds)
    assert (found.peak, dict(found.losses)) == (pytest.approx(whole.peak), pytest.approx(dict(whole.losses)))
    weighted = np.concatenate([weighting.filter_samples(piece) for piece in pieces])
    np.testing.assert_allclose(weighted, apply_k_weighting(sound, RATE), atol=1e-9)


def speak(seconds: float, peak: float = 0.9, seed: int = 0, rate: int = RATE) -> Float32:
    """Syllables of different loudness with pauses, and a few that stand out, as speech has them."""
    noise = np.random.default_rng(seed)
    at = np.arange(round(seconds * rate)) / rate
    syllables = (
        np.clip(np.sin(2 * np.pi * 2.3 * at + seed), 0, 1) * noise.uniform(0.3, 0.45, int(seconds * 2.3) + 2)[(at * 2.3).astype(int)]
    )
    start = int(len(at) * 0.4)
    syllables[start : start + rate // 12] = np.hanning(rate // 12)
    tones = sum(np.sin(2 * np.pi * 180 * order * at + order * order) / order for order in range(1, 12))
    sound = syllables * tones + 1e-3 * noise.standard_normal(len(at))
    return np.asarray(peak * sound / np.abs(sound).max(), np.float32)


def write(sound: Float32, gain_db: float) -> tuple[Float32, LoudnessStage]:
    """The sound as it goes into a file."""
    stage = LoudnessStage(RATE, gain_db)
    pieces = [stage.convert_samples(piece, RATE) for piece in np.array_split(sound, 7)]
    return np.concatenate([*pieces, stage.finish_sound()]), stage


@given(st.integers(0, 1 << 16), st.floats(0.05, 1.0), st.floats(-40.0, -10.0))
@settings(max_examples=10)
def test_no_target_raises_a_peak_above_the_limit_or_takes_too_much(seed: int, peak: float, target: float) -> None:
    sound = speak(1.0, peak, seed)
    measured = measure_loudness(sound, RATE)
    written, stage = write(sound, compute_gain_db(measured, target, 1))
    assert len(written) == len(sound)
    assert convert_to_db(measure_with_soxr(written)) <= MAX_TRUE_PEAK_DB
    assert stage.measure_loudness(1).limited_db <= MAX_LIMITED_DB + 0.01


def measure_with_soxr(sound: Float32) -> float:
    """The true peak by another filter than ours."""
    converter = RateConverter(4 * RATE)
    return float(np.abs(np.concatenate([converter.convert_rate(sound, RATE), converter.flush_filter()])).max())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("target", [-23.0, -19.0, -18.0])
def test_peaky_lines_meet_their_target(seed: int, target: float) -> None:
    sound = speak(4.0, seed=seed)
    measured = measure_loudness(sound, RATE)
    gain = compute_gain_db(measured, target, 1)
    written, stage = write(sound, gain)
    assert stage.measure_loudness(1).lufs == pytest.approx(target, abs=0.1)
    assert compute_integrated_lufs(measure_loudness(written, RATE).powers) == stage.measure_loudness(1).lufs
    if target == -18.0:
        assert stage.measure_loudness(1).limited_db > 4


def test_what_needs_more_than_the_limiter_may_take_is_predicted() -> None:
    sound = speak(4.0)
    measured = measure_loudness(sound, RATE)
    gain = compute_gain_db(measured, -10.0, 1)
    assert gain == compute_max_gain_db(measured.peak)
    _written, stage = write(sound, gain)
    reached = stage.measure_loudness(1)
    assert reached.limited_db == pytest.approx(MAX_LIMITED_DB, abs=0.01)
    assert reached.lufs == pytest.approx(compute_limited_lufs(measured, gain, 1), abs=0.15)
    assert reached.lufs is not None
    assert reached.lufs < -10.5


def test_what_needs_no_limiter_is_only_scaled() -> None:
    sound = speak(4.0, 0.3)
    written, stage = write(sound, 4.0)
    assert np.array_equal(written, sound * np.float32(10 ** (4.0 / 20)))
    assert stage.measure_loudness(1).limited_db == 0


def plan(*sounds: Float32, **chosen: Any) -> tuple[FileGains, list[float]]:
    files = [PlannedFile(Path(f"{number}.wav"), (Line("あ"),)) for number in range(len(sounds))]
    measured = {item: measure_loudness(sound, RATE) for item, sound in zip(files, sounds, strict=True)}
    found = compute_file_gains(files, measured, ExportSettings(**chosen))
    return found, [found.by_file[item] for item in files]


def test_a_batch_reaches_its_target_as_one() -> None:
    sounds = [speak(4.0, 0.2, 1), speak(3.5, 0.7, 2)]
    found, gains = plan(*sounds, loudness=-20.0)
    assert gains[0] == gains[1]
    written = [write(sound, gains[0]) for sound in sounds]
    merged = merge_measurements([measure_loudness(sound, RATE) for sound, _ in written])
    assert compute_integrated_lufs(merged.powers) == pytest.approx(-20.0, abs=0.1)
    assert found.batch_lufs == pytest.approx(-20.0, abs=1e-3)
    assert max(stage.measure_loudness(1).limited_db for _, stage in written) > 1


def test_each_file_by_itself_but_not_a_word() -> None:
    long, longer, word = (tone((db, seconds)) for db, seconds in ((-30.0, 4.0), (-36.0, 4.0), (-50.0, 0.5)))
    _, (first, second, third) = plan(long, longer, word, loudness=-23.0, loudness_each=True)
    assert second - first == pytest.approx(6.0, abs=0.1)
    assert third == pytest.approx(plan(long, longer, word, loudness=-23.0)[1][0], abs=1e-4)


def test_a_word_with_a_peak_stays_behind_and_holds_back_nobody() -> None:
    long, word = tone((-30.0, 4.0)), tone((-50.0, 0.5))
    _, expected = plan(long, word, word, loudness=-19.0, loudness_each=True)
    peaky = word.copy()
    peaky[100] = 0.9
    found, gains = plan(long, word, peaky, loudness=-19.0, loudness_each=True)
    assert gains[:2] == pytest.approx(expected[:2], abs=0.2)
    assert gains[2] == compute_max_gain_db(measure_loudness(peaky, RATE).peak)
    assert list(found.lags_lu.values()) == pytest.approx([0.0, expected[2] - gains[2]], abs=0.2)
    assert expected[2] - gains[2] > 2


def test_stereo_counts_as_louder_and_silence_has_no_gain() -> None:
    sound = measure_loudness(tone((-30.0, 5.0)), RATE)
    assert compute_gain_db(sound, -23.0, 1) - compute_gain_db(sound, -23.0, 2) == pytest.approx(STEREO_DB)
    assert compute_gain_db(LoudnessMeasurement((0.0, 0.0), 0.0, 5.0), -23.0, 1) == 0.0
    assert plan(np.zeros(100, np.float32), loudness=-23.0, loudness_each=True)[1] == [0.0]
    assert plan(np.zeros(100, np.float32), loudness=-23.0)[0].batch_lufs is None
    _written, stage = write(np.zeros(0, np.float32), 3.0)
    assert stage.measure_loudness(2) == WrittenLoudness(None, 0.0)
