"""Shows what the tensors of a graph hold: a copy of it that gives the least and the greatest number of each."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

ValueRange = tuple[float, float]
"""Least and greatest number."""


def find_quantisable_convolutions(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the convolutions that 8 bits are enough for.

    Not those of one step, which are no work, or of a channel each, which gain nothing. In a decoder neither the first nor the last one, which
    makes the samples: they are a hundredth of the work and half of the error.
    """
    weights = {item.name: item.dims for item in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "Conv" and node.input[1] in weights]
    if any(item.name == "audio" for item in graph.output):
        convolutions = convolutions[1:-1]
    return [node for node in convolutions if weights[node.input[1]][-1] > 1 and weights[node.input[1]][1] > 1]


def list_observed_tensors(graph: onnx.GraphProto) -> list[str]:
    """Return the tensors whose range has to be known."""
    chosen, inside = find_quantisable_convolutions(graph), map_fused_relus(graph)
    return list(dict.fromkeys(name for node in chosen for name in (node.input[0], inside.get(node.output[0], node.output[0]))))


def map_fused_relus(graph: onnx.GraphProto) -> dict[str, str]:
    """Return the ReLU's result by the result of the convolution that only this ReLU reads: the range of such an integer convolution can begin at 0."""
    readers = map_consumers(graph)
    found = {}
    for node in find_quantisable_convolutions(graph):
        first = readers.get(node.output[0], [])
        if len(first) == 1 and first[0].op_type == "Relu":
            found[node.output[0]] = first[0].output[0]
    return found


def map_consumers(graph: onnx.GraphProto) -> dict[str, list[onnx.NodeProto]]:
    """Return the nodes that read each tensor."""
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    return readers


def expose_value_ranges(model: onnx.ModelProto) -> None:
    """Replace the outputs of a graph by two vectors, `least` and `greatest`, with one value for each tensor of `list_observed_tensors`, in order."""
    graph = model.graph
    names = list_observed_tensors(graph)
    del graph.output[:]
    for op, result in (("ReduceMin", "least"), ("ReduceMax", "greatest")):
        scalars = [f"{result}/{index}" for index in range(len(names))]
        for name, scalar in zip(names, scalars, strict=True):
            graph.node.append(helper.make_node(op, [name], [scalar], name=scalar, keepdims=0))
        stacked = [f"{item}/row" for item in scalars]
        for scalar, row in zip(scalars, stacked, strict=True):
            graph.node.append(helper.make_node("Reshape", [scalar, "one"], [row], name=row))
        graph.node.append(helper.make_node("Concat", stacked, [result], name=result, axis=0))
        graph.output.append(helper.make_tensor_value_info(result, TensorProto.FLOAT, [len(names)]))
    graph.initializer.append(helper.make_tensor("one", TensorProto.INT64, [1], [1]))
