"""The gain of each file of a batch, and the loudness that it came to: what the limiter took, and what missed the target all the same."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.common.language import localize
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.loudness import (
    MIN_LOUDNESS_LENGTH_S,
    LoudnessMeasurement,
    WrittenLoudness,
    compute_gain_db,
    compute_limited_lufs,
    compute_max_gain_db,
    merge_measurements,
)

TOLERANCE_LU = 0.5  # what nobody hears, and no rule of a platform asks for
_LEAST_TOLD_DB = 0.05  # what is less than it says nothing in the one decimal that is shown


@dataclass(frozen=True, slots=True)
class FileGains:
    """The gains that bring a batch to its loudness."""

    by_file: Mapping[PlannedFile, float] = field(default_factory=dict)  # the gain in dB of each measured file; none without a target
    # What all files together come to; None where each is brought to the target by itself, or nothing could be measured.
    batch_lufs: float | None = None
    loudest: PlannedFile | None = None  # the file with the highest peak, which limits the gain of all; None as above
    # How far files that are too short to be measured stay behind the others, as their peaks allow no more.
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
    common_db = 0.0 if math.isinf(lufs) else target - lufs
    gains = {item: compute_gain_db(measured[item], target, channels) for item in items}
    short = [item for item in items if measured[item].seconds < MIN_LOUDNESS_LENGTH_S]
    gains |= {item: min(common_db, compute_max_gain_db(measured[item].peak)) for item in short}
    return FileGains(gains, lags_lu={item: common_db - gains[item] for item in short})


class LoudnessReport:
    """Takes every file that is written."""

    def __init__(self, settings: ExportSettings, gains: FileGains) -> None:
        self._settings, self._gains = settings, gains
        self._is_by_file = settings.loudness_each or len(gains.by_file) == 1
        self._limited_db = 0.0
        self._missed_lu: dict[PlannedFile, float] = {}

    def add_file(self, item: PlannedFile, loudness: WrittenLoudness | None, seconds: float) -> float | None:
        """Add a file that was written; return by how many LU it misses its target, or None where it meets it or has none of its own."""
        if loudness is None or self._settings.loudness is None:
            return None
        self._limited_db = max(self._limited_db, loudness.limited_db)
        missed = self._gains.lags_lu.get(item, 0.0)
        if self._is_by_file and loudness.lufs is not None and seconds >= MIN_LOUDNESS_LENGTH_S:
            missed = self._settings.loudness - loudness.lufs
        if missed <= TOLERANCE_LU:
            return None
        self._missed_lu[item] = missed
        return missed

    def build_row(self) -> dict[str, Any]:
        """Return what the summary of `koebako export --json` says; nothing without a target."""
        if self._settings.loudness is None:
            return {}
        row: dict[str, Any] = {"limited_db": round(self._limited_db, 2)}
        if not self._is_by_file:
            lufs, missed = self._gains.batch_lufs, self._batch_missed_lu
            row |= {"loudness_lufs": None if lufs is None else round(lufs, 2)} | ({"missed_lu": round(missed, 2)} if missed else {})
        return row

    def describe_limiter(self) -> str:
        """Return a sentence on what the limiter took; empty where it took nothing."""
        if self._limited_db < _LEAST_TOLD_DB:
            return ""
        return localize(
            f"リミッターでピークを最大 {self._limited_db:.1f} dB 抑えました。",
            f"The limiter lowered peaks by up to {self._limited_db:.1f} dB.",
        )

    def describe_missed(self) -> str:
        """Return a sentence on what stayed below the target; empty where nothing did."""
        if self._settings.loudness is None:
            return ""
        target = f"{self._settings.loudness:g}"
        if self._batch_missed_lu and self._gains.batch_lufs is not None and self._gains.loudest is not None:
            lufs, name = f"{self._gains.batch_lufs:.1f}", self._gains.loudest.file.name
            return localize(
                f"全体のラウドネスは {lufs} LUFS です（指定は {target} LUFS）。{name} のピークが大きいため、これ以上は上げられません。",
                f"All files together are at {lufs} LUFS instead of {target}: the peaks of {name} allow no more.",
            )
        if not self._missed_lu:
            return ""
        item, missed = max(self._missed_lu.items(), key=lambda pair: pair[1])
        count = len(self._missed_lu)
        others = localize(f"、ほか {count - 1:,} 個", f" and {count - 1:,} more") if count > 1 else ""
        return localize(
            f"{target} LUFS に届かなかったファイルがあります: {item.file.name}（{missed:.1f} LU 不足）{others}。ピークが大きいため、これ以上は上げられません。",
            f"Below {target} LUFS, as the peaks allow no more: {item.file.name} (by {missed:.1f} LU){others}.",
        )

    @property
    def _batch_missed_lu(self) -> float:
        """Return by how many LU all files together miss the target; 0 where they meet it or none is theirs."""
        lufs, target = self._gains.batch_lufs, self._settings.loudness
        if self._is_by_file or lufs is None or target is None or target - lufs <= TOLERANCE_LU:
            return 0.0
        return target - lufs
