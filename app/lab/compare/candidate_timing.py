"""Runs candidates in turns and keeps the time of every graph, and the energy that the processors have used where Linux reports it (RAPL)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from app.bench.repeated_runs import Repeats, take_turns
from app.bench.stage_timing import RunFigures
from app.common.progress import Report, ignore_report
from app.lab.compare.compare_candidates import CandidateSessions

TOTAL_FIGURE = "total"
JOULES_FIGURE = "joules"
ValuesByGraph = Mapping[str, Mapping[str, Any]]
"""Graph → what it is given."""
POWERCAP = Path("/sys/class/powercap")


class EnergyMeter:
    """Counters of all processor packages; each starts over at its own limit.

    Attributes:
        there: whether the system reports energy.
    """

    def __init__(self, root: Path = POWERCAP) -> None:
        # AMD's are called so, too.
        packages = sorted(root.glob("intel-rapl:*")) if root.is_dir() else []
        self._counters = [folder for folder in packages if folder.name.count(":") == 1 and _read_number(folder / "energy_uj") is not None]
        self.there = bool(self._counters)

    def read_counters(self) -> list[int]:
        """Return the microjoules by package."""
        return [_read_number(folder / "energy_uj") or 0 for folder in self._counters]

    def compute_joules_since(self, before: list[int]) -> float:
        """Compute the energy in J that all packages used since a reading, the other programs of the machine included."""
        ranges = [_read_number(folder / "max_energy_range_uj") or 0 for folder in self._counters]
        taken = (
            now - then if now >= then else now - then + most for then, now, most in zip(before, self.read_counters(), ranges, strict=True)
        )
        return sum(taken) / 1e6


@dataclass(frozen=True, slots=True)
class CandidateTimings:
    """One candidate on one sentence: milliseconds by graph, those of the first run apart, then turn by turn."""

    opened: CandidateSessions
    cold: RunFigures
    warm: list[RunFigures] = field(default_factory=list)


def measure_candidates(
    opened: Mapping[str, CandidateSessions],
    values: Mapping[str, ValuesByGraph],
    repeats: Repeats,
    meter: EnergyMeter,
    report: Report = ignore_report,
) -> dict[str, CandidateTimings]:
    """Run every candidate on one sentence, in turns.

    Args:
        repeats: of each candidate.
        opened, values: by the candidate's name.
    """
    ways = {name: partial(_measure_run, item, values[name], meter) for name, item in opened.items()}
    cold = {name: way() for name, way in ways.items()}
    warm = take_turns(ways, repeats.iterate_turns(len(ways), report))
    return {name: CandidateTimings(opened[name], cold[name], warm[name]) for name in opened}


def _measure_run(opened: CandidateSessions, values: ValuesByGraph, meter: EnergyMeter) -> RunFigures:
    before = meter.read_counters()
    figures = {}
    for name, session in opened.sessions.items():
        given = dict(values[name])
        began = time.perf_counter()
        session.run_graph(given)
        figures[name] = (time.perf_counter() - began) * 1000
    figures[TOTAL_FIGURE] = sum(figures.values())
    if meter.there:
        figures[JOULES_FIGURE] = meter.compute_joules_since(before)
    return figures


def collect_figure(turns: Sequence[RunFigures], graph: str) -> list[float]:
    """Return one figure, turn by turn; empty if it was not measured."""
    return [figures[graph] for figures in turns if graph in figures]


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # only the administrator may read it
        return None
