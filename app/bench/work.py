"""How long the graphs would take if the processor did nothing but multiply and add: counted work over its measured peak."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.adapters.ort.profile_events import OperatorRun
from app.adapters.ort.session import open_session
from app.adapters.ort.work import profiled_runs
from app.bench.recorded import recorded_calls
from app.compose.speaker import Speaker
from app.core.types import SynthesisRequest

PEAK_RUNS = 300
FLOAT_CONVOLUTIONS = ("Conv", "FusedConv", "ConvTranspose", "NhwcFusedConv")
INT8_CONVOLUTIONS = ("QLinearConv", "ConvInteger")
FLOAT_PRODUCTS = ("MatMul", "Gemm", "FusedMatMul", "FusedGemm")
INT8_PRODUCTS = ("MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QLinearMatMul", "QGemm", "MatMulNBits")
Kind = Literal["convolution", "product", "convolution_int8", "product_int8"]
KINDS: dict[Kind, tuple[str, ...]] = {
    "convolution": FLOAT_CONVOLUTIONS,
    "product": FLOAT_PRODUCTS,
    "convolution_int8": INT8_CONVOLUTIONS,
    "product_int8": INT8_PRODUCTS,
}
STAGE_OF_GRAPH = {"decoder": "decode", "whole": "synthesis"}


@dataclass(frozen=True, slots=True)
class Work:
    """Multiply-adds, of floats and of bytes."""

    floats: int = 0
    bytes: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(self.floats + other.floats, self.bytes + other.bytes)

    @property
    def gmac(self) -> float:
        """In thousands of millions, of either kind."""
        return (self.floats + self.bytes) / 1e9


@dataclass(frozen=True, slots=True)
class Peak:
    """What the processor reaches in one large product, with as many threads as a session has: thousands of millions of multiply-adds a second."""

    floats_gmac_s: float
    bytes_gmac_s: float

    def expected_ms(self, work: Work) -> float:
        """The least that this work takes."""
        return work.floats / self.floats_gmac_s / 1e6 + work.bytes / self.bytes_gmac_s / 1e6


def measured_peak() -> Peak:
    """The best of many runs: on a busy machine too, one of them is undisturbed."""
    from app.voices.prepare.product import INNER, MULTIPLY_ADDS, ROWS, product_graph  # onnx is slow to import

    values = np.random.default_rng(1).standard_normal((ROWS, INNER), dtype=np.float32)
    return Peak(*(reached_gmac_s(product_graph(int8=int8), values, MULTIPLY_ADDS) for int8 in (False, True)))


def reached_gmac_s(graph: bytes, values: np.ndarray, macs: int, runs: int = PEAK_RUNS) -> float:
    """Thousands of millions of multiply-adds a second in the best of many runs of a graph.

    Args:
        graph: takes `x`.
        macs: multiply-adds of one run.
    """
    session = open_session(graph, "cpu", "peak").session
    best_s = math.inf
    for _ in range(runs):
        began = time.perf_counter()
        session.run({"x": values})
        best_s = min(best_s, time.perf_counter() - began)
    return macs / best_s / 1e9


def work_of(speaker: Speaker, requests: dict[str, SynthesisRequest]) -> dict[str, dict[str, Work]]:
    """Work by request and stage. Every graph is run once more for each request, on the CPU and as it is written: slow, but nothing is guessed."""
    calls = recorded_calls(speaker, requests)
    found: dict[str, dict[str, Work]] = {name: defaultdict(Work) for name in requests}
    for graph, of_graph in calls.items():
        stage = STAGE_OF_GRAPH.get(graph, graph)
        if graph not in speaker.models:
            continue  # was in memory only, and is gone
        for call, nodes in zip(of_graph, profiled_runs(speaker.models[graph], (call.values for call in of_graph)), strict=True):
            found[call.request][stage] = sum(map(multiply_adds, nodes), found[call.request][stage])
    return found


def kind_of(operator: str) -> Kind | None:
    """What an operator does that counts; None for all others."""
    return next((kind for kind, operators in KINDS.items() if operator in operators), None)


def multiply_adds(node: OperatorRun) -> Work:
    """Of products and convolutions, which are all that counts; by shapes alone."""
    operator = node.operator
    if operator in FLOAT_CONVOLUTIONS:
        return Work(floats=_of_convolution(node, weight=1))
    if operator in INT8_CONVOLUTIONS:
        return Work(bytes=_of_convolution(node, weight=3 if operator == "QLinearConv" else 1))
    if operator in FLOAT_PRODUCTS:
        return Work(floats=_of_product(node))
    return Work(bytes=_of_product(node)) if operator in INT8_PRODUCTS else Work()


def _of_convolution(node: OperatorRun, weight: int) -> int:
    """Every number that comes out, or with a transposed one goes in, meets a weight of each channel it is made of."""
    numbers = node.inputs[0] if node.operator == "ConvTranspose" else node.outputs[0]
    return math.prod(numbers) * math.prod(node.inputs[weight][1:])


def _of_product(node: OperatorRun) -> int:
    """Every number that comes out is a sum over what the two have in common: they hold m·k and k·n, the result m·n."""
    left, result = node.inputs[0], node.outputs[0]
    if node.operator in ("Gemm", "FusedGemm", "FusedMatMul") and len(left) >= 2:  # either may be transposed
        return math.prod(result) * (math.prod(left) // max(1, math.prod(result[:-1])))
    return math.prod(result) * left[-1]
