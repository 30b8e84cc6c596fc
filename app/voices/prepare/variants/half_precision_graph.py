"""A graph in half precision whose inputs and outputs stay as they are."""

from __future__ import annotations

import onnx
from onnx import numpy_helper

from app.voices.prepare.device.half_precision import SINGLE_PRECISION_OPS, convert_array_to_half, convert_to_half
from app.voices.prepare.graph_walk import UnknownGraphError

OPS_WITHOUT_HALF_KERNEL = {"ScatterElements"}
"""What the CPU does not compute in half precision, as far as graphs of voices have it: ScatterElements that adds."""


def convert_graph_to_half(model: onnx.ModelProto) -> None:
    """Convert a model and its weights to half precision in place; raise UnknownGraphError if graphs lie inside its nodes, whose tensors are not visited."""
    inner = {node.op_type for node in model.graph.node if any(item.type == onnx.AttributeProto.GRAPH for item in node.attribute)}
    if inner:
        raise UnknownGraphError(", ".join(sorted(inner)))
    small = convert_to_half(model, SINGLE_PRECISION_OPS | OPS_WITHOUT_HALF_KERNEL)
    for item in model.graph.initializer:
        if item.name in small:
            item.CopyFrom(numpy_helper.from_array(convert_array_to_half(numpy_helper.to_array(item)), item.name))
