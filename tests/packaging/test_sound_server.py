"""The measure of likeness that the smoke test listens with."""

import numpy as np
from bundle.sound_server import likeness

NOISE = np.random.default_rng(0).standard_normal(4_000).astype(np.float32)


def test_the_same_sound_is_found_wherever_it_starts_and_however_loud() -> None:
    heard = np.concatenate([np.zeros(777, np.float32), NOISE * 0.3, np.zeros(500, np.float32)])
    assert likeness(heard, NOISE) > 0.9999


def test_a_gap_another_sound_and_silence_are_not_alike() -> None:
    gap = np.concatenate([NOISE[:2_000], np.zeros(300, np.float32), NOISE[2_000:]])
    assert likeness(gap, NOISE) < 0.8
    assert likeness(NOISE[::-1].copy(), NOISE) < 0.2
    assert likeness(np.zeros(5_000, np.float32), NOISE) == 0.0


def test_a_quiet_sound_is_found_beside_a_loud_one() -> None:
    loud = np.random.default_rng(1).standard_normal(20_000).astype(np.float32) * 50
    assert likeness(np.concatenate([loud, NOISE, loud]), NOISE) > 0.9999
    assert likeness(loud, NOISE) < 0.2
