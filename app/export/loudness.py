"""Loudness as EBU R 128 and ITU-R BS.1770 measure it, and the gain that brings a batch to a target.

A channel is measured by itself: our files are one channel, or the same one twice, which is 3.01 LU louder.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.resampler import RateConverter
from app.core.k_weighting import Float64, apply_k_weighting
from app.core.synthesis_types import Float32

MAX_TRUE_PEAK_DB = -1.0
# A word alone has no loudness of its own, so shorter sounds are not measured by themselves.
MIN_LOUDNESS_LENGTH_S = 3.0
OFFSET_DB, ABSOLUTE_GATE, RELATIVE_GATE = -0.691, -70.0, -10.0
# Blocks of 400 ms begin every 100 ms.
BLOCKS_PER_S, STEPS = 10, 4
_PEAK_OVERSAMPLING = 4


@dataclass(frozen=True, slots=True)
class LoudnessMeasurement:
    """One file's sound.

    Attributes:
        powers: mean square of each block after K-weighting.
        peak: true peak, 1 being full scale.
    """

    powers: tuple[float, ...]
    peak: float
    seconds: float


def measure_loudness(samples: Float32, rate: int) -> LoudnessMeasurement:
    """Measure one channel of sound."""
    return LoudnessMeasurement(
        tuple(map(float, compute_block_powers(samples, rate))), measure_true_peak(samples, rate), len(samples) / rate
    )


def merge_measurements(items: Sequence[LoudnessMeasurement]) -> LoudnessMeasurement:
    """Merge several sounds into one programme; no block lies across two of them."""
    powers = tuple(power for item in items for power in item.powers)
    return LoudnessMeasurement(powers, max((item.peak for item in items), default=0.0), sum(item.seconds for item in items))


def compute_integrated_lufs(powers: Sequence[float]) -> float:
    """Return the gated LUFS of one channel's blocks; minus infinity if no block passes the gate."""
    found = _filter_by_gate(np.asarray(powers, np.float64), ABSOLUTE_GATE)
    return _convert_to_lufs(_filter_by_gate(found, _convert_to_lufs(found) + RELATIVE_GATE))


def compute_gain_db(measurement: LoudnessMeasurement, target_lufs: float, channels: int) -> float:
    """Return the gain in dB to the target, or as near as the true peak allows; 0 where the sound is silent."""
    loudness = compute_integrated_lufs(measurement.powers) + 10 * math.log10(channels)
    if math.isinf(loudness) or measurement.peak <= 0:
        return 0.0
    return min(target_lufs - loudness, _compute_max_gain_db(measurement.peak))


def compute_gains_db(items: Sequence[LoudnessMeasurement], target_lufs: float, channels: int, *, is_per_file: bool) -> list[float]:
    """Return a gain for each file: one for all, or each its own; a file too short to be measured takes the gain of all."""
    common = compute_gain_db(merge_measurements(items), target_lufs, channels)
    if not is_per_file:
        return [common] * len(items)
    return [
        compute_gain_db(item, target_lufs, channels)
        if item.seconds >= MIN_LOUDNESS_LENGTH_S
        else min(common, _compute_max_gain_db(item.peak))
        for item in items
    ]


def measure_true_peak(samples: Float32, rate: int) -> float:
    """Return the highest value between and at the samples, found at four times the rate."""
    converter = RateConverter(_PEAK_OVERSAMPLING * rate)
    highest = float(np.abs(samples).max(initial=0.0))
    for piece in (converter.convert_rate(samples, rate), converter.flush_filter()):
        highest = max(highest, float(np.abs(piece).max(initial=0.0)))
    return highest


def compute_block_powers(samples: Float32, rate: int) -> Float64:
    """Return the mean squares of all whole blocks of 400 ms, one every 100 ms, after K-weighting."""
    size = round(rate / BLOCKS_PER_S)
    weighted = apply_k_weighting(samples, rate)
    steps = len(weighted) // size
    if steps < STEPS:
        return np.zeros(0)
    energies = np.square(weighted[: steps * size]).reshape(steps, size).sum(axis=1)
    sums = np.convolve(energies, np.ones(STEPS), "valid")
    return np.asarray(sums / (STEPS * size), np.float64)


def _compute_max_gain_db(peak: float) -> float:
    """Return the highest gain that a true peak allows."""
    return MAX_TRUE_PEAK_DB - 20 * math.log10(peak) if peak > 0 else 0.0


def _convert_to_lufs(powers: Float64) -> float:
    return OFFSET_DB + 10 * math.log10(float(powers.mean())) if powers.size and powers.mean() > 0 else -math.inf


def _filter_by_gate(powers: Float64, gate_lufs: float) -> Float64:
    return powers[powers > 10 ** ((gate_lufs - OFFSET_DB) / 10)]
