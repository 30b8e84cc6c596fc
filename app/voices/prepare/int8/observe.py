"""Shows what the tensors of a decoder hold: a copy of the graph that gives the least and the greatest number of each."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

Range = tuple[float, float]
"""Least and greatest number."""


def quantisable(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Convolutions that 8 bits are enough for: all but the first, and the last one that makes the samples.

    Those two are a hundredth of the work and half of the error. What a speaker adds is no convolution here any more, or one of a single step.
    """
    weights = {item.name: item.dims for item in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "Conv" and node.input[1] in weights]
    return [node for node in convolutions[1:-1] if weights[node.input[1]][-1] > 1]


def observed(graph: onnx.GraphProto) -> list[str]:
    """Tensors whose range has to be known."""
    return list(dict.fromkeys(name for node in quantisable(graph) for name in (node.input[0], node.output[0])))


def watch(decoder: onnx.ModelProto) -> None:
    """Replaces the output of a decoder by two vectors, `least` and `greatest`: of each tensor of `observed`, in order."""
    graph = decoder.graph
    names = observed(graph)
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
