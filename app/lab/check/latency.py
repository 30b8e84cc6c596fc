"""Whether the first sound, or the features of a sentence, come within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from app.adapters.ort.session import Session, open_session
from app.bench.recorded import Call
from app.bench.stages import request_of, run_once
from app.bench.texts import LINES
from app.compose.speaker import Speaker
from app.lab.check.finding import finding
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.spoken import Spoken
from app.lab.subject import Subject


def latency(subject: Subject, spoken: Spoken, budget_ms: float, repeats: Repeats) -> Iterator[Row]:
    """The median of warm runs: of a voice until the first sound of each sentence, of a BERT for each sentence and graph."""
    if spoken.speaker is not None:
        for name, text in LINES.items():
            yield _row("voice", f"{name}: first_audio", _median(_first_audio(spoken.speaker, text), repeats), budget_ms)
        return
    for graph, path in subject.prepared.items():
        session = open_session(path, "cpu", graph).session
        for call in spoken.of(graph):
            yield _row(graph, call.request, _median(partial(_run_ms, session, call), repeats), budget_ms)


def _row(graph: str, case: str, median_ms: float, budget_ms: float) -> Row:
    return finding("latency", graph, case, passed=median_ms <= budget_ms, value=median_ms, limit=budget_ms)


def _first_audio(speaker: Speaker, text: str) -> Callable[[], float]:
    request = request_of(speaker, text)
    return lambda: run_once(speaker, request, cached=False)["first_audio"]


def _run_ms(session: Session, call: Call) -> float:
    began = time.perf_counter()
    session.run(dict(call.values))
    return (time.perf_counter() - began) * 1000


def _median(once: Callable[[], float], repeats: Repeats) -> float:
    return float(np.median(repeats.of(once)))
