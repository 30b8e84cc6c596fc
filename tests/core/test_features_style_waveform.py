"""Small steps between the graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.durations import expand_to_phones
from app.core.sound.voice_traits import compute_style_vector
from app.core.sound.waveform import KEPT_TAIL_S, apply_gain, create_silence, trim_tail

RATE = 44100


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12).filter(any), st.floats(0, 2))
def test_features_repeat_by_word2ph_and_scale(word2ph: list[int], weight: float) -> None:
    tokens = np.random.default_rng(0).standard_normal((len(word2ph), 1024), dtype=np.float32)
    features = expand_to_phones(tokens, np.array(word2ph), weight)
    assert features.shape == (1024, sum(word2ph))
    column = 0
    for token, count in zip(tokens, word2ph, strict=True):
        for _ in range(count):
            assert np.allclose(features[:, column], token * np.float32(weight))
            column += 1


def test_assist_text_colours_every_token() -> None:
    tokens, assist = np.zeros((3, 1024), np.float32), np.ones((5, 1024), np.float32)
    features = expand_to_phones(tokens, np.array([1, 2, 1]), assist=assist, assist_weight=0.7)
    assert np.allclose(features, 0.7)
    assert np.array_equal(expand_to_phones(tokens, np.array([1, 2, 1]), assist=assist, assist_weight=0.0), np.zeros((1024, 4)))


def test_style_moves_from_the_mean_to_the_style_and_beyond() -> None:
    vectors = np.stack([np.full(256, 1.0), np.full(256, 3.0)]).astype(np.float32)
    assert np.allclose(compute_style_vector(vectors, 1, 0.0), 1)
    assert np.allclose(compute_style_vector(vectors, 1, 1.0), 3)
    assert np.allclose(compute_style_vector(vectors, 1, 2.0), 5)
    assert np.allclose(compute_style_vector(vectors, 0, 7.0), 1)


def test_tail_is_trimmed_by_view_and_keeps_a_little() -> None:
    samples = np.zeros(RATE, np.float32)
    samples[1000:2000] = 0.5
    trimmed = trim_tail(samples, RATE)
    assert len(trimmed) == 2000 + round(KEPT_TAIL_S * RATE)
    assert np.shares_memory(trimmed, samples)


@pytest.mark.parametrize("keep", [0, 5000, RATE])
def test_tail_before_the_kept_part_stays(keep: int) -> None:
    assert len(trim_tail(np.zeros(RATE, np.float32), RATE, keep)) >= keep


def test_gain_of_one_copies_nothing_and_any_other_changes_every_sample_alike() -> None:
    samples = np.array([0.1, -0.8], np.float32)
    assert apply_gain(samples, 1.0) is samples
    assert np.array_equal(apply_gain(samples, 2.0), 2 * samples)
    assert np.allclose(apply_gain(samples, 0.0), 0)
    assert np.allclose(samples, [0.1, -0.8])


def test_silence_is_as_long_as_asked() -> None:
    assert len(create_silence(0.25, RATE)) == 11025
    assert not create_silence(0.25, RATE).any()
