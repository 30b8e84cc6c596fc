"""Measures things again and again: how often, by hyperfine's rule; in turns, so that a busy machine disturbs all alike; and the figures of the runs.

Of ways that take turns only ratios within a turn are compared.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.bench.stage_timing import RunFigures
from app.common.progress import Report, ignore_report

SETTLE_S = 0.03  # between two ways: the reference's threads spin for a while when it has ended
UNCOUNTED_TURNS = 1  # turn in which graphs see a length for the first time
MIN_RUNS_FOR_TAILS = 100  # runs below which a 95th or 99th percentile is one odd run
OUTLIER_MADS = 14.826  # median absolute deviations from the median: hyperfine's mark of an outlier


@dataclass(frozen=True, slots=True)
class Repeats:
    """At least so many runs and so many seconds, after runs that do not count."""

    runs: int = 10
    warmup: int = 10
    seconds: float = 3.0

    def iterate_turns(self, ways: int, report: Report = ignore_report) -> Iterator[int]:
        """Yield numbers for `take_turns`, where so many ways share the total seconds, pauses between them included; numbers below UNCOUNTED
        warm up.

        Each is reported: at real size it takes seconds.
        """
        least = self.warmup + self.runs
        for number in range(self.warmup):
            report("measuring", number / least)
            yield UNCOUNTED_TURNS - 1
        began, turn = time.perf_counter(), UNCOUNTED_TURNS
        while turn - UNCOUNTED_TURNS < self.runs or time.perf_counter() - began < self.seconds * ways:
            report("measuring", min((self.warmup + turn - UNCOUNTED_TURNS) / least, 1.0))
            yield turn
            turn += 1

    def measure_repeatedly(self, measure_once: Callable[[], float]) -> list[float]:
        """Return the time of each run in ms; warm-up runs are left out."""
        for _ in range(self.warmup):
            measure_once()
        began, times_ms = time.perf_counter(), list[float]()
        while len(times_ms) < self.runs or time.perf_counter() - began < self.seconds:
            times_ms.append(measure_once())
        return times_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The figures of repeated runs, in milliseconds but for their number; p95 and p99 are None where there are too few."""

    runs: int
    mean_ms: float
    median_ms: float
    p90_ms: float
    p95_ms: float | None
    p99_ms: float | None
    min_ms: float
    max_ms: float
    std_ms: float


@dataclass(frozen=True, slots=True)
class SpeedRatio:
    """The factor by which one way is faster: median and quartiles over the turns."""

    p25: float
    median: float
    p75: float


def take_turns(ways: Mapping[str, Callable[[], RunFigures]], turns: Iterable[int]) -> dict[str, list[RunFigures]]:
    """Return what each way measured, turn by turn. Who follows whom is drawn again for each: nobody always finds the caches as the reference left them."""
    figures_by_way: dict[str, list[RunFigures]] = {name: [] for name in ways}
    for turn in turns:
        for name in np.random.default_rng(turn).permutation(list(ways)).tolist():
            time.sleep(SETTLE_S)
            figures = ways[name]()
            if turn >= UNCOUNTED_TURNS:
                figures_by_way[name].append(figures)
    return figures_by_way


def compute_ratio(slow: Sequence[float], fast: Sequence[float]) -> SpeedRatio:
    """Return the ratio of values measured in the same turns."""
    p25, median, p75 = np.percentile([a / b for a, b in zip(slow, fast, strict=True)], (25, 50, 75))
    return SpeedRatio(float(p25), float(median), float(p75))


def measure_ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def measure_speed_ratio(slow: Callable[[], object], fast: Callable[[], object], repeats: Repeats) -> SpeedRatio:
    """Return how many times faster one way is than the other, measured in turns."""
    ways = {"slow": lambda: {"ms": measure_ms(slow)}, "fast": lambda: {"ms": measure_ms(fast)}}
    turns = take_turns(ways, repeats.iterate_turns(len(ways)))
    return compute_ratio(list_figures(turns["slow"], "ms"), list_figures(turns["fast"], "ms"))


def list_figures(results: Sequence[RunFigures], name: str) -> list[float]:
    return [figures[name] for figures in results]


def compute_summary(times_ms: Sequence[float]) -> RunSummary:
    """Return the figures of at least one run."""
    times = np.asarray(times_ms, np.float64)
    p50, p90, p95, p99 = (float(item) for item in np.percentile(times, (50, 90, 95, 99)))
    enough = len(times) >= MIN_RUNS_FOR_TAILS
    return RunSummary(
        runs=len(times),
        mean_ms=float(times.mean()),
        median_ms=p50,
        p90_ms=p90,
        p95_ms=p95 if enough else None,
        p99_ms=p99 if enough else None,
        min_ms=float(times.min()),
        max_ms=float(times.max()),
        std_ms=float(times.std(ddof=1)) if len(times) > 1 else 0.0,
    )


def count_outliers(times_ms: Sequence[float]) -> int:
    """Count the runs whose times are far from all others."""
    times = np.asarray(times_ms, np.float64)
    deviations = np.abs(times - np.median(times))
    return int((deviations > OUTLIER_MADS * np.median(deviations)).sum()) if len(times) > 2 else 0
