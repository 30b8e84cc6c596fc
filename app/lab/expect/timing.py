"""Times graphs, and what they are made of, on the processor. Only in a confined child.

The best run counts, as it does for what the processor reaches: on a busy machine too, one of them is undisturbed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.profile_events import OperatorRun
from app.adapters.ort.session import open_session
from app.adapters.ort.work import profiled_runs
from app.bench.work import PEAK_RUNS, Kind, kind_of, reached_gmac_s
from app.errors import AppError
from app.lab.counting import counted
from app.lab.given import Sizes
from app.lab.repeats import Repeats
from app.progress import Report, part
from app.voices.prepare import convolution, product
from app.voices.prepare.graph_facts import graph_facts
from app.voices.prepare.store import load_graph

WARMING_S, LONGEST_S = 1.7, 5.0  # of one graph, whatever is asked for: all of them share the time that a stranger's voice may take
MOST_RUNS = 10_000  # the best of so many is the best of more; a graph of two operators runs 100,000 times in seconds
PEAK_TURNS = 5
PROFILED = 10  # runs whose operators are timed
Graph = tuple[str, str, Path]  # form, name, file


def time_all(graphs: Sequence[Graph], sizes: Sizes, repeats: Repeats, report: Report) -> Iterator[dict[str, Any]]:
    """What this machine reaches, then the times of each graph."""
    report("checking", 0.0)
    yield {"kind": "peaks", "gmac_s": measured_peaks()}
    for index, (form, name, path) in enumerate(graphs):
        here = part(report, 0.1 + 0.9 * index / len(graphs), 0.1 + 0.9 * (index + 1) / len(graphs))
        found = {"kind": "times", "form": form, "graph": name}
        try:
            times = _times((form, name, path), sizes, repeats, here)
        except AppError as exc:
            yield found | {"failed": f"{exc.message} {exc.hint}".strip()}
            continue
        if times["frames"]:
            sizes = Sizes(**sizes.values() | {"frames": times["frames"]})
        yield found | times


def measured_peaks() -> dict[Kind, float]:
    """Thousands of millions of multiply-adds a second, by kind: in one simple convolution and one simple product.

    In turns, for what disturbs one kind at a time would make it look slow beside the others.
    """
    rng = np.random.default_rng(1)
    wave = rng.standard_normal((1, convolution.CHANNELS, convolution.LENGTH), dtype=np.float32)
    matrix = rng.standard_normal((product.ROWS, product.INNER), dtype=np.float32)
    simple: dict[Kind, tuple[bytes, np.ndarray, int]] = {
        "convolution": (convolution.convolution_graph(int8=False), wave, convolution.MULTIPLY_ADDS),
        "product": (product.product_graph(int8=False), matrix, product.MULTIPLY_ADDS),
        "convolution_int8": (convolution.convolution_graph(int8=True), wave, convolution.MULTIPLY_ADDS),
        "product_int8": (product.product_graph(int8=True), matrix, product.MULTIPLY_ADDS),
    }
    turns = [{kind: reached_gmac_s(*graph, PEAK_RUNS // PEAK_TURNS) for kind, graph in simple.items()} for _ in range(PEAK_TURNS)]
    return {kind: max(turn[kind] for turn in turns) for kind in simple}


def _times(graph: Graph, sizes: Sizes, repeats: Repeats, report: Report) -> dict[str, Any]:
    form, name, path = graph
    model = load_graph(path, outside=False)
    work = counted(model, graph_facts(model), path.parent, sizes, form, name)
    report("checking", 0.4)
    measured = _run_ms(path, work.values, repeats)
    report("checking", 0.8)
    best_ms = min(measured)
    watched = max(1, min(PROFILED, int(1000 * LONGEST_S / best_ms)))
    timed = profiled_runs(path, [work.values] * (1 + watched), optimised=True)[1:]
    operators = _fitting(_by_operator(min(timed, key=_sum_ms)), best_ms)
    return {"macs": work.kinds, "frames": work.frames, "measured_ms": best_ms, "runs": len(measured), "operators": operators}


def _run_ms(path: Path, values: dict[str, np.ndarray], repeats: Repeats) -> list[float]:
    session = open_session(path, "cpu", path.name).session

    def once() -> float:
        began = time.perf_counter()
        session.run(dict(values))
        return (time.perf_counter() - began) * 1000

    warming_ms = 0.0
    for _ in range(repeats.warmup):
        warming_ms += once()
        if warming_ms > 1000 * WARMING_S:
            break
    found = [once()]
    took_ms = found[0]
    while took_ms < 1000 * LONGEST_S and len(found) < MOST_RUNS and (len(found) < repeats.runs or took_ms < 1000 * repeats.seconds):
        found.append(once())
        took_ms += found[-1]
    return found


def _fitting(operators: dict[str, list[Any]], best_ms: float) -> dict[str, list[Any]]:
    """The same shares of a run that nobody watches: watching every node takes time itself."""
    watched_ms = sum(ms for _, ms in operators.values())
    return {name: [kind, ms * best_ms / watched_ms] for name, (kind, ms) in operators.items()} if watched_ms else {}


def _by_operator(nodes: Sequence[OperatorRun]) -> dict[str, list[Any]]:
    """Kind of what counts (or None) and milliseconds, by operator."""
    found: dict[str, list[Any]] = {}
    for node in nodes:
        found.setdefault(node.operator, [kind_of(node.operator), 0.0])[1] += node.own_ms
    return found


def _sum_ms(nodes: Sequence[OperatorRun]) -> float:
    return sum(node.own_ms for node in nodes)
