"""Speaks again and again, in turns as it is and profiled, and keeps when every stage and operator began and ended."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import psutil

from app.adapters.ort.profiled_session import GraphRun
from app.common.progress import Report
from app.core.synthesis_types import StageTiming
from app.lab.profile.profiled_speech import SpeakingWays, SpeakOnce
from app.lab.repeat_rule import Repeats


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
        """Return the duration in ms."""
        return (self.ended_s - self.began_s) * 1000


@dataclass(slots=True)
class ProfileTurn:
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
        """Return the sum of the measured stages."""
        return sum(span.ms for span in self.plain)


def measure_turns(ways: SpeakingWays, repeats: Repeats, report: Report) -> list[ProfileTurn]:
    """Return the turns that count."""
    turns: list[ProfileTurn] = []
    try:
        for number in range(repeats.warmup):
            report("checking", 0.5 * number / repeats.warmup)
            _measure_turn(ways)
        began = time.perf_counter()
        while len(turns) < repeats.runs or time.perf_counter() - began < repeats.seconds:
            report("checking", 0.5 + 0.5 * min(len(turns) / repeats.runs, 1.0))
            turns.append(_measure_turn(ways))
    finally:
        runs = ways.end_profiling()
    runs = sorted(runs, key=lambda run: run.start_s)
    begins = [run.start_s for run in runs]
    for turn in turns:
        turn.graphs = runs[bisect_left(begins, turn.began_s) : bisect_right(begins, turn.ended_s)]
    return turns


def _measure_turn(ways: SpeakingWays) -> ProfileTurn:
    plain = _record_spans(ways.plain)
    for session in ways.sessions.values():
        for part in session.list_sessions():
            part.calls.clear()
    began = time.perf_counter()
    profiled = _record_spans(ways.profiled)
    return ProfileTurn(plain, profiled, began, time.perf_counter())


def _record_spans(speak: SpeakOnce) -> list[StageSpan]:
    spans: list[StageSpan] = []
    process = psutil.Process()

    def add_span(timing: StageTiming) -> None:
        ended = time.perf_counter()
        spans.append(StageSpan(timing.stage, ended - timing.ms / 1000, ended, process.memory_info().rss))

    speak(add_span)
    return spans


def choose_typical_turn(turns: Sequence[ProfileTurn]) -> ProfileTurn:
    """Return the median turn by the time of its stages."""
    return sorted(turns, key=lambda turn: turn.total_ms)[len(turns) // 2]
