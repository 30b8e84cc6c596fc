"""Runs candidates in turns and keeps the time of every graph."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.bench.stages import Figures
from app.bench.turns import take_turns
from app.lab.compare.candidates import Opened
from app.lab.compare.energy import EnergyMeter
from app.lab.repeats import Repeats
from app.progress import Report, unreported

TOTAL = "total"
JOULES = "joules"
Values = Mapping[str, Mapping[str, Any]]
"""Graph → what it is given."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One candidate on one sentence: milliseconds by graph, those of the first run apart, then turn by turn."""

    opened: Opened
    cold: Figures
    warm: list[Figures] = field(default_factory=list)


def timed(
    opened: Mapping[str, Opened], values: Mapping[str, Values], repeats: Repeats, meter: EnergyMeter, report: Report = unreported
) -> dict[str, Timed]:
    """Runs every candidate on one sentence, in turns.

    Args:
        repeats: of each candidate.
        opened, values: by the candidate's name.
    """
    ways = {name: partial(_run, item, values[name], meter) for name, item in opened.items()}
    cold = {name: way() for name, way in ways.items()}
    warm = take_turns(ways, repeats.turns(len(ways), report))
    return {name: Timed(opened[name], cold[name], warm[name]) for name in opened}


def _run(opened: Opened, values: Values, meter: EnergyMeter) -> Figures:
    before = meter.read()
    figures = {}
    for name, session in opened.sessions.items():
        given = dict(values[name])
        began = time.perf_counter()
        session.run(given)
        figures[name] = (time.perf_counter() - began) * 1000
    figures[TOTAL] = sum(figures.values())
    if meter.there:
        figures[JOULES] = meter.joules_since(before)
    return figures


def column(turns: Sequence[Figures], graph: str) -> list[float]:
    """One figure, turn by turn; empty where it was not measured."""
    return [figures[graph] for figures in turns if graph in figures]
