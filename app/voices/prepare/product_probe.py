"""A graph that is nothing but one matrix product, to see what a processor can do."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

# Short enough for one of many runs to be undisturbed on a busy machine.
PRODUCT_ROWS = PRODUCT_INNER = PRODUCT_COLUMNS = 512
PRODUCT_MULTIPLY_ADDS = PRODUCT_ROWS * PRODUCT_INNER * PRODUCT_COLUMNS


def build_product_graph(*, int8: bool) -> bytes:
    """Build a graph from `x` float32 (ROWS, INNER) to `y` float32 (ROWS, COLUMNS); with `int8` it rounds on the way, as a lean BERT does."""
    rng = np.random.default_rng(0)
    if int8:
        weight = rng.integers(-127, 128, (PRODUCT_INNER, PRODUCT_COLUMNS), np.int8)
        nodes = [
            helper.make_node("DynamicQuantizeLinear", ["x"], ["bytes", "scale", "zero"]),
            helper.make_node("MatMulInteger", ["bytes", "weight", "zero"], ["sums"]),
            helper.make_node("Cast", ["sums"], ["floats"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["floats", "scale"], ["y"]),
        ]
    else:
        weight = rng.standard_normal((PRODUCT_INNER, PRODUCT_COLUMNS), dtype=np.float32)
        nodes = [helper.make_node("MatMul", ["x", "weight"], ["y"])]
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (PRODUCT_ROWS, PRODUCT_INNER))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (PRODUCT_ROWS, PRODUCT_COLUMNS))],
        [numpy_helper.from_array(weight, "weight")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())
