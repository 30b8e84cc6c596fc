"""Decides how often to measure, by hyperfine's rule."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.bench.turn_taking import UNCOUNTED_TURNS
from app.common.progress import Report, ignore_report


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
        began, found = time.perf_counter(), list[float]()
        while len(found) < self.runs or time.perf_counter() - began < self.seconds:
            found.append(measure_once())
        return found
