"""True peaks: how high a sound rises between its samples, at four times the rate, as ITU-R BS.1770 asks."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32

REACH = 12
"""Samples on either side that a value between two samples depends on."""
_OVERSAMPLING = 4
_KAISER_BETA = 7.0


def find_true_levels(samples: Float32) -> Float32:
    """Return the highest level at each sample and up to the next one, float32 (N,); what lies outside is silence."""
    levels, count = np.abs(samples), len(samples)
    padded = np.concatenate((np.zeros(REACH - 1, np.float32), samples, np.zeros(REACH, np.float32)))
    between, part = np.empty_like(levels), np.empty_like(levels)
    for kernel in _KERNELS:
        # Tap by tap over all samples, which takes a fifth of the time of NumPy's correlation.
        between[:] = 0
        for place, weight in enumerate(kernel):
            between += np.multiply(padded[place : place + count], weight, out=part)
        np.maximum(levels, np.abs(between, out=between), out=levels)
    return levels


def _build_kernels() -> Float32:
    """Return what weights the samples around each place between two of them, float32 (places, 2 * REACH)."""
    places = np.arange(1, _OVERSAMPLING) / _OVERSAMPLING
    distances = np.arange(-REACH + 1, REACH + 1) - places[:, None]
    window = np.i0(_KAISER_BETA * np.sqrt(np.maximum(0.0, 1 - np.square(distances / REACH)))) / np.i0(_KAISER_BETA)
    weights = np.sinc(distances) * window
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


_KERNELS = _build_kernels()
