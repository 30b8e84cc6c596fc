"""How alike two renderings of the same sentences are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.types import Float32

LENGTH, STEP = 1024, 256  # samples of a spectrum, and from one to the next
FLOOR_DB = -60.0  # below the strongest tone of a sentence; nobody hears what happens there while it sounds
BEST_DB = 120.0  # more is rounding


def signal_to_noise_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """Energy of all sentences against the energy of the difference."""
    signal = sum(float(np.square(item, dtype=np.float64).sum()) for item in exact)
    noise = sum(float(np.square(a.astype(np.float64) - b).sum()) for a, b in zip(exact, other, strict=True))
    if not np.isfinite(noise):
        return -BEST_DB
    return float(np.clip(10 * np.log10((signal + 1e-20) / (noise + 1e-20)), -BEST_DB, BEST_DB))


def log_spectral_distance_db(exact: Sequence[Float32], other: Sequence[Float32]) -> float:
    """The root mean square difference of log spectra, averaged over time."""
    distances = [_distances(a, b) for a, b in zip(exact, other, strict=True)]
    mean = float(np.concatenate(distances).mean()) if distances else 0.0
    return mean if np.isfinite(mean) else BEST_DB


def _distances(exact: Float32, other: Float32) -> np.ndarray:
    """Of each spectrum."""
    first, second = _powers(exact), _powers(other)
    floor = max(float(first.max(initial=0.0)), 1e-20) * 10 ** (FLOOR_DB / 10)
    difference = 10 * np.log10(np.maximum(first, floor) / np.maximum(second, floor))
    return np.asarray(np.sqrt(np.square(difference).mean(axis=1)))


def _powers(samples: Float32) -> np.ndarray:
    padded = np.pad(samples.astype(np.float64), (0, max(0, LENGTH - len(samples))))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, LENGTH)[::STEP]
    return np.square(np.abs(np.fft.rfft(pieces * np.hanning(LENGTH), axis=1)))
