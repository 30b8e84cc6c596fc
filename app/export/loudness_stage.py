"""Brings a sound to its loudness on the way into a file: rate, gain, limiter, and a measurement of what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.adapters.resampler import RateConverter
from app.common.files.untrusted_json import require_number
from app.core.sound.peak_limiter import PeakLimiter
from app.core.synthesis_types import Float32
from app.export.loudness import LIMITER_CEILING_DB, compute_integrated_lufs, convert_to_db
from app.export.loudness_meter import LoudnessMeter


@dataclass(frozen=True, slots=True)
class WrittenLoudness:
    """The loudness of a file as it was written.

    Attributes:
        lufs: None for a sound that is silent or shorter than a block.
        limited_db: what the limiter took from the highest peak; 0 where it took nothing.
    """

    lufs: float | None
    limited_db: float


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
    """Works piece by piece.

    Args:
        rate: of the file in Hz. The limiter comes behind the change of rate, which may raise a peak.
    """

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
