"""Measures how loud the spoken part of a sound is, and finds factors that make sounds equally loud.

Equal loudness matters in a comparison: of two sounds that differ in level alone, the louder one is mostly preferred. A short line has no
loudness by BS.1770, which averages over 0.4 s and gates; the energy of what is spoken is defined for any length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.k_weighting import apply_k_weighting
from app.core.synthesis_types import Float32

LOUDNESS_FRAME_S = 0.01
# Below the loudest frame: what is softer is a pause, whose length would say nothing of how loud the voice is.
SPOKEN_RANGE_DB = 40.0


def measure_spoken_power(samples: Float32, rate: int) -> float:
    """Mean K-weighted power of the frames in which somebody speaks; 0 for silence."""
    size = max(1, round(LOUDNESS_FRAME_S * rate))
    weighted = apply_k_weighting(samples, rate)
    frames = np.pad(weighted, (0, -len(weighted) % size)).reshape(-1, size)
    power = np.square(frames).mean(axis=1)
    loudest = power.max(initial=0.0)
    if loudest <= 0:
        return 0.0
    return float(power[power >= loudest / 10 ** (SPOKEN_RANGE_DB / 10)].mean())


def compute_equal_gains(sounds: Sequence[Float32], rates: Sequence[int]) -> tuple[float, ...]:
    """Factors that make sounds equally loud: as loud as the softest, so that none clips. Silence stays as it is."""
    powers = [measure_spoken_power(samples, rate) for samples, rate in zip(sounds, rates, strict=True)]
    softest = min((power for power in powers if power > 0), default=0.0)
    return tuple((softest / power) ** 0.5 if power > 0 else 1.0 for power in powers)
