"""The matrix products of the lean graph: exact, or with weights and content in int8."""

from __future__ import annotations

from typing import Literal

import numpy as np

from app.core.types import Float32
from app.voices.prepare.bert.stored_writer import StoredWriter

Arithmetic = Literal["float32", "pairs", "blocks"]
"""How the products are computed.

pairs: the matrix in int8 with a scale for each column; each number of the content as two of them, a coarse one and a fine one for what
    the first leaves over. So numbers that stand out in the content cost the others nothing: only the matrix is rounded.
blocks: a scale for every 32 numbers of the matrix and of the content, for matrices with numbers that stand out. Slower from twenty tokens on.
"""
LARGEST_INT8 = 127
FINE_STEPS = 2 * LARGEST_INT8  # in a coarse step: what rounding leaves over is at most half a coarse step, to either side
MIDDLE = 128  # of a byte: the number that means 0
BLOCK = 32
MICROSOFT = "com.microsoft"


def add_product(graph: StoredWriter, arithmetic: Arithmetic, name: str, rows: str, matrix: Float32, bias: Float32) -> str:
    """[n, inputs] · (inputs, outputs) + bias."""
    if arithmetic == "float32":
        whole = graph.op("MatMul", rows, graph.weight(f"{name}.weight", matrix))
    elif arithmetic == "pairs":
        whole = _by_pairs(graph, name, rows, matrix)
    else:
        whole = _by_blocks(graph, name, rows, matrix)
    return graph.op("Add", whole, graph.weight(f"{name}.bias", bias))


def _by_pairs(graph: StoredWriter, name: str, rows: str, matrix: Float32) -> str:
    """Coarse and fine rows pass the matrix together, so that it is read from memory once."""
    tiny = np.finfo(np.float32).tiny
    scale = np.maximum(np.abs(matrix).max(axis=0), tiny) / LARGEST_INT8
    weight = graph.weight(f"{name}.weight", np.rint(matrix / scale), np.int8)
    largest = graph.op("Max", graph.op("ReduceMax", graph.op("Abs", rows), keepdims=0), graph.constant(tiny * LARGEST_INT8))
    step = graph.op("Mul", largest, graph.constant(1 / LARGEST_INT8))
    steps = graph.op("Div", rows, step)
    coarse = graph.op("Round", steps)
    fine = graph.op("Round", graph.op("Mul", graph.op("Sub", steps, coarse), graph.constant(FINE_STEPS)))
    both = graph.op("Cast", graph.op("Add", graph.op("Concat", coarse, fine, axis=0), graph.constant(MIDDLE)), to=2)
    product = graph.op("Cast", graph.op("MatMulInteger", both, weight, graph.constant(MIDDLE, np.uint8)), to=1)
    by_coarse, by_fine = graph.ops("Split", 2, product, axis=0)
    whole = graph.op("Add", by_coarse, graph.op("Mul", by_fine, graph.constant(1 / FINE_STEPS)))
    return graph.op("Mul", whole, graph.op("Mul", step, graph.weight(f"{name}.scale", scale)))


def _by_blocks(graph: StoredWriter, name: str, rows: str, matrix: Float32) -> str:
    """ONNX Runtime's own operator; bytes are stored 128 above their value, the number that is furthest out is −128 and exact."""
    inputs, outputs = matrix.shape
    blocks = np.zeros((outputs, -(-inputs // BLOCK) * BLOCK), np.float32)
    blocks[:, :inputs] = matrix.T
    blocks = blocks.reshape(outputs, -1, BLOCK)
    furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2, keepdims=True), axis=2)
    scale = np.where(np.abs(furthest) < np.finfo(np.float32).tiny, 1, furthest / -128).astype(np.float32)
    values = np.clip(np.rint(blocks / scale) + 128, 0, 255)
    graph.use(MICROSOFT)
    return graph.op(
        "MatMulNBits",
        rows,
        graph.weight(f"{name}.weight", values, np.uint8),
        graph.weight(f"{name}.scale", scale[..., 0]),
        domain=MICROSOFT,
        K=inputs,
        N=outputs,
        bits=8,
        block_size=BLOCK,
        accuracy_level=4,  # the content is quantised to int8, too
    )
