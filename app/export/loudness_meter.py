"""Measures the loudness of a sound as it comes, and brings it to one on the way into a file.

Of a book no more is kept than a few numbers for each tenth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.adapters.resampler import RateConverter
from app.common.files.untrusted_json import require_number
from app.core.sound.k_weighting import WEIGHTED_PIECE, Float64, KWeighting
from app.core.sound.peak_limiter import REACH, PeakLimiter, find_true_levels
from app.core.synthesis_types import Float32
from app.export.loudness import LIMITER_CEILING_DB, MAX_LIMITED_DB, LoudnessMeasurement, compute_integrated_lufs, convert_to_db

_STEPS_PER_S, _STEPS_PER_BLOCK = 10, 4  # blocks of 400 ms begin every 100 ms
_BINS_PER_S = 1000  # what a limiter would take is found from levels and energies of 1 ms, at which its gain hardly changes


class LoudnessMeter:
    """Measures one channel of sound at a rate in Hz."""

    def __init__(self, rate: int) -> None:
        self._rate, self._step = rate, round(rate / _STEPS_PER_S)
        bins = _BINS_PER_S // _STEPS_PER_S
        self._bin_starts = np.arange(bins) * self._step // bins
        self._weighting = KWeighting(rate)
        # Behind what was measured lie what is still to be and, before it, what its levels depend on.
        self._waiting = np.zeros(REACH, np.float32)
        # By step, of each piece, and of those what a limiter takes, by its threshold in dB.
        self._energies: list[Float64] = []
        self._losses: list[dict[int, Float64]] = []
        self._peak, self._count = 0.0, 0

    def add_samples(self, samples: Float32) -> None:
        """Add the next samples, float32 (N,)."""
        self._waiting = np.concatenate((self._waiting, samples))
        size = WEIGHTED_PIECE // self._step * self._step
        while len(self._waiting) >= size + 2 * REACH:
            self._measure_piece(size)

    def finish_measurement(self) -> LoudnessMeasurement:
        """Return the loudness of all of the sound; nothing can be added any more."""
        self._measure_piece(len(self._waiting) - REACH)
        powers = self._compute_block_powers(self._energies)
        losses = {threshold: self._sum_losses(threshold) for threshold in self._list_thresholds()}
        return LoudnessMeasurement(tuple(map(float, powers)), self._peak, self._count / self._rate, losses)

    def _list_thresholds(self) -> list[int]:
        """Return the thresholds at which something is taken, down to what may be asked for with the loudest level of the whole sound."""
        lowest = convert_to_db(self._peak) - MAX_LIMITED_DB - 1
        return sorted({threshold for piece in self._losses for threshold in piece if threshold >= lowest})

    def _sum_losses(self, threshold: int) -> float:
        """Return the sum over the blocks of what a limiter takes."""
        pieces = zip(self._energies, self._losses, strict=True)
        return float(self._compute_block_powers([lost.get(threshold, np.zeros(len(energies))) for energies, lost in pieces]).sum())

    def _compute_block_powers(self, pieces: Sequence[Float64]) -> Float64:
        """Return the mean squares of all whole blocks from the energies of their steps."""
        energies = np.concatenate(pieces)
        if len(energies) < _STEPS_PER_BLOCK:
            return np.zeros(0)
        return np.convolve(energies, np.ones(_STEPS_PER_BLOCK), "valid") / (_STEPS_PER_BLOCK * self._step)

    def _measure_piece(self, count: int) -> None:
        """Measure the next samples, of which all but the last piece of a sound have whole steps."""
        levels = find_true_levels(self._waiting[: count + 2 * REACH])[REACH : REACH + count]
        squares = np.square(self._weighting.filter_samples(self._waiting[REACH : REACH + count]))
        self._waiting = self._waiting[count:]
        self._count += count
        self._peak = max(self._peak, float(levels.max(initial=0.0)))
        whole = count // self._step * self._step
        by_bin = np.add.reduceat(squares[:whole].reshape(-1, self._step), self._bin_starts, axis=1)
        self._energies.append(by_bin.sum(axis=1))
        highest = np.maximum.reduceat(levels[:whole].reshape(-1, self._step), self._bin_starts, axis=1)
        self._losses.append(self._find_losses(highest, by_bin))

    def _find_losses(self, levels: Float32, energies: Float64) -> dict[int, Float64]:
        """Return the energy that a limiter takes from each step (N, bins), by thresholds below the loudest level so far; lower ones are never asked for."""
        loudest = float(levels.max(initial=0.0))
        # the lab also measures what a broken graph says, which may be no number.
        if not 0 < loudest <= self._peak < math.inf:
            return {}
        losses: dict[int, Float64] = {}
        lowest = math.floor(convert_to_db(self._peak) - MAX_LIMITED_DB)
        for threshold in range(lowest, math.ceil(convert_to_db(loudest))):
            limiter = PeakLimiter(_BINS_PER_S, 10 ** (threshold / 20))
            limited = np.concatenate((limiter.limit_samples(levels.ravel()), limiter.flush_samples())).reshape(levels.shape)
            kept = np.square(limited / np.maximum(levels, np.finfo(np.float32).tiny))
            losses[threshold] = (energies * (1 - kept)).sum(axis=1)
        return losses


def measure_loudness(samples: Float32, rate: int) -> LoudnessMeasurement:
    """Measure one channel of sound that is there as a whole."""
    meter = LoudnessMeter(rate)
    meter.add_samples(samples)
    return meter.finish_measurement()


@dataclass(frozen=True, slots=True)
class WrittenLoudness:
    """The loudness of a file as it was written."""

    lufs: float | None  # None for a sound that is silent or shorter than a block
    limited_db: float  # what the limiter took from the highest peak; 0 where it took nothing


def convert_written_to_data(loudness: WrittenLoudness) -> dict[str, Any]:
    """Return what a row of `koebako export --json` says of a file."""
    return {"limited_db": round(loudness.limited_db, 2), "loudness_lufs": None if loudness.lufs is None else round(loudness.lufs, 2)}


def parse_written_data(row: Mapping[str, Any]) -> WrittenLoudness | None:
    """Return what a row says, None if nothing; raise ValueError for what no worker of ours says."""
    if "limited_db" not in row:
        return None
    lufs = row.get("loudness_lufs")
    return WrittenLoudness(None if lufs is None else require_number(lufs), require_number(row["limited_db"]))


class LoudnessStage:
    """Works piece by piece; the limiter comes behind the change to the file's rate, which may raise a peak."""

    def __init__(self, rate: int, gain_db: float) -> None:
        self._gain = np.float32(10 ** (gain_db / 20))
        self._converter, self._meter = RateConverter(rate), LoudnessMeter(rate)
        self._limiter = PeakLimiter(rate, 10 ** (LIMITER_CEILING_DB / 20), is_true_peak=True)

    def convert_samples(self, samples: Float32, rate: int) -> Float32:
        """Return what is ready of the sound at the rate of the file; the rest comes with a later piece."""
        return self._limit_samples(self._converter.convert_rate(samples, rate))

    def finish_sound(self) -> Float32:
        """Return the rest of the sound."""
        begun = self._limit_samples(self._converter.flush_filter())
        rest = self._limiter.flush_samples()
        self._meter.add_samples(rest)
        return np.concatenate((begun, rest))

    def measure_loudness(self, channels: int) -> WrittenLoudness:
        """Return the loudness of the whole sound, once it is finished."""
        lufs = compute_integrated_lufs(self._meter.finish_measurement().powers) + 10 * math.log10(channels)
        return WrittenLoudness(None if math.isinf(lufs) else lufs, convert_to_db(1 / self._limiter.least_gain))

    def _limit_samples(self, samples: Float32) -> Float32:
        limited = self._limiter.limit_samples(samples * self._gain)
        self._meter.add_samples(limited)
        return limited
