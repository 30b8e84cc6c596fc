"""Products of a BERT in int8 that are faster than float32 without VNNI, where those in blocks are not, and that every processor computes alike.

Unsigned content meets a signed matrix in MatMulInteger. Processors with AVX2 and without VNNI add two neighbouring products in 16 bits, so
two neighbours of one sign in a column are at most 128 together: nothing is ever cut off, on any processor.

A matrix has one scale a column, and content one a token. Two things make up for scales so coarse:

* What most of the content is made of is multiplied in float32: its main directions, found by the content of typical texts. Only what is left
  is rounded, and as it is smaller, so are the errors.
* The numbers of a column are rounded one after the other, and each error is compensated by those that are still to come, so far as typical
  content goes along with both (Frantar et al. 2023, “GPTQ”).
"""

import numpy as np
from numpy.typing import NDArray

from app.core.synthesis_types import Float32
from app.voices.prepare.graph_writer import ExternalGraphWriter

# Of a matrix: the largest have 128 directions, which cost a fifth of its multiplications. A quarter as many leave a third more error.
NUMBERS_PER_DIRECTION = 1 << 15
DIRECTION_PASSES = 4
MAX_BYTE = 255  # of content
ZERO_BYTES = (64, 191)  # the least and the greatest byte that may mean 0
MAX_WEIGHT, MAX_PAIR = 127, 128  # 255 · 128 fits in 16 bits
COMPENSATED_INPUTS = 1024  # inputs whose errors compensate each other; the time grows with the square
UPDATED_INPUTS = 128  # inputs that are compensated at once; the others follow in one product
DAMPING = 0.1  # of the mean power of an input, added to each: few texts say little of what is rare


def add_column_product(graph: ExternalGraphWriter, name: str, rows: str, matrix: Float32, bias: Float32, content: Float32) -> str:
    """Add the product [n, inputs] · (inputs, outputs) + bias with one scale for each column and each token.

    Args:
        content: typical rows (tokens, inputs), such as `rows` is going to hold.
    """
    count = min(matrix.size // NUMBERS_PER_DIRECTION, len(content))
    if count:
        directions = find_main_directions(content, count)
        stored = graph.add_weight(f"{name}.directions", directions)
        shares = graph.add_node("MatMul", rows, stored)
        rows = graph.add_node("Gemm", shares, stored, rows, alpha=-1.0, transB=1)
        exact = graph.add_node(
            "Gemm", shares, graph.add_weight(f"{name}.main", directions.T @ matrix), graph.add_weight(f"{name}.bias", bias)
        )
        content = np.asarray(content - content @ directions @ directions.T, np.float32)
    else:
        exact = graph.add_weight(f"{name}.bias", bias)
    values, scale = quantise_columns(matrix, content)
    zero_byte = find_zero_byte(content)
    above = graph.add_node("Mul", graph.add_node("ReduceMax", rows, axes=[1], keepdims=1), graph.add_constant(1 / (MAX_BYTE - zero_byte)))
    below = graph.add_node("Mul", graph.add_node("ReduceMin", rows, axes=[1], keepdims=1), graph.add_constant(-1 / zero_byte))
    tiny = graph.add_constant(np.finfo(np.float32).tiny)  # a row of zeros stays one
    step = graph.add_node("Max", above, below, tiny)
    zero = graph.add_constant(zero_byte, np.uint8)
    content_bytes = graph.add_node("QuantizeLinear", graph.add_node("Div", rows, step), graph.add_constant(1.0), zero)
    whole = graph.add_node("MatMulInteger", content_bytes, graph.add_weight(f"{name}.weight", values, np.int8), zero)
    by_column = graph.add_node("Mul", graph.add_node("Cast", whole, to=1), graph.add_weight(f"{name}.scale", scale))
    return graph.add_node("Add", graph.add_node("Mul", by_column, step), exact)


def find_main_directions(content: Float32, count: int) -> Float32:
    """Return the directions that hold most of the power of content (tokens, inputs), as orthogonal columns (inputs, count)."""
    shares = np.random.default_rng(0).standard_normal((len(content), count), dtype=np.float32)
    for _ in range(DIRECTION_PASSES):  # each turns them further towards the main ones
        directions = np.linalg.qr(content.T @ shares)[0]
        shares = content @ directions
    return np.asarray(directions, np.float32)


def find_zero_byte(content: Float32) -> int:
    """Return the byte that means 0 in rows like these (tokens, inputs), which may reach further on one side of it, as behind a GELU."""
    below, above = -content.min(axis=1).clip(max=0), content.max(axis=1).clip(min=0)
    return round(float(np.clip(MAX_BYTE * np.mean(below / np.maximum(below + above, np.finfo(np.float32).tiny)), *ZERO_BYTES)))


def quantise_columns(matrix: Float32, content: Float32) -> tuple[NDArray[np.int8], Float32]:
    """Return whole numbers (inputs, outputs) and the scales (outputs,) of a matrix; typical content (tokens, inputs) says what its errors cost."""
    scale = _find_column_scales(matrix)
    values = np.empty(matrix.shape, np.int8)
    for start in range(0, len(matrix), COMPENSATED_INPUTS):
        part = slice(start, start + COMPENSATED_INPUTS)
        values[part] = _round_with_compensation(matrix[part] / scale, content[:, part])
    return values, scale


def _find_column_scales(matrix: Float32) -> Float32:
    """Return the smallest scales with which no number of a column and no two neighbours of one sign are too large."""
    even, odd = matrix[0::2], np.zeros_like(matrix[0::2])
    odd[: len(matrix) // 2] = matrix[1::2]
    pairs = np.where(even * odd > 0, np.abs(even + odd), 0).max(axis=0)
    scale = np.maximum(np.abs(matrix).max(axis=0) / MAX_WEIGHT, pairs / MAX_PAIR)
    return np.where(scale < np.finfo(np.float32).tiny, 1, scale).astype(np.float32)


def _round_with_compensation(scaled: Float32, content: Float32) -> Float32:
    """Return the whole numbers (inputs, outputs) for a matrix in units of its scales; a pair of neighbours never exceeds what fits."""
    factor = _compute_inverse_factor(content)
    left, values = scaled.copy(), np.empty_like(scaled)
    for start in range(0, len(scaled), UPDATED_INPUTS):
        end = min(start + UPDATED_INPUTS, len(scaled))
        errors = np.empty_like(left[start:end])
        for row in range(start, end):
            whole = np.clip(np.rint(left[row]), -MAX_WEIGHT, MAX_WEIGHT)
            if row % 2:
                whole = np.clip(whole, -MAX_PAIR - values[row - 1], MAX_PAIR - values[row - 1])
            values[row] = whole
            errors[row - start] = (left[row] - whole) / factor[row, row]
            left[row + 1 : end] -= np.outer(factor[row, row + 1 : end], errors[row - start])
        left[end:] -= factor[start:end, end:].T @ errors
    return values


def _compute_inverse_factor(content: Float32) -> Float32:
    """Return the upper Cholesky factor of the inverse of the content's second moments, damped: (inputs, inputs)."""
    moments = content.T @ content / np.float32(len(content))
    moments[np.diag_indices_from(moments)] += max(DAMPING * float(np.trace(moments)) / len(moments), float(np.finfo(np.float32).tiny))
    return np.asarray(np.linalg.cholesky(np.linalg.inv(moments.astype(np.float64))).T, np.float32)
