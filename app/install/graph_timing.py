"""Times another form of a voice's graph against the exact one, in turns, on an input that the exact one received."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from app.adapters.ort.graph_session import RunnableSession
from app.voices.int8_result import MIN_INT8_GAIN

TIMING_TURNS = 3
# A speedup that is so many times the least one that pays, or that much below it, is timed no third time.
CLEAR_MARGIN = 1.25


@dataclass(frozen=True, slots=True)
class GraphTiming:
    """The seconds that two forms of a graph take for the same input."""

    exact_s: float
    other_s: float

    @property
    def gain(self) -> float:
        """Return how many times faster the other one is."""
        return round(self.exact_s / self.other_s, 2)


def measure_timing(exact: RunnableSession, other: RunnableSession, values: dict[str, Any]) -> GraphTiming:
    """Return the least time of each form, which other programs disturbed least."""
    return _measure_in_turns(lambda: exact.run_graph(values), lambda: other.run_graph(values))


def compute_joint_speedup(timings: Mapping[str, GraphTiming], replaced: Collection[str]) -> float:
    """Return the speedup of all graphs of a voice, one after the other, where some are replaced."""
    exact_s = sum(timing.exact_s for timing in timings.values())
    return round(exact_s / sum(timing.other_s if name in replaced else timing.exact_s for name, timing in timings.items()), 2)


def _measure_in_turns(slow: Callable[[], object], fast: Callable[[], object]) -> GraphTiming:
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(1, TIMING_TURNS + 1):
        for way, times in zip((slow, fast), took, strict=True):
            began = time.perf_counter()
            way()
            times.append(time.perf_counter() - began)
        timing = GraphTiming(min(took[0]), min(took[1]))
        if turn > 1 and not MIN_INT8_GAIN / CLEAR_MARGIN < timing.gain < MIN_INT8_GAIN * CLEAR_MARGIN:
            break
    return timing
