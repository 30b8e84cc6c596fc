"""A smaller BERT whose features are projected to the width of a larger one."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.core.synthesis_types import Float32

PROJECTION_MATRIX, PROJECTION_BIAS = "projection.weight", "projection.bias"


def add_projection(model: onnx.ModelProto, matrix: Float32, bias: Float32) -> None:
    """Add a projection to a lean BERT in place: output (n, hidden) · matrix (hidden, width) + bias (width,)."""
    graph = model.graph
    last = next(node for node in graph.node if graph.output[0].name in node.output)
    graph.node.remove(last)
    for name, values in ((PROJECTION_MATRIX, matrix), (PROJECTION_BIAS, bias)):
        graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
    graph.node.append(helper.make_node("MatMul", [last.input[0], PROJECTION_MATRIX], ["projected"], name="projection/MatMul"))
    graph.node.append(helper.make_node("Add", ["projected", PROJECTION_BIAS], [graph.output[0].name], name="projection/Add"))
    graph.output[0].type.tensor_type.shape.dim[-1].dim_value = matrix.shape[1]
