"""The last touch on samples: gain, silence, and the silent tail."""

from __future__ import annotations

import numpy as np

from app.core.types import Float32

SILENCE_LEVEL = 1e-3  # -60 dBFS: below this nobody hears a tail
KNEE = 0.8
KEPT_TAIL_S = 0.05  # a word cut off exactly at its last audible sample sounds clipped


def apply_gain(samples: Float32, volume: float) -> Float32:
    """Samples times `volume`; what that brings beyond KNEE is bent towards 1 instead of being cut off. A volume of 1 copies nothing."""
    if volume == 1.0:
        return samples
    louder = samples * np.float32(volume)
    return bend(louder) if volume > 1 else louder


def bend(samples: Float32) -> Float32:
    """Bends what is beyond KNEE towards 1; where nothing is, copies nothing."""
    size = np.abs(samples)
    if not size.max(initial=0) > KNEE:
        return samples
    bent = KNEE + (1 - KNEE) * np.tanh((size - KNEE) / (1 - KNEE))
    return np.where(size > KNEE, np.copysign(bent, samples), samples).astype(np.float32)


def silence(length_s: float, sampling_rate: int) -> Float32:
    """Zeros of the given length."""
    return np.zeros(round(length_s * sampling_rate), np.float32)


def trim_tail(samples: Float32, sampling_rate: int, keep_from: int = 0) -> Float32:
    """A view without the inaudible tail; never shorter than `keep_from` samples."""
    loud = np.flatnonzero(np.abs(samples[keep_from:]) > SILENCE_LEVEL)
    end = keep_from + (int(loud[-1]) + 1 if loud.size else 0) + round(KEPT_TAIL_S * sampling_rate)
    return samples[: min(end, len(samples))]
