"""Measures of how alike two results of a graph are, or two renderings of the same sentences; whether that is enough is decided elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.core.synthesis_types import Float32, Int64

SPECTRUM_SAMPLES, SPECTRUM_HOP_SAMPLES = 1024, 256  # samples of a spectrum, and from one to the next
SPECTRUM_FLOOR_DB = -60.0  # relative to the strongest tone of a sentence, which masks everything below this floor
MAX_SNR_DB = 120.0  # more is rounding


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """The difference of all arrays together."""

    max_abs: float  # largest difference of a number; infinite where shapes differ or a number is none
    snr_db: float  # energy of what is right over the energy of the difference, −120 … 120
    cosine: float  # 1 is the same direction; of token features, of the token that is worst

    @property
    def is_comparable(self) -> bool:
        """Return whether there were numbers to compare."""
        return bool(np.isfinite(self.max_abs))


INCOMPARABLE = ResultDifference(float("inf"), -MAX_SNR_DB, 0.0)


def compute_difference(expected: Sequence[np.ndarray], found: Sequence[np.ndarray], *, by_token: bool = False) -> ResultDifference:
    """Compare results array by array; INCOMPARABLE where they have other shapes or hold what is no number.

    Args:
        by_token: the last axis holds the features of a token.
    """
    if [item.shape for item in expected] != [item.shape for item in found] or not all(np.isfinite(item).all() for item in found):
        return INCOMPARABLE
    right, other = _flatten_arrays(expected), _flatten_arrays(found)
    if not right.size:
        return ResultDifference(0.0, MAX_SNR_DB, 1.0)
    if by_token:
        alike = compute_min_cosine(*([item.reshape(-1, item.shape[-1]) for item in side] for side in (expected, found)))
    else:  # two arrays of zeros point the same way
        lengths = float(np.linalg.norm(right) * np.linalg.norm(other))
        alike = float(right @ other / lengths) if lengths else float(not right.any() and not other.any())
    return ResultDifference(compute_max_difference(right, other), compute_snr_db([right], [other]), alike)


def compute_max_difference(expected: np.ndarray, found: np.ndarray) -> float:
    """Return the largest difference of a number of two arrays of one shape: 0 for empty ones, NaN where a number is none."""
    return float(np.abs(found - expected).max(initial=0.0))


def compute_relative_difference(expected: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> float:
    """Return the largest difference of a number of several arrays, as a share of the largest number expected."""
    scale = max(float(np.abs(item).max()) for item in expected)
    return max(compute_max_difference(a, b) for a, b in zip(expected, found, strict=True)) / scale


def compute_min_cosine(expected: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> float:
    """Return the lowest cosine between the rows of both; 1 is the same direction."""
    a, b = np.concatenate(expected).astype(np.float64), np.concatenate(found).astype(np.float64)
    return float(((a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) + 1e-12)).min())


def _flatten_arrays(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.asarray(item, np.float64).reshape(-1) for item in arrays]) if arrays else np.zeros(0)


def compute_equal_share(expected: Sequence[Int64], found: Sequence[Int64]) -> float:
    """Return the share of symbols that last as many frames on both sides, 0 … 1; an array (T,) a sentence."""
    return float(np.concatenate([a == b for a, b in zip(expected, found, strict=True)]).mean())


def has_min_snr(expected: np.ndarray, found: np.ndarray, min_snr_db: float) -> bool:
    """Return whether the energy of what was expected is so many dB above that of the difference; also of arrays without a sound."""
    exact = expected.astype(np.float64)
    # The last term keeps rounding from failing an array of zeros, whose SNR is none.
    return not np.square(exact - found).sum() > np.square(exact).sum() * 10 ** (-min_snr_db / 10) + 1e-12


def compute_snr_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """Return the energy of all sentences against the energy of their difference, in dB."""
    signal = sum(float(np.square(item, dtype=np.float64).sum()) for item in exact)
    noise = sum(float(np.square(a.astype(np.float64) - b).sum()) for a, b in zip(exact, other, strict=True))
    if not np.isfinite(noise):
        return -MAX_SNR_DB
    return float(np.clip(10 * np.log10((signal + 1e-20) / (noise + 1e-20)), -MAX_SNR_DB, MAX_SNR_DB))


def compute_log_spectral_distance_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """Return the root mean square difference of log spectra in dB, averaged over time."""
    distances = []
    for spectra in zip(map(_compute_power_spectra, exact), map(_compute_power_spectra, other), strict=True):
        floor = max(float(spectra[0].max(initial=0.0)), 1e-20) * 10 ** (SPECTRUM_FLOOR_DB / 10)
        difference = 10 * np.log10(np.maximum(spectra[0], floor) / np.maximum(spectra[1], floor))
        distances.append(np.sqrt(np.square(difference).mean(axis=1)))
    mean = float(np.concatenate(distances).mean()) if distances else 0.0
    return mean if np.isfinite(mean) else MAX_SNR_DB


def _compute_power_spectra(samples: Float32) -> np.ndarray:
    padded = np.pad(samples.astype(np.float64), (0, max(0, SPECTRUM_SAMPLES - len(samples))))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, SPECTRUM_SAMPLES)[::SPECTRUM_HOP_SAMPLES]
    return np.square(np.abs(np.fft.rfft(pieces * np.hanning(SPECTRUM_SAMPLES), axis=1)))


AUDIO_GRAPHS = ("decoder", "whole")  # full scale is 1


def measure_output_difference(graph: str, results: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """Return the largest difference of the results of a graph as a share of full scale; infinite for another shape or values that are no numbers."""
    return max(
        (_measure_array_difference(one, other, graph in AUDIO_GRAPHS) for one, other in zip(results, expected, strict=True)), default=0.0
    )


def _measure_array_difference(result: np.ndarray, expected: np.ndarray, is_audio: bool) -> float:
    if result.shape != expected.shape or not np.isfinite(result).all():
        return float("inf")
    if not expected.size:
        return 0.0
    expected = expected.astype(np.float64)
    scale = 1.0 if is_audio else max(1.0, float(np.abs(expected).max()))
    return compute_max_difference(expected, result) / scale
