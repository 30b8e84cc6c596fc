"""Measures of likeness against what is known by arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from app.voices.audio_metrics import MAX_SNR_DB, compute_log_spectral_distance_db, compute_snr_db

NOISE = np.random.default_rng(0).standard_normal(44100).astype(np.float32) * np.float32(0.1)


def test_a_tenth_of_noise_is_20_db() -> None:
    assert compute_snr_db([NOISE], [NOISE * np.float32(1.1)]) == pytest.approx(20, abs=0.01)


def test_twice_as_loud_is_6_db_away_in_every_spectrum() -> None:
    assert compute_log_spectral_distance_db([NOISE], [NOISE * 2]) == pytest.approx(6.02, abs=0.01)


def test_the_same_is_the_same() -> None:
    assert compute_snr_db([NOISE, NOISE[:10]], [NOISE, NOISE[:10]]) == MAX_SNR_DB
    assert compute_log_spectral_distance_db([NOISE, NOISE[:10]], [NOISE, NOISE[:10]]) == 0


def test_what_is_no_number_is_as_bad_as_can_be() -> None:
    broken = np.full_like(NOISE, np.nan)
    assert compute_snr_db([NOISE], [broken]) == -MAX_SNR_DB
    assert compute_log_spectral_distance_db([NOISE], [broken]) == MAX_SNR_DB


def test_what_lies_under_the_floor_counts_little() -> None:
    tone = np.sin(np.arange(44100) * 0.1).astype(np.float32)
    assert compute_log_spectral_distance_db([tone], [tone + NOISE * np.float32(1e-5)]) < 0.01
