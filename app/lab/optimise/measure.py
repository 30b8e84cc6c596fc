"""How a candidate compares with the prepared graph: time in turns, and what both compute of the same inputs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from app.adapters.ort.session import Session, open_session
from app.bench.recorded import Call
from app.bench.stages import Figures
from app.bench.turns import column, ratio, take_turns
from app.lab.differences import Difference, difference
from app.lab.repeats import Repeats

Results = list[list[np.ndarray]]


def speedup(exact: Session, other: Session, calls: Sequence[Call], own_calls: Sequence[Call], repeats: Repeats) -> float:
    """How many times faster the candidate is: the median over turns, which it takes with the prepared graph, each with its inputs."""
    ways = {"exact": partial(_timed, exact, calls), "other": partial(_timed, other, own_calls)}
    found = take_turns(ways, repeats.turns(len(ways)))
    return ratio(column(found["exact"], "ms"), column(found["other"], "ms")).median


def results_of(session: Session, calls: Sequence[Call]) -> Results:
    """All outputs of every call."""
    return [session.run(dict(call.values)) for call in calls]


def compared(right: Results, found: Results, *, by_token: bool) -> Difference:
    """The output that differs most. Axes of 1 more or less make no difference; a candidate may have fewer outputs, which then are the first."""
    outputs = [
        [(a, _as_shaped(b, a)) for a, b in zip(one, other, strict=True)]
        for one, other in zip(zip(*right, strict=True), zip(*found, strict=True), strict=False)
    ]
    each = [difference([a for a, _ in pairs], [b for _, b in pairs], by_token=by_token) for pairs in outputs]
    return min(each, key=lambda item: item.snr_db)


def opened(graph: Path | bytes, name: str) -> Session:
    """As the program opens it, on the CPU."""
    return open_session(graph, "cpu", name).session


def _as_shaped(found: np.ndarray, right: np.ndarray) -> np.ndarray:
    squeezed = [size for size in found.shape if size > 1] == [size for size in right.shape if size > 1]
    return found.reshape(right.shape) if squeezed else found


def _timed(session: Session, calls: Sequence[Call]) -> Figures:
    began = time.perf_counter()
    for call in calls:
        session.run(dict(call.values))
    return {"ms": (time.perf_counter() - began) * 1000}
