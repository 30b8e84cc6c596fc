"""Figures of repeated runs, and what may not be said of few of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.lab.report_rows import Row

# Runs below which a 95th or 99th percentile is one odd run.
MIN_RUNS_FOR_TAILS = 100
# Median absolute deviations from the median: hyperfine's mark of an outlier.
OUTLIER_MADS = 14.826


def compute_summary(times_ms: Sequence[float]) -> Row:
    """Return statistics in milliseconds; `p95_ms` and `p99_ms` are None if there are too few runs."""
    times = np.asarray(times_ms, np.float64)
    p50, p90, p95, p99 = (float(item) for item in np.percentile(times, (50, 90, 95, 99)))
    enough = len(times) >= MIN_RUNS_FOR_TAILS
    return {
        "runs": len(times),
        "mean_ms": float(times.mean()),
        "median_ms": p50,
        "p90_ms": p90,
        "p95_ms": p95 if enough else None,
        "p99_ms": p99 if enough else None,
        "min_ms": float(times.min()),
        "max_ms": float(times.max()),
        "std_ms": float(times.std(ddof=1)) if len(times) > 1 else 0.0,
    }


def count_outliers(times_ms: Sequence[float]) -> int:
    """Count the runs that lie far from all others."""
    times = np.asarray(times_ms, np.float64)
    deviations = np.abs(times - np.median(times))
    return int((deviations > OUTLIER_MADS * np.median(deviations)).sum()) if len(times) > 2 else 0
