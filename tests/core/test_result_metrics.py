"""Measures of likeness against what is known by arithmetic."""

import numpy as np
import pytest

from app.core.sound.result_metrics import (
    INCOMPARABLE,
    MAX_SNR_DB,
    ResultDifference,
    compute_difference,
    compute_equal_share,
    compute_log_spectral_distance_db,
    compute_max_difference,
    compute_relative_difference,
    compute_snr_db,
    has_min_snr,
)

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


def test_the_largest_difference_is_absolute_or_a_share_of_the_largest_number() -> None:
    right, found = np.array([1.0, -8.0], np.float32), np.array([1.5, -6.0], np.float32)
    assert compute_max_difference(right, found) == compute_max_difference(found, right) == 2
    assert compute_relative_difference([right[:1], right[1:]], [found[:1], found[1:]]) == 0.25
    assert compute_max_difference(right[:0], found[:0]) == 0
    assert np.isnan(compute_max_difference(right, found * np.float32(np.nan)))


def test_the_share_of_equal_frames_counts_symbols_not_sentences() -> None:
    assert compute_equal_share([np.array([1, 2, 3]), np.array([4])], [np.array([1, 2, 4]), np.array([4])]) == 0.75


def test_results_of_another_shape_cannot_be_compared() -> None:
    assert compute_difference([NOISE], [NOISE[:-1]]) == INCOMPARABLE
    assert compute_difference([NOISE], [NOISE * np.float32(np.inf)]) == INCOMPARABLE
    assert compute_difference([], []) == ResultDifference(0.0, MAX_SNR_DB, 1.0)
    assert compute_difference([NOISE], [NOISE * -1]).cosine == pytest.approx(-1)


def test_an_array_has_the_snr_that_it_is_asked_for_or_not() -> None:
    assert has_min_snr(NOISE, NOISE * np.float32(1.1), 19.9)
    assert not has_min_snr(NOISE, NOISE * np.float32(1.1), 20.1)
    assert has_min_snr(NOISE * 0, NOISE * 0, 100)
