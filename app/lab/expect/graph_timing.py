"""Times graphs, and what they are made of, on the processor. Only in a confined child.

The best run counts, as it does for what the processor reaches: on a busy machine too, one of them is undisturbed.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.profiled_session import measure_operator_runs
from app.bench.multiply_adds import PEAK_RUNS, OperatorKind, find_operator_kind, measure_gmac_s
from app.bench.repeated_runs import Repeats
from app.common.errors import AppError
from app.common.progress import Report, build_part_report
from app.lab.synthetic_runs import InputSizes, count_operations
from app.voices.prepare import processor_probes
from app.voices.prepare.graph_facts import collect_graph_facts
from app.voices.prepare.graph_store import load_graph

WARMING_S, LONGEST_S = 1.7, 5.0  # of one graph, whatever is asked for: all of them share the time that a stranger's voice may take
MAX_TIMED_RUNS = 10_000  # the best of so many is the best of more; a graph of two operators runs 100,000 times in seconds
PEAK_TURNS = 5
MAX_PROFILED_RUNS = 10  # runs whose operators are timed
GraphFile = tuple[str, str, Path]  # form, name, file


def measure_graphs(graphs: Sequence[GraphFile], sizes: InputSizes, repeats: Repeats, report: Report) -> Iterator[dict[str, Any]]:
    """Measure the speed that this machine reaches, then the times of each graph."""
    report("checking", 0.0)
    yield {"kind": "peaks", "gmac_s": measure_peaks()}
    for index, (form, name, path) in enumerate(graphs):
        part_report = build_part_report(report, 0.1 + 0.9 * index / len(graphs), 0.1 + 0.9 * (index + 1) / len(graphs))
        result = {"kind": "times", "form": form, "graph": name}
        try:
            times = _measure_graph((form, name, path), sizes, repeats, part_report)
        except AppError as exc:
            yield result | {"failed": f"{exc.message} {exc.hint}".strip()}
            continue
        if times["frames"]:
            sizes = replace(sizes, frames=times["frames"])
        yield result | times


def measure_peaks() -> dict[OperatorKind, float]:
    """Return billions of multiply-adds a second by kind, in one simple convolution and product each; in turns, so that what disturbs disturbs all."""
    rng = np.random.default_rng(1)
    wave = rng.standard_normal((1, processor_probes.PROBE_CHANNELS, processor_probes.PROBE_LENGTH), dtype=np.float32)
    matrix = rng.standard_normal((processor_probes.PRODUCT_ROWS, processor_probes.PRODUCT_INNER), dtype=np.float32)
    simple: dict[OperatorKind, tuple[bytes, np.ndarray, int]] = {
        "convolution": (processor_probes.build_convolution_graph(int8=False), wave, processor_probes.CONVOLUTION_MULTIPLY_ADDS),
        "product": (processor_probes.build_product_graph(int8=False), matrix, processor_probes.PRODUCT_MULTIPLY_ADDS),
        "convolution_int8": (processor_probes.build_convolution_graph(int8=True), wave, processor_probes.CONVOLUTION_MULTIPLY_ADDS),
        "product_int8": (processor_probes.build_product_graph(int8=True), matrix, processor_probes.PRODUCT_MULTIPLY_ADDS),
    }
    turns = [{kind: measure_gmac_s(*graph, PEAK_RUNS // PEAK_TURNS) for kind, graph in simple.items()} for _ in range(PEAK_TURNS)]
    return {kind: max(turn[kind] for turn in turns) for kind in simple}


def _measure_graph(graph: GraphFile, sizes: InputSizes, repeats: Repeats, report: Report) -> dict[str, Any]:
    form, name, path = graph
    model = load_graph(path, with_external_weights=False)
    work = count_operations(model, collect_graph_facts(model), path.parent, sizes, form, name)
    report("checking", 0.4)
    measured = _measure_runs_ms(path, work.values, repeats)
    report("checking", 0.8)
    best_ms = min(measured)
    watched = max(1, min(MAX_PROFILED_RUNS, int(1000 * LONGEST_S / best_ms)))
    timed = measure_operator_runs(path, [work.values] * (1 + watched), is_optimised=True)[1:]
    operators: dict[str, list[Any]] = {}
    for node in min(timed, key=lambda nodes: sum(node.own_ms for node in nodes)):
        operators.setdefault(node.operator, [find_operator_kind(node.operator), 0.0])[1] += node.own_ms
    # Profiling every node takes time itself, so the operators' times are scaled to an unprofiled run.
    watched_ms = sum(ms for _, ms in operators.values())
    operators = {name: [kind, ms * best_ms / watched_ms] for name, (kind, ms) in operators.items()} if watched_ms else {}
    return {"macs": work.kinds, "frames": work.frames, "measured_ms": best_ms, "runs": len(measured), "operators": operators}


def _measure_runs_ms(path: Path, values: dict[str, np.ndarray], repeats: Repeats) -> list[float]:
    session = open_cpu_session(path, path.name)

    def run_once() -> float:
        began = time.perf_counter()
        session.run_graph(dict(values))
        return (time.perf_counter() - began) * 1000

    warming_ms = 0.0
    for _ in range(repeats.warmup):
        warming_ms += run_once()
        if warming_ms > 1000 * WARMING_S:
            break
    times_ms = [run_once()]
    took_ms = times_ms[0]
    while (
        took_ms < 1000 * LONGEST_S and len(times_ms) < MAX_TIMED_RUNS and (len(times_ms) < repeats.runs or took_ms < 1000 * repeats.seconds)
    ):
        times_ms.append(run_once())
        took_ms += times_ms[-1]
    return times_ms
