"""A foreign graph as it is, but in float32 throughout: what the lean graph is compared with.

A float16 file rounds after every operator, even the buckets of far distances; ONNX Runtime's own detours around that differ from
version to version. With the same weights in float32 two right graphs agree to the last digits, so the comparison proves something.
One number has to be restored for that: the logarithm by which far distances are divided decides whole buckets.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from app.voices.prepare.bert.external_graph_writer import EXTERNAL_WEIGHT_BYTES, ExternalDataFile
from app.voices.prepare.bert.onnx_index import OnnxGraphIndex

HALF_PRECISION_TYPES = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
# What the name of a stored float16 weight is followed by where it is read in float32.
WIDENED_SUFFIX = "/widened"
MAX_DISTANCE_LOG = math.log((512 - 1) / 128)


def write_float32_copy(graph: OnnxGraphIndex, path: Path) -> None:
    """Write the graph with its weights beside it. The graph in memory is used up: its weights are freed as they are written."""
    _remove_casts(graph.model.graph)
    _write_widened(graph.model, path, frozenset())


def write_compact_copy(graph: OnnxGraphIndex, path: Path) -> None:
    """Write what `write_float32_copy` does in half the space: large float16 weights stay as they are, each behind a cast.

    That function makes of this copy exactly what it makes of the original.
    """
    top = graph.model.graph
    results = {item.name for item in top.output}
    kept = frozenset(
        tensor.name
        for tensor in top.initializer
        if tensor.data_type == TensorProto.FLOAT16 and 2 * math.prod(tensor.dims) >= EXTERNAL_WEIGHT_BYTES and tensor.name not in results
    )
    _rename_inputs(top, {name: name + WIDENED_SUFFIX for name in kept})
    casts = [helper.make_node("Cast", [name], [name + WIDENED_SUFFIX], to=TensorProto.FLOAT) for name in sorted(kept)]
    nodes = list(top.node)
    del top.node[:]
    top.node.extend([*casts, *nodes])
    _write_widened(graph.model, path, kept)


def _remove_casts(graph: onnx.GraphProto) -> None:
    """Remove the casts of `write_compact_copy`."""
    weights = {tensor.name for tensor in graph.initializer}
    nodes, casts = [], {}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in weights and node.output[0] == node.input[0] + WIDENED_SUFFIX:
            casts[node.output[0]] = node.input[0]
        else:
            nodes.append(node)
    if casts:
        del graph.node[:]
        graph.node.extend(nodes)
        _rename_inputs(graph, casts)


def _rename_inputs(graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
    for inner in _iterate_graphs(graph):
        for node in inner.node:
            for index, name in enumerate(node.input):
                if name in names:
                    node.input[index] = names[name]


def _write_widened(model: onnx.ModelProto, path: Path, kept: Collection[str]) -> None:
    """Write the model in float32, but for the weights of these names."""
    data = ExternalDataFile(path.with_suffix(".data"))
    try:
        for depth, inner in enumerate(_iterate_graphs(model.graph)):
            _widen_graph(inner, data, () if depth else kept)
    finally:
        data.close()
    onnx.save(model, str(path))


def _iterate_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Yield the graph and those inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from _iterate_graphs(attribute.g)


def _widen_graph(graph: onnx.GraphProto, data: ExternalDataFile, kept: Collection[str]) -> None:
    del graph.value_info[:]
    for value in (*graph.input, *graph.output):
        if value.type.tensor_type.elem_type in HALF_PRECISION_TYPES:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if tensor.data_type in HALF_PRECISION_TYPES and tensor.name not in kept:
            array = _widen_array(array)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        if array.nbytes >= EXTERNAL_WEIGHT_BYTES:
            data.store_array(array, tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in HALF_PRECISION_TYPES:
                attribute.i = TensorProto.FLOAT
            elif attribute.type == AttributeProto.TENSOR and attribute.t.data_type in HALF_PRECISION_TYPES:
                attribute.t.CopyFrom(numpy_helper.from_array(_widen_array(numpy_helper.to_array(attribute.t))))


def _widen_array(array: NDArray[Any]) -> NDArray[Any]:
    if array.size == 1 and float(array.reshape(())) == float(array.dtype.type(MAX_DISTANCE_LOG)):
        return np.full(array.shape, MAX_DISTANCE_LOG, np.float32)
    return array.astype(np.float32)
