"""BS.1770's K-weighting for any sampling rate: the filters before a loudness measurement."""

from functools import lru_cache
from math import pi, tan

import numpy as np
from numpy.typing import NDArray

from app.core.synthesis_types import Float32

Float64 = NDArray[np.float64]
Biquad = tuple[tuple[float, float, float], tuple[float, float, float]]

# The analogue filters behind the standard's table for 48 kHz: a shelf that stands for the head, and a high pass.
_SHELF_HZ, _SHELF_Q, _SHELF_DB = 1681.974450955533, 0.7071752369554196, 3.999843853973347
_SHELF_BAND = 0.4996667741545416
_LOW_HZ, _LOW_Q = 38.13547087602444, 0.5003270373238773
WEIGHTED_PIECE, _TAIL = 1 << 16, 1 << 15  # samples filtered at once, and samples after which the filters' impulse response has died away


def compute_k_filters(rate: int) -> tuple[Biquad, Biquad]:
    """Return shelf and high pass for a sampling rate in Hz, each as (b0, b1, b2), (1, a1, a2)."""
    warped = tan(pi * _SHELF_HZ / rate)
    high, band = 10 ** (_SHELF_DB / 20), 10 ** (_SHELF_DB / 20 * _SHELF_BAND)
    scale = 1 + warped / _SHELF_Q + warped**2
    ends, middle = high + warped**2, band * warped / _SHELF_Q
    shelf = ((ends + middle) / scale, 2 * (warped**2 - high) / scale, (ends - middle) / scale)
    shelf_past = (1.0, 2 * (warped**2 - 1) / scale, (1 - warped / _SHELF_Q + warped**2) / scale)
    warped = tan(pi * _LOW_HZ / rate)
    scale = 1 + warped / _LOW_Q + warped**2
    low_past = (1.0, 2 * (warped**2 - 1) / scale, (1 - warped / _LOW_Q + warped**2) / scale)
    return (shelf, shelf_past), ((1.0, -2.0, 1.0), low_past)


class KWeighting:
    """Puts one sound through both filters, piece by piece; the pieces joined are as the whole."""

    def __init__(self, rate: int) -> None:
        self._answer, self._tail_sum = _compute_response(rate), np.zeros(_TAIL)

    def filter_samples(self, samples: Float32) -> Float64:
        """Return the samples after both filters, float64, as many as before."""
        # In the frequency domain, as Python is too slow for a loop over samples.
        weighted, size = [], WEIGHTED_PIECE + _TAIL
        for start in range(0, len(samples), WEIGHTED_PIECE):
            piece = samples[start : start + WEIGHTED_PIECE]
            filtered = np.fft.irfft(np.fft.rfft(piece.astype(np.float64), size) * self._answer, size)
            filtered[:_TAIL] += self._tail_sum
            self._tail_sum = filtered[len(piece) : len(piece) + _TAIL]  # what the filters still hold goes into the next piece
            weighted.append(filtered[: len(piece)])
        return np.concatenate(weighted) if weighted else np.zeros(0)


def apply_k_weighting(samples: Float32, rate: int) -> Float64:
    """Return a whole sound after both filters, float64, as many samples as before."""
    return KWeighting(rate).filter_samples(samples)


@lru_cache(maxsize=8)
def _compute_response(rate: int) -> NDArray[np.complex128]:
    """Return the response of both filters at the frequencies of one transform, complex128."""
    size = WEIGHTED_PIECE + _TAIL
    delay = np.exp(-2j * pi * np.arange(size // 2 + 1) / size)
    response = np.ones(len(delay), np.complex128)
    for forward, past in compute_k_filters(rate):
        response *= np.polyval(forward[::-1], delay) / np.polyval(past[::-1], delay)
    return response
