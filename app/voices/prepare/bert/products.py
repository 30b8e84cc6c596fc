"""The matrix products of the lean graph: exact, or with weights and content in int8."""

from __future__ import annotations

import numpy as np

from app.core.types import Float32
from app.voices.prepare.bert.stored_writer import StoredWriter

MIDDLE = 128  # of a byte: the number that means 0
MICROSOFT = "com.microsoft"
ABSENT = ""  # an input that ONNX lets be left out


def add_product(graph: StoredWriter, block: int | None, name: str, rows: str, matrix: Float32, bias: Float32) -> str:
    """[n, inputs] · (inputs, outputs) + bias.

    Args:
        block: how many numbers of the matrix, and of the content, share a scale in int8: 16, 32, 64, 128 or 256. The fewer, the more faithful and
            the slower. None: float32.
    """
    if block is None:
        whole = graph.op("MatMul", rows, graph.weight(f"{name}.weight", matrix))
        return graph.op("Add", whole, graph.weight(f"{name}.bias", bias))
    values, scale = in_blocks(matrix, block)
    graph.use(MICROSOFT)
    return graph.op(
        "MatMulNBits",
        rows,
        graph.weight(f"{name}.weight", values, np.uint8),
        graph.weight(f"{name}.scale", scale),
        ABSENT,
        ABSENT,
        graph.weight(f"{name}.bias", bias),
        domain=MICROSOFT,
        K=len(matrix),
        N=len(bias),
        bits=8,
        block_size=block,
        accuracy_level=4,  # the content is quantised to int8, too
    )


def in_blocks(matrix: Float32, block: int) -> tuple[Float32, Float32]:
    """Bytes (outputs, blocks, block) and scales (outputs, blocks) of a matrix (inputs, outputs).

    The number of a block that is furthest out becomes −128, and with that is exact.
    """
    inputs, outputs = matrix.shape
    padded = np.zeros((outputs, -(-inputs // block) * block), np.float32)
    padded[:, :inputs] = matrix.T
    blocks = padded.reshape(outputs, -1, block)
    furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2, keepdims=True), axis=2)
    scale = np.where(np.abs(furthest) < np.finfo(np.float32).tiny, 1, furthest / -MIDDLE).astype(np.float32)
    return np.clip(np.rint(blocks / scale) + MIDDLE, 0, 255), scale[..., 0]
