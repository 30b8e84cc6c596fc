"""Loudness as EBU R 128 and ITU-R BS.1770 measure it, and the gain that brings a batch to a target.

A channel is measured by itself: our files are one channel, or the same one twice, which is 3.01 LU louder.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.resampler import RateConverter
from app.core.k_weighting import Float64, k_weighted
from app.core.types import Float32

HIGHEST_PEAK_DB = -1.0
SHORTEST_S = 3.0  # of sound that is measured by itself: a word has no loudness of its own
OFFSET_DB, ABSOLUTE_GATE, RELATIVE_GATE = -0.691, -70.0, -10.0
BLOCKS_PER_S, STEPS = 10, 4  # blocks of 400 ms begin every 100 ms
_OVERSAMPLED = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """One file's sound.

    Attributes:
        powers: mean square of each block after K-weighting.
        peak: true peak, 1 being full scale.
    """

    powers: tuple[float, ...]
    peak: float
    seconds: float


def measure(samples: Float32, rate: int) -> Measured:
    """Measures one channel of sound."""
    return Measured(tuple(map(float, block_powers(samples, rate))), true_peak(samples, rate), len(samples) / rate)


def together(items: Sequence[Measured]) -> Measured:
    """Several sounds as one programme; no block lies across two of them."""
    powers = tuple(power for item in items for power in item.powers)
    return Measured(powers, max((item.peak for item in items), default=0.0), sum(item.seconds for item in items))


def integrated(powers: Sequence[float]) -> float:
    """LUFS of one channel's blocks, gated; minus infinity where nothing passes the gate."""
    found = _above(np.asarray(powers, np.float64), ABSOLUTE_GATE)
    return _lufs(_above(found, _lufs(found) + RELATIVE_GATE))


def gain_db(measured: Measured, target_lufs: float, channels: int) -> float:
    """What brings the sound to the target, or as near as its true peak allows; 0 where there is nothing to be heard."""
    loudness = integrated(measured.powers) + 10 * math.log10(channels)
    if math.isinf(loudness) or measured.peak <= 0:
        return 0.0
    return min(target_lufs - loudness, _limit_db(measured.peak))


def gains_db(items: Sequence[Measured], target_lufs: float, channels: int, *, each: bool) -> list[float]:
    """A gain a file: one for all, or each its own; what is too short to be measured takes that of all."""
    common = gain_db(together(items), target_lufs, channels)
    if not each:
        return [common] * len(items)
    return [gain_db(item, target_lufs, channels) if item.seconds >= SHORTEST_S else min(common, _limit_db(item.peak)) for item in items]


def true_peak(samples: Float32, rate: int) -> float:
    """The highest value between and at the samples, found at four times the rate."""
    converter = RateConverter(_OVERSAMPLED * rate)
    highest = float(np.abs(samples).max(initial=0.0))
    for piece in (converter.convert(samples, rate), converter.flush()):
        highest = max(highest, float(np.abs(piece).max(initial=0.0)))
    return highest


def block_powers(samples: Float32, rate: int) -> Float64:
    """Mean squares of all whole blocks of 400 ms, one every 100 ms, after K-weighting."""
    size = round(rate / BLOCKS_PER_S)
    weighted = k_weighted(samples, rate)
    steps = len(weighted) // size
    if steps < STEPS:
        return np.zeros(0)
    energies = np.square(weighted[: steps * size]).reshape(steps, size).sum(axis=1)
    sums = np.convolve(energies, np.ones(STEPS), "valid")
    return np.asarray(sums / (STEPS * size), np.float64)


def _limit_db(peak: float) -> float:
    """The most that a true peak allows."""
    return HIGHEST_PEAK_DB - 20 * math.log10(peak) if peak > 0 else 0.0


def _lufs(powers: Float64) -> float:
    return OFFSET_DB + 10 * math.log10(float(powers.mean())) if powers.size and powers.mean() > 0 else -math.inf


def _above(powers: Float64, gate_lufs: float) -> Float64:
    return powers[powers > 10 ** ((gate_lufs - OFFSET_DB) / 10)]
