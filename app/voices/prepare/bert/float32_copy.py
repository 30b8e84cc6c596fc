"""A foreign graph as it is, but in float32 throughout: what the lean graph is compared with.

A float16 file rounds after every operator, even the buckets of far distances; ONNX Runtime's own detours around that differ from
version to version. With the same weights in float32 two right graphs agree to the last digits, so the comparison proves something.
One number has to be restored for that: the logarithm by which far distances are divided decides whole buckets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, TensorProto, numpy_helper

from app.voices.prepare.bert.onnx_graph import OnnxGraph
from app.voices.prepare.bert.stored_writer import LARGE_BYTES, DataFile

HALVES = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
FARTHEST = math.log((512 - 1) / 128)


def write_float32_copy(graph: OnnxGraph, path: Path) -> None:
    """Writes the graph, its weights beside it. The graph itself is used up: its weights go as they are written."""
    data = DataFile(path.with_suffix(".data"))
    try:
        for inner in _graphs(graph.model.graph):
            _widen(inner, data)
    finally:
        data.close()
    onnx.save(graph.model, str(path))


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graph and those inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from _graphs(attribute.g)


def _widen(graph: onnx.GraphProto, data: DataFile) -> None:
    del graph.value_info[:]
    for value in (*graph.input, *graph.output):
        if value.type.tensor_type.elem_type in HALVES:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if tensor.data_type in HALVES:
            array = _widened(array)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        if array.nbytes >= LARGE_BYTES:
            data.store(array, tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in HALVES:
                attribute.i = TensorProto.FLOAT
            elif attribute.type == AttributeProto.TENSOR and attribute.t.data_type in HALVES:
                attribute.t.CopyFrom(numpy_helper.from_array(_widened(numpy_helper.to_array(attribute.t))))


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    if array.size == 1 and float(array.reshape(())) == float(array.dtype.type(FARTHEST)):
        return np.full(array.shape, FARTHEST, np.float32)
    return array.astype(np.float32)
