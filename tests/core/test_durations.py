"""Frames per symbol and the expansion to frames."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.durations import (
    MAX_PREDICTED_SYMBOL_FRAMES,
    FrameTarget,
    PhraseEnding,
    compute_flow_frames,
    compute_symbol_frames,
    expand_prior,
    round_with_carry,
)
from app.core.sound.ports import Prosody

LOG_DURATIONS = st.lists(st.floats(-4, 4, width=32), min_size=1, max_size=60).map(lambda values: np.array(values, np.float32))
STYLE = np.zeros(256, np.float32)


@given(LOG_DURATIONS, st.floats(0.5, 2))
def test_ceil_is_sbv2s_rule(logw: np.ndarray, scale: float) -> None:
    frames = compute_symbol_frames(logw, scale, "ceil")
    assert np.array_equal(frames, np.ceil(np.exp(logw) * np.float32(scale)).astype(np.int64))
    assert frames.min() >= 1


@given(LOG_DURATIONS, st.floats(0.5, 2))
def test_carry_keeps_the_sum(logw: np.ndarray, scale: float) -> None:
    frames = compute_symbol_frames(logw, scale, "carry")
    exact = float((np.exp(logw) * np.float32(scale)).astype(np.float64).sum())
    assert abs(frames.sum() - max(exact, 1)) <= 0.5 + 1e-3
    assert np.all(frames >= 0)
    assert np.all(np.abs(frames - np.exp(logw) * scale) <= 1 + 1e-3) or frames.sum() == 1


@given(st.lists(st.floats(0, 50), max_size=50))
def test_rounding_never_strays(values: list[float]) -> None:
    rounded = round_with_carry(np.array(values))
    assert np.all(np.abs(np.cumsum(rounded) - np.cumsum(values)) <= 0.5 + 1e-9)


@given(LOG_DURATIONS, st.sampled_from(["ceil", "carry", "round"]), st.integers(0, 200), st.data())
def test_a_fixed_stretch_lasts_exactly_so_and_leaves_the_rest_alone(logw: np.ndarray, rule: str, wanted: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(logw) - 1))
    end = data.draw(st.integers(start + 1, len(logw)))
    free = compute_symbol_frames(logw, 1.0, rule)  # type: ignore[arg-type]
    fixed = compute_symbol_frames(logw, 1.0, rule, [FrameTarget(start, end, wanted)])  # type: ignore[arg-type]
    if fixed.sum() > 1:
        assert fixed[start:end].sum() == wanted
    outside = np.r_[np.arange(start), np.arange(end, len(logw))]
    if fixed.sum() > 1 and free.sum() > 1:
        assert np.array_equal(free[outside], fixed[outside])


def test_a_symbol_without_length_gets_no_frame_only_where_the_rule_allows_it() -> None:
    logw = np.array([1.0, -1e4, 1.0], np.float32)
    assert compute_symbol_frames(logw, 1.0, "carry")[1] == 0
    assert compute_symbol_frames(np.full(3, -1e4, np.float32), 1.0, "carry").sum() == 1


@given(LOG_DURATIONS, st.floats(0.5, 2))
def test_rounding_to_the_nearest_leaves_every_symbol_a_frame(logw: np.ndarray, scale: float) -> None:
    frames = compute_symbol_frames(logw, scale, "round")
    exact = np.exp(logw) * np.float32(scale)
    assert frames.min() >= 1
    assert np.all((np.abs(frames - exact) <= 0.5 + 1e-3) | (frames == 1))


def test_the_nearest_number_of_frames_is_taken() -> None:
    logw = np.log(np.array([0.2, 1.4, 1.6, 3.49, 7.0], np.float32))
    assert compute_symbol_frames(logw, 1.0, "round").tolist() == [1, 1, 2, 3, 7]


def test_a_broken_voice_cannot_eat_all_memory() -> None:
    frames = compute_symbol_frames(np.array([np.inf, np.nan, 80.0], np.float32), 1.0, "ceil")
    assert frames.max() <= MAX_PREDICTED_SYMBOL_FRAMES


def test_expansion_repeats_the_prior_and_knows_each_frames_place() -> None:
    mean = np.arange(6, dtype=np.float32).reshape(2, 3)
    prosody = Prosody(np.zeros(3, np.float32), mean, np.zeros((2, 3), np.float32))
    result = expand_prior(prosody, np.array([2, 0, 4]), None, 0.0, 1.0, 0, STYLE)
    assert np.array_equal(result.z_p, mean[:, [0, 0, 2, 2, 2, 2]])
    assert np.allclose(result.frame_position, [0.25, 0.75, 0.125, 0.375, 0.625, 0.875])
    assert np.array_equal(result.phone_frames, [2, 2, 4, 4, 4, 4])


def test_noise_follows_the_scale_of_the_prior() -> None:
    prosody = Prosody(np.zeros(2, np.float32), np.zeros((1, 2), np.float32), np.array([[-30.0, 0.0]], np.float32))
    frames = np.array([5000, 5000])
    drawn = np.random.default_rng(0).standard_normal((1, 10000), dtype=np.float32)
    noise = expand_prior(prosody, frames, drawn, 0.5, 1.0, 0, STYLE).z_p[0]
    assert np.abs(noise[:5000]).max() < 1e-6
    assert abs(noise[5000:].std() - 0.5) < 0.02


PREDICTED = np.log(np.array([16, 3, 20, 4, 1], np.float32))  # an opening, a consonant, a vowel that lasts into the pause, its mark, an end
ENDINGS = (PhraseEnding(2, 3, 8.0),)


def compute_heard(length_scale: float = 1.0, *targets: FrameTarget) -> list[int]:
    found = compute_symbol_frames(PREDICTED, length_scale, "round", targets, endings=ENDINGS, opening_frames=5)
    return list(map(int, found))


def lengthen(heard: list[int], length_scale: float = 1.0) -> tuple[list[int], int]:
    frames, unheard = compute_flow_frames(PREDICTED, np.array(heard), length_scale, "round", ENDINGS, has_opening=True)
    return list(map(int, frames)), unheard


def test_the_silence_of_an_ending_counts_as_the_pauses_and_the_flow_gets_it_back() -> None:
    assert compute_heard() == [5, 3, 8, 16, 1]
    assert lengthen(compute_heard()) == ([16, 3, 20, 4, 1], 11)


@given(st.floats(0.5, 2.0))
def test_the_opening_is_the_same_at_every_speed_and_the_ending_is_not(length_scale: float) -> None:
    heard = compute_heard(length_scale)
    assert heard[0] == 5
    assert heard[2] == round(8 * length_scale)
    frames, unheard = lengthen(heard, length_scale)
    assert (frames[0], unheard) == (16, 11)
    assert sum(frames) == sum(heard) + unheard
    assert frames[2] == round(20 * length_scale)


def test_an_edited_ending_is_exact_and_its_pause_stays() -> None:
    heard = compute_heard(1.0, FrameTarget(1, 3, 6))
    assert heard == [5, 2, 4, 16, 1]
    assert lengthen(heard)[0] == [16, 2, 4, 16, 1]


def test_an_edited_pause_is_the_whole_silence_and_shortens_what_the_flow_gets_back() -> None:
    heard = compute_heard(1.0, FrameTarget(3, 4, 6))
    assert heard == [5, 3, 8, 6, 1]
    assert lengthen(heard)[0] == [16, 3, 13, 1, 1]
    assert lengthen(compute_heard(1.0, FrameTarget(3, 4, 0)))[0] == [16, 3, 8, 0, 1]


def test_an_opening_longer_than_predicted_is_heard_whole() -> None:
    assert lengthen(compute_heard(1.0, FrameTarget(0, 1, 30))) == ([30, 3, 20, 4, 1], 0)
    assert lengthen(compute_heard(1.0, FrameTarget(0, 1, 0))) == ([16, 3, 20, 4, 1], 16)
