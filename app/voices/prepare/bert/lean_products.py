"""The matrix products of the lean graph: exact, or with weights and content in int8."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import Float32
from app.voices.prepare.bert.external_graph_writer import ExternalGraphWriter

UINT8_ZERO_POINT = 128  # of a byte: the number that means 0
MICROSOFT_DOMAIN = "com.microsoft"
ABSENT_INPUT = ""  # an input that ONNX lets be left out


def add_product(graph: ExternalGraphWriter, block: int | None, name: str, rows: str, matrix: Float32, bias: Float32) -> str:
    """Add the product [n, inputs] · (inputs, outputs) + bias.

    Args:
        block: how many numbers of the matrix, and of the content, share a scale in int8: 16, 32, 64, 128 or 256. The fewer, the more faithful and
            the slower. None: float32.
    """
    if block is None:
        whole = graph.add_node("MatMul", rows, graph.add_weight(f"{name}.weight", matrix))
        return graph.add_node("Add", whole, graph.add_weight(f"{name}.bias", bias))
    values, scale = quantise_blocks(matrix, block)
    graph.add_domain(MICROSOFT_DOMAIN)
    return graph.add_node(
        "MatMulNBits",
        rows,
        graph.add_weight(f"{name}.weight", values, np.uint8),
        graph.add_weight(f"{name}.scale", scale),
        ABSENT_INPUT,
        ABSENT_INPUT,
        graph.add_weight(f"{name}.bias", bias),
        domain=MICROSOFT_DOMAIN,
        K=len(matrix),
        N=len(bias),
        bits=8,
        block_size=block,
        accuracy_level=4,  # the content is quantised to int8, too
    )


def quantise_blocks(matrix: Float32, block: int) -> tuple[Float32, Float32]:
    """Return bytes (outputs, blocks, block) and scales (outputs, blocks) of a matrix (inputs, outputs).

    The number of a block that is furthest out becomes −128, and with that is exact.
    """
    inputs, outputs = matrix.shape
    padded = np.zeros((outputs, -(-inputs // block) * block), np.float32)
    padded[:, :inputs] = matrix.T
    blocks = padded.reshape(outputs, -1, block)
    furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2, keepdims=True), axis=2)
    scale = np.where(np.abs(furthest) < np.finfo(np.float32).tiny, 1, furthest / -UINT8_ZERO_POINT).astype(np.float32)
    return np.clip(np.rint(blocks / scale) + UINT8_ZERO_POINT, 0, 255), scale[..., 0]
