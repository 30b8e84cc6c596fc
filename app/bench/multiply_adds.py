"""The time that the graphs would take if the processor did nothing but multiply and add: counted work over its measured peak.

It is counted with real inputs, which are recorded while a voice speaks. Here is also what this machine is.
"""

from __future__ import annotations

import math
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import psutil

from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.profiled_session import OperatorRun, measure_operator_runs
from app.compose.speaker import Speaker
from app.compose.speaker_opening import record_speaker
from app.core.synthesis_types import SynthesisRequest

PEAK_RUNS = 300
FLOAT_CONVOLUTIONS = ("Conv", "FusedConv", "ConvTranspose", "NhwcFusedConv")
INT8_CONVOLUTIONS = ("QLinearConv", "ConvInteger")
FLOAT_PRODUCTS = ("MatMul", "Gemm", "FusedMatMul", "FusedGemm")
INT8_PRODUCTS = ("MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QLinearMatMul", "QGemm", "MatMulNBits")
OperatorKind = Literal["convolution", "product", "convolution_int8", "product_int8"]
OPERATORS_BY_KIND: dict[OperatorKind, tuple[str, ...]] = {
    "convolution": FLOAT_CONVOLUTIONS,
    "product": FLOAT_PRODUCTS,
    "convolution_int8": INT8_CONVOLUTIONS,
    "product_int8": INT8_PRODUCTS,
}
STAGE_OF_GRAPH = {"decoder": "decode", "whole": "synthesis"}


@dataclass(frozen=True, slots=True)
class GraphWorkload:
    """Multiply-adds, of floats and of bytes."""

    floats: int = 0
    bytes: int = 0

    def __add__(self, workload: GraphWorkload) -> GraphWorkload:
        return GraphWorkload(self.floats + workload.floats, self.bytes + workload.bytes)

    @property
    def gmac(self) -> float:
        """Return billions of multiply-adds of either kind."""
        return (self.floats + self.bytes) / 1e9


@dataclass(frozen=True, slots=True)
class ProcessorPeak:
    """The processor's peak in one large product, with as many threads as a session has: thousands of millions of multiply-adds a second."""

    floats_gmac_s: float
    bytes_gmac_s: float

    def compute_expected_ms(self, work: GraphWorkload) -> float:
        """Return the least time that this work takes."""
        return work.floats / self.floats_gmac_s / 1e6 + work.bytes / self.bytes_gmac_s / 1e6


def measure_peak() -> ProcessorPeak:
    """Return the best of many runs: on a busy machine too, one of them is undisturbed."""
    # Onnx is slow to import.
    from app.voices.prepare.processor_probes import PRODUCT_INNER, PRODUCT_MULTIPLY_ADDS, PRODUCT_ROWS, build_product_graph

    values = np.random.default_rng(1).standard_normal((PRODUCT_ROWS, PRODUCT_INNER), dtype=np.float32)
    return ProcessorPeak(*(measure_gmac_s(build_product_graph(int8=int8), values, PRODUCT_MULTIPLY_ADDS) for int8 in (False, True)))


def measure_gmac_s(graph: bytes, values: np.ndarray, macs: int, runs: int = PEAK_RUNS) -> float:
    """Return billions of multiply-adds a second in the best of many runs of a graph that takes `x` and does `macs` a run."""
    session = open_cpu_session(graph, "peak")
    best_s = math.inf
    for _ in range(runs):
        began = time.perf_counter()
        session.run_graph({"x": values})
        best_s = min(best_s, time.perf_counter() - began)
    return macs / best_s / 1e9


@dataclass(frozen=True, slots=True)
class RecordedGraphRun:
    """One run of one graph: the name of what was spoken, and its inputs in the pipeline's dtype and rank; what it does not declare is missing."""

    request: str
    values: dict[str, np.ndarray]


def record_runs(speaker: Speaker, requests: Mapping[str, SynthesisRequest]) -> dict[str, list[RecordedGraphRun]]:
    """Speak each request with empty caches; return what every graph was given, by graph name and in order."""
    calls: dict[str, list[RecordedGraphRun]] = defaultdict(list)
    recorded, sessions = record_speaker(speaker)
    for name, request in requests.items():
        recorded.pipeline.caches.clear()
        for _chunk in recorded.pipeline.synthesize(request):
            pass
        for graph, session in sessions.items():
            calls[graph] += (RecordedGraphRun(name, run.values) for run in session.runs)
            session.runs.clear()
    return calls


def count_workloads(speaker: Speaker, requests: dict[str, SynthesisRequest]) -> dict[str, dict[str, GraphWorkload]]:
    """Return the work by request and stage. Every graph runs once more for each request, on the CPU and as written: slow, but nothing is guessed."""
    calls = record_runs(speaker, requests)
    workloads: dict[str, dict[str, GraphWorkload]] = {name: defaultdict(GraphWorkload) for name in requests}
    for graph, of_graph in calls.items():
        stage = STAGE_OF_GRAPH.get(graph, graph)
        if graph not in speaker.models:
            # Was in memory only, and is gone.
            continue
        for call, nodes in zip(of_graph, measure_operator_runs(speaker.models[graph], (call.values for call in of_graph)), strict=True):
            workloads[call.request][stage] = sum(map(count_multiply_adds, nodes), workloads[call.request][stage])
    return workloads


def find_operator_kind(operator: str) -> OperatorKind | None:
    """Return what an operator does that counts; None for all others."""
    return next((kind for kind, operators in OPERATORS_BY_KIND.items() if operator in operators), None)


def count_multiply_adds(node: OperatorRun) -> GraphWorkload:
    """Count the multiply-adds of products and convolutions, the only ones that matter, by shapes alone."""
    operator = node.operator
    if operator in FLOAT_CONVOLUTIONS:
        return GraphWorkload(floats=_count_convolution_macs(node, weight=1))
    if operator in INT8_CONVOLUTIONS:
        return GraphWorkload(bytes=_count_convolution_macs(node, weight=3 if operator == "QLinearConv" else 1))
    if operator in FLOAT_PRODUCTS:
        return GraphWorkload(floats=_count_product_macs(node))
    return GraphWorkload(bytes=_count_product_macs(node)) if operator in INT8_PRODUCTS else GraphWorkload()


def _count_convolution_macs(node: OperatorRun, weight: int) -> int:
    """Count the multiply-adds of a convolution: every number of its output, or of its input if transposed, meets a weight of each channel."""
    numbers = node.inputs[0] if node.operator == "ConvTranspose" else node.outputs[0]
    return math.prod(numbers) * math.prod(node.inputs[weight][1:])


def _count_product_macs(node: OperatorRun) -> int:
    """Count the multiply-adds of a product: the operands hold m·k and k·n numbers, the result m·n."""
    left, result = node.inputs[0], node.outputs[0]
    if node.operator in ("Gemm", "FusedGemm", "FusedMatMul") and len(left) >= 2:  # either may be transposed
        return math.prod(result) * (math.prod(left) // max(1, math.prod(result[:-1])))
    return math.prod(result) * left[-1]


def find_cpu_name() -> str:
    """Return the name of the CPU as the system reports it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def measure_peak_mb() -> float:
    """Return the largest resident memory of this process so far; touched pages of mapped files count."""
    if sys.platform == "win32":
        return psutil.Process().memory_info().peak_wset / 2**20
    peak = _read_high_water_mark()
    if peak is None:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return peak / 2**20


def _read_high_water_mark() -> int | None:
    """Return bytes if Linux reports them. `getrusage` would report the parent's too, which a child inherits."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(line[1]) * 1024 for line in lines), None)
