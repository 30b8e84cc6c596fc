"""Shapes of all tensors of a graph for one length: an axis is the time axis where it has that length."""

from __future__ import annotations

import onnx

ProbedShape = tuple[int, ...]
"""Sizes; -1 where ONNX does not know one."""
PROBE_SIZE = 997  # a prime that no other axis has


def infer_probed_shapes(model: onnx.ModelProto, free: str) -> dict[str, ProbedShape]:
    """Return the shapes by name, with PROBE for the free size.

    Args:
        model: its weights may lie elsewhere.
        free: what the free size is called in the shapes of inputs.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph = copy.graph
    del graph.value_info[:]
    for item in graph.input:
        for dim in item.type.tensor_type.shape.dim:
            if dim.dim_param == free:
                dim.dim_value = PROBE_SIZE
    for item in graph.output:
        item.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(copy, data_prop=True).graph
    found = {item.name: _read_shape(item) for item in (*inferred.input, *inferred.value_info, *inferred.output)}
    return found | {item.name: tuple(item.dims) for item in graph.initializer}


def _read_shape(item: onnx.ValueInfoProto) -> ProbedShape:
    return tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in item.type.tensor_type.shape.dim)
