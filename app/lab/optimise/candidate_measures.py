"""Compares a candidate with the prepared graph, times in turns and the results of both for the same inputs; and a candidate as a row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.bench.graph_recording import RecordedGraphRun
from app.bench.repeated_runs import Repeats, compute_ratio, list_figures, take_turns
from app.bench.stage_timing import RunFigures
from app.core.sound.result_metrics import ResultDifference, compute_difference
from app.lab.report_rows import ReportRow

CallResults = list[list[np.ndarray]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow(ReportRow):
    """A candidate beside the prepared graph; without figures where it cannot be made or run.

    Attributes:
        speedup: time of the prepared graph ÷ time of the candidate.
        frames_equal: share of symbols that last as long as before.
        note: why there are no figures, or what else is known.
    """

    kind = "optimise"
    graph: str
    candidate: str
    speedup: float | None = None
    bytes: int | None = None
    snr_db: float | None = None
    cosine: float | None = None
    frames_equal: float | None = None
    speech_snr_db: float | None = None
    speech_lsd_db: float | None = None
    kept: bool = False
    note: str = ""


def measure_speedup(
    exact: RunnableSession,
    other: RunnableSession,
    calls: Sequence[RecordedGraphRun],
    own_calls: Sequence[RecordedGraphRun],
    repeats: Repeats,
) -> float:
    """Return how many times faster a candidate is: the median over turns, which it takes with the prepared graph, each with its inputs."""
    ways = {"exact": partial(_measure_calls, exact, calls), "other": partial(_measure_calls, other, own_calls)}
    found = take_turns(ways, repeats.iterate_turns(len(ways)))
    return compute_ratio(list_figures(found["exact"], "ms"), list_figures(found["other"], "ms")).median


def run_calls(session: RunnableSession, calls: Sequence[RecordedGraphRun]) -> CallResults:
    """Return all outputs of every call."""
    return [session.run_graph(dict(call.values)) for call in calls]


def compare_results(expected: CallResults, found: CallResults, *, by_token: bool) -> ResultDifference:
    """Return the difference of the output that differs most. Axes of size 1 do not count; a candidate may have fewer outputs, which then are the first."""
    outputs = [
        [(a, _match_shape(b, a)) for a, b in zip(one, other, strict=True)]
        for one, other in zip(zip(*expected, strict=True), zip(*found, strict=True), strict=False)
    ]
    each = [compute_difference([a for a, _ in pairs], [b for _, b in pairs], by_token=by_token) for pairs in outputs]
    return min(each, key=lambda item: item.snr_db)


def open_graph(graph: Path | bytes, name: str) -> RunnableSession:
    """Open a graph as the program does, on the CPU."""
    return open_cpu_session(graph, name)


def _match_shape(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    squeezed = [size for size in found.shape if size > 1] == [size for size in expected.shape if size > 1]
    return found.reshape(expected.shape) if squeezed else found


def _measure_calls(session: RunnableSession, calls: Sequence[RecordedGraphRun]) -> RunFigures:
    began = time.perf_counter()
    for call in calls:
        session.run_graph(dict(call.values))
    return {"ms": (time.perf_counter() - began) * 1000}
