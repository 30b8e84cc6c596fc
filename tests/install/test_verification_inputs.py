"""Trials keep away from speeds at which rounding decides a duration."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.durations import compute_symbol_frames
from app.core.sound.ports import Prosody
from app.install.verify_voice import MAX_VERIFICATION_FRAMES, VerificationInput, adjust_to_avoid_ties


def _settled(logw: np.ndarray, length_scale: float = 1.0) -> float:
    symbols = len(logw)
    given = VerificationInput({"x_tst": np.zeros((1, symbols), np.int64), "length_scale": np.asarray(length_scale, np.float32)}, None)
    prosody = Prosody(logw, np.zeros((2, symbols), np.float32), np.zeros((2, symbols), np.float32))
    return float(adjust_to_avoid_ties(given, prosody).case["length_scale"])


@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.floats(0.5, 2.0))
def test_durations_do_not_hang_on_the_last_digit(symbols: int, seed: int, length_scale: float) -> None:
    rng = np.random.default_rng(seed)
    logw = np.log(np.maximum(1, rng.integers(1, 12, symbols)) / np.float32(length_scale)).astype(np.float32)  # all of them ties
    scale = _settled(logw, length_scale)
    assert length_scale * 0.8 < scale <= length_scale * 1.0001
    frames = compute_symbol_frames(logw, scale, "ceil")
    for error in (-1e-5, 1e-5):
        assert np.array_equal(compute_symbol_frames(logw + np.float32(error), scale, "ceil"), frames)


def test_very_long_sentences_are_spoken_faster() -> None:
    logw = np.full(200, 3.0, np.float32)
    frames = compute_symbol_frames(logw, _settled(logw), "ceil")
    assert MAX_VERIFICATION_FRAMES * 0.7 < frames.sum() <= MAX_VERIFICATION_FRAMES + 200
