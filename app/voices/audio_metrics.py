"""Measures of how alike two renderings of the same sentences are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.synthesis_types import Float32

SPECTRUM_SAMPLES, SPECTRUM_HOP_SAMPLES = 1024, 256  # samples of a spectrum, and from one to the next
# Relative to the strongest tone of a sentence, which masks everything below this floor.
SPECTRUM_FLOOR_DB = -60.0
MAX_SNR_DB = 120.0  # more is rounding


def compute_snr_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """Return the energy of all sentences against the energy of their difference, in dB."""
    signal = sum(float(np.square(item, dtype=np.float64).sum()) for item in exact)
    noise = sum(float(np.square(a.astype(np.float64) - b).sum()) for a, b in zip(exact, other, strict=True))
    if not np.isfinite(noise):
        return -MAX_SNR_DB
    return float(np.clip(10 * np.log10((signal + 1e-20) / (noise + 1e-20)), -MAX_SNR_DB, MAX_SNR_DB))


def compute_log_spectral_distance_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """Return the root mean square difference of log spectra in dB, averaged over time."""
    distances = [_compute_spectral_distances(a, b) for a, b in zip(exact, other, strict=True)]
    mean = float(np.concatenate(distances).mean()) if distances else 0.0
    return mean if np.isfinite(mean) else MAX_SNR_DB


def _compute_spectral_distances(exact: Float32, other: Float32) -> np.ndarray:
    """Return the root mean square difference in dB of each pair of spectra."""
    first, second = _compute_power_spectra(exact), _compute_power_spectra(other)
    floor = max(float(first.max(initial=0.0)), 1e-20) * 10 ** (SPECTRUM_FLOOR_DB / 10)
    difference = 10 * np.log10(np.maximum(first, floor) / np.maximum(second, floor))
    return np.asarray(np.sqrt(np.square(difference).mean(axis=1)))


def _compute_power_spectra(samples: Float32) -> np.ndarray:
    padded = np.pad(samples.astype(np.float64), (0, max(0, SPECTRUM_SAMPLES - len(samples))))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, SPECTRUM_SAMPLES)[::SPECTRUM_HOP_SAMPLES]
    return np.square(np.abs(np.fft.rfft(pieces * np.hanning(SPECTRUM_SAMPLES), axis=1)))
