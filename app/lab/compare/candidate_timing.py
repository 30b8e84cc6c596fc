"""Runs candidates in turns and keeps the time of every graph."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.bench.stage_timing import RunFigures
from app.bench.turn_taking import take_turns
from app.common.progress import Report, ignore_report
from app.lab.compare.compare_candidates import CandidateSessions
from app.lab.compare.energy_meter import EnergyMeter
from app.lab.repeat_rule import Repeats

TOTAL_FIGURE = "total"
JOULES_FIGURE = "joules"
ValuesByGraph = Mapping[str, Mapping[str, Any]]
"""Graph → what it is given."""


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
