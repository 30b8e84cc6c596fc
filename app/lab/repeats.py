"""How often something is measured: hyperfine's rule."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.bench.turns import UNCOUNTED
from app.progress import Report, unreported


@dataclass(frozen=True, slots=True)
class Repeats:
    """At least so many runs and so many seconds, after runs that do not count."""

    runs: int = 10
    warmup: int = 10
    seconds: float = 3.0

    def turns(self, ways: int, report: Report = unreported) -> Iterator[int]:
        """Numbers for `take_turns`, where so many ways share the seconds of all, pauses between them included; those below UNCOUNTED warm up.

        Each is reported: at real size it takes seconds.
        """
        least = self.warmup + self.runs
        for number in range(self.warmup):
            report("measuring", number / least)
            yield UNCOUNTED - 1
        began, turn = time.perf_counter(), UNCOUNTED
        while turn - UNCOUNTED < self.runs or time.perf_counter() - began < self.seconds * ways:
            report("measuring", min((self.warmup + turn - UNCOUNTED) / least, 1.0))
            yield turn
            turn += 1

    def of(self, once: Callable[[], float]) -> list[float]:
        """What each run measured, in milliseconds; those that warm up are left out."""
        for _ in range(self.warmup):
            once()
        began, found = time.perf_counter(), list[float]()
        while len(found) < self.runs or time.perf_counter() - began < self.seconds:
            found.append(once())
        return found
