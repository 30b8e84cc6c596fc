"""The gain of each file of a batch, once the loudness of all of them is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.loudness import (
    MIN_LOUDNESS_LENGTH_S,
    LoudnessMeasurement,
    compute_gain_db,
    compute_limited_lufs,
    compute_max_gain_db,
    merge_measurements,
)


@dataclass(frozen=True, slots=True)
class FileGains:
    """The gains that bring a batch to its loudness.

    Attributes:
        by_file: the gain in dB of each measured file; none without a target.
        batch_lufs: what all files together come to; None where each is brought to the target by itself, or nothing could be measured.
        loudest: the file with the highest peak, which limits the gain of all; None as above.
        lags_lu: how far files that are too short to be measured stay behind the others, as their peaks allow no more.
    """

    by_file: Mapping[PlannedFile, float] = field(default_factory=dict)
    batch_lufs: float | None = None
    loudest: PlannedFile | None = None
    lags_lu: Mapping[PlannedFile, float] = field(default_factory=dict)


def compute_file_gains(
    files: Sequence[PlannedFile], measured: Mapping[PlannedFile, LoudnessMeasurement], settings: ExportSettings
) -> FileGains:
    """Return one gain for all measured files, or each its own; a file too short to be measured takes the gain of all.

    In the order of the plan, so that sums come out the same in whatever order the files were measured.
    """
    items = [item for item in files if item in measured]
    if settings.loudness is None or not items:
        return FileGains()
    target, channels = settings.loudness, settings.channels
    merged = merge_measurements([measured[item] for item in items])
    if not settings.loudness_each:
        common = compute_gain_db(merged, target, channels)
        lufs = compute_limited_lufs(merged, common, channels)
        loudest = max(items, key=lambda item: measured[item].peak)
        return FileGains(dict.fromkeys(items, common), None if math.isinf(lufs) else lufs, loudest)
    lufs = compute_limited_lufs(merged, 0.0, channels)
    wanted = 0.0 if math.isinf(lufs) else target - lufs
    gains = {item: compute_gain_db(measured[item], target, channels) for item in items}
    short = [item for item in items if measured[item].seconds < MIN_LOUDNESS_LENGTH_S]
    gains |= {item: min(wanted, compute_max_gain_db(measured[item].peak)) for item in short}
    return FileGains(gains, lags_lu={item: wanted - gains[item] for item in short})
