"""Speaks again and again, in turns as it is and profiled, and keeps when every stage and operator began and ended."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import psutil

from app.adapters.ort.profiled_session import GraphRun
from app.core.types import StageTiming
from app.lab.profile.speaking import Speak, Ways
from app.lab.repeats import Repeats
from app.progress import Report


@dataclass(frozen=True, slots=True)
class StageSpan:
    """One stage of one sentence, or of one piece of it.

    Attributes:
        began_s, ended_s: as `time.perf_counter` says.
        process_bytes: what the process had in memory at its end.
    """

    stage: str
    began_s: float
    ended_s: float
    process_bytes: int

    @property
    def ms(self) -> float:
        """How long it took."""
        return (self.ended_s - self.began_s) * 1000


@dataclass(slots=True)
class Turn:
    """The text once as it is and once profiled.

    Attributes:
        plain, profiled: stages in order.
        graphs: runs of graphs, of the profiled way.
    """

    plain: list[StageSpan]
    profiled: list[StageSpan]
    began_s: float
    ended_s: float
    graphs: list[GraphRun] = field(default_factory=list)

    @property
    def total_ms(self) -> float:
        """Of the stages, as it is."""
        return sum(span.ms for span in self.plain)


def measured(ways: Ways, repeats: Repeats, report: Report) -> list[Turn]:
    """The turns that count."""
    turns: list[Turn] = []
    try:
        for number in range(repeats.warmup):
            report("checking", 0.5 * number / repeats.warmup)
            _turn(ways)
        began = time.perf_counter()
        while len(turns) < repeats.runs or time.perf_counter() - began < repeats.seconds:
            report("checking", 0.5 + 0.5 * min(len(turns) / repeats.runs, 1.0))
            turns.append(_turn(ways))
    finally:
        runs = ways.end()
    runs = sorted(runs, key=lambda run: run.began_s)
    begins = [run.began_s for run in runs]
    for turn in turns:
        turn.graphs = runs[bisect_left(begins, turn.began_s) : bisect_right(begins, turn.ended_s)]
    return turns


def _turn(ways: Ways) -> Turn:
    plain = _spans(ways.plain)
    for session in ways.sessions.values():
        for part in session.parts():
            part.calls.clear()
    began = time.perf_counter()
    profiled = _spans(ways.profiled)
    return Turn(plain, profiled, began, time.perf_counter())


def _spans(speak: Speak) -> list[StageSpan]:
    spans: list[StageSpan] = []
    process = psutil.Process()

    def add(timing: StageTiming) -> None:
        ended = time.perf_counter()
        spans.append(StageSpan(timing.stage, ended - timing.ms / 1000, ended, process.memory_info().rss))

    speak(add)
    return spans


def typical(turns: Sequence[Turn]) -> Turn:
    """The turn in the middle, by how long the stages took."""
    return sorted(turns, key=lambda turn: turn.total_ms)[len(turns) // 2]
