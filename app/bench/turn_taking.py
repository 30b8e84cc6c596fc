"""Ways to do the same thing take turns, so that a busy machine disturbs them alike; only ratios within a turn are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.bench.stage_timing import RunFigures

# Between two ways: the reference's threads spin for a while when it has ended.
SETTLE_S = 0.03
# Turn in which graphs see a length for the first time.
UNCOUNTED_TURNS = 1


@dataclass(frozen=True, slots=True)
class SpeedRatio:
    """The factor by which one way is faster: median and quartiles over the turns."""

    p25: float
    median: float
    p75: float


def take_turns(ways: Mapping[str, Callable[[], RunFigures]], turns: Iterable[int]) -> dict[str, list[RunFigures]]:
    """Return what each way measured, turn by turn. Who follows whom is drawn again for each: nobody always finds the caches as the reference left them."""
    found: dict[str, list[RunFigures]] = {name: [] for name in ways}
    for turn in turns:
        for name in np.random.default_rng(turn).permutation(list(ways)).tolist():
            time.sleep(SETTLE_S)
            figures = ways[name]()
            if turn >= UNCOUNTED_TURNS:
                found[name].append(figures)
    return found


def compute_ratio(slow: Sequence[float], fast: Sequence[float]) -> SpeedRatio:
    """Return the ratio of values measured in the same turns."""
    p25, median, p75 = np.percentile([a / b for a, b in zip(slow, fast, strict=True)], (25, 50, 75))
    return SpeedRatio(float(p25), float(median), float(p75))


def list_figures(results: Sequence[RunFigures], name: str) -> list[float]:
    """Return one figure of every turn."""
    return [figures[name] for figures in results]
