"""Checks that the first sound, or the features of a sentence, come within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.bench.bench_texts import BENCH_LINES
from app.bench.graph_recording import RecordedGraphRun
from app.bench.stage_timing import build_bench_request, run_once
from app.compose.speaker import Speaker
from app.lab.check.check_row import build_check_row
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import RecordedInputs
from app.lab.repeat_rule import Repeats
from app.lab.report_rows import Row


def check_latency(subject: LabSubject, inputs: RecordedInputs, budget_ms: float, repeats: Repeats) -> Iterator[Row]:
    """Yield the median of warm runs: for a voice until the first sound of each sentence, for a BERT for each sentence and graph."""
    if inputs.speaker is not None:
        for name, text in BENCH_LINES.items():
            yield _build_row(
                "voice", f"{name}: first_audio", _measure_median(_create_first_audio_timer(inputs.speaker, text), repeats), budget_ms
            )
        return
    for graph, path in subject.prepared.items():
        session = open_cpu_session(path, graph)
        for call in inputs.find_calls(graph):
            yield _build_row(graph, call.request, _measure_median(partial(_measure_run_ms, session, call), repeats), budget_ms)


def _build_row(graph: str, case: str, median_ms: float, budget_ms: float) -> Row:
    return build_check_row("latency", graph, case, passed=median_ms <= budget_ms, value=median_ms, limit=budget_ms)


def _create_first_audio_timer(speaker: Speaker, text: str) -> Callable[[], float]:
    request = build_bench_request(speaker, text)
    return lambda: run_once(speaker, request, cached=False)["first_audio"]


def _measure_run_ms(session: RunnableSession, call: RecordedGraphRun) -> float:
    began = time.perf_counter()
    session.run_graph(dict(call.values))
    return (time.perf_counter() - began) * 1000


def _measure_median(measure_once: Callable[[], float], repeats: Repeats) -> float:
    return float(np.median(repeats.measure_repeatedly(measure_once)))
