"""The gain of each file of a batch, once the loudness of all of them is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.loudness import LoudnessMeasurement, compute_gains_db


def compute_file_gains(
    files: Sequence[PlannedFile], measured: Mapping[PlannedFile, LoudnessMeasurement], settings: ExportSettings
) -> dict[PlannedFile, float]:
    """Return the gain in dB of each measured file; none without a target.

    In the order of the plan, so that sums come out the same in whatever order the files were measured.
    """
    if settings.loudness is None:
        return {}
    items = [item for item in files if item in measured]
    gains = compute_gains_db([measured[item] for item in items], settings.loudness, settings.channels, is_per_file=settings.loudness_each)
    return dict(zip(items, gains, strict=True))
