"""A foreign ONNX graph as something to ask (what is constant, who makes a value, who uses it), and a copy in float32 throughout to compare the lean one with.

A float16 file rounds after every operator, even the buckets of far distances; ONNX Runtime's own detours around that differ from version to version. With the same weights in
float32 two right graphs agree to the last digits, so the comparison proves something. One number has to be restored for that: the logarithm by which far distances are divided
decides whole buckets.
"""

import math
import mmap
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, TensorProto, external_data_helper, helper, numpy_helper

from app.common.files.whole_files import open_regular_file
from app.voices.prepare.bert.deberta_weights import build_not_deberta_error
from app.voices.prepare.graph_walk import iterate_graphs, rename_inputs, replace_items
from app.voices.prepare.graph_writer import EXTERNAL_WEIGHT_BYTES, ExternalDataFile

VALUE_PRESERVING_OPS = ("Cast", "Identity")
RESHAPING_OPS = (*VALUE_PRESERVING_OPS, "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Flatten", "Tile", "Expand", "Div", "Mul", "Slice")
"""Operators whose result is their first input in another shape, order or scale."""

HALF_PRECISION_TYPES = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
WIDENED_SUFFIX = "/widened"  # what the name of a stored float16 weight is followed by where it is read in float32
MAX_DISTANCE_LOG = math.log((512 - 1) / 128)


class OnnxGraphIndex:
    """An index over one graph, that of `model`."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        self._constants = {item.name: item for item in model.graph.initializer}
        self._makers: dict[str, onnx.NodeProto] = {}
        self._users: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in model.graph.node:
            if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
                self._constants[node.output[0]] = node.attribute[0].t
                continue
            for name in node.output:
                self._makers[name] = node
            for name in node.input:
                self._users[name].append(node)

    def list_constant_names(self) -> list[str]:
        return list(self._constants)

    def find_producer(self, name: str) -> onnx.NodeProto | None:
        """Return the node that makes a value, or None."""
        return self._makers.get(name)

    def iterate_consumers(self, name: str) -> Iterator[onnx.NodeProto]:
        """Yield the nodes that read a value, directly or through casts and the like."""
        for node in self._users[name]:
            if node.op_type in VALUE_PRESERVING_OPS:
                yield from self.iterate_consumers(node.output[0])
            else:
                yield node

    def find_constant(self, name: str) -> NDArray[Any] | None:
        """Return the array that a name stands for, reordered as the nodes on the way reorder it; None if it is computed."""
        if name in self._constants:
            return numpy_helper.to_array(self._constants[name])
        node = self._makers.get(name)
        if node is None or node.op_type not in (*VALUE_PRESERVING_OPS, "Transpose", "Unsqueeze"):
            return None
        array = self.find_constant(node.input[0])
        if array is None or node.op_type in VALUE_PRESERVING_OPS:
            return array
        if node.op_type == "Unsqueeze":
            return array.reshape(-1) if array.ndim == 0 else None
        return array.transpose(read_attributes(node).get("perm"))

    def trace_origin(self, name: str) -> str:
        """Return the origin of a value's numbers: back through every node that only changes shape or order."""
        node = self._makers.get(name)
        # A stranger's graph may be circular, and then a value has no origin.
        seen: set[str] = set()
        while node is not None and node.op_type in RESHAPING_OPS and name not in self._constants and name not in seen:
            seen.add(name)
            name = node.input[0]
            node = self._makers.get(name)
        return name

    def collect_ancestors(self, name: str) -> set[str]:
        """Return every value that `name` depends on, with `name` itself."""
        found, waiting = {name}, [name]
        while waiting:
            node = self._makers.get(waiting.pop())
            for item in node.input if node else ():
                if item not in found:
                    found.add(item)
                    waiting.append(item)
        return found


def read_attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}


def open_onnx_index(path: Path) -> OnnxGraphIndex:
    """Read a model with its external data, the file mapped, so that its bytes are not in memory twice; raise VoiceError if it is none."""
    try:
        with open_regular_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            model = onnx.ModelProto()
            model.ParseFromString(memoryview(mapped))
        external_data_helper.load_external_data_for_model(model, str(path.parent))
    except Exception as exc:
        # Protobuf's errors have no common base with those of files.
        raise build_not_deberta_error(f"{path.name}: {type(exc).__name__}") from exc
    if not model.graph.node:
        raise build_not_deberta_error(path.name)
    return OnnxGraphIndex(model)


def write_float32_copy(graph: OnnxGraphIndex, path: Path) -> None:
    """Write the graph, and its weights next to it. The graph in memory is used up: its weights are freed as they are written."""
    _remove_casts(graph.model.graph)
    _write_widened(graph.model, path, frozenset())


def write_compact_copy(graph: OnnxGraphIndex, path: Path) -> None:
    """Write what `write_float32_copy` makes of it, as it does of the original, in half the space: large float16 weights stay as they are, each behind a cast."""
    top = graph.model.graph
    results = {item.name for item in top.output}
    kept = frozenset(
        tensor.name
        for tensor in top.initializer
        if tensor.data_type == TensorProto.FLOAT16 and 2 * math.prod(tensor.dims) >= EXTERNAL_WEIGHT_BYTES and tensor.name not in results
    )
    _rename_inputs(top, {name: name + WIDENED_SUFFIX for name in kept})
    casts = [helper.make_node("Cast", [name], [name + WIDENED_SUFFIX], to=TensorProto.FLOAT) for name in sorted(kept)]
    replace_items(top.node, [*casts, *top.node])
    _write_widened(graph.model, path, kept)


def _remove_casts(graph: onnx.GraphProto) -> None:
    weights = {tensor.name for tensor in graph.initializer}
    nodes, casts = [], {}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in weights and node.output[0] == node.input[0] + WIDENED_SUFFIX:
            casts[node.output[0]] = node.input[0]
        else:
            nodes.append(node)
    replace_items(graph.node, nodes)
    _rename_inputs(graph, casts)


def _rename_inputs(graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
    for inner in iterate_graphs(graph):
        rename_inputs(inner.node, names)


def _write_widened(model: onnx.ModelProto, path: Path, kept: Collection[str]) -> None:
    data = ExternalDataFile(path.with_suffix(".data"))
    try:
        for depth, inner in enumerate(iterate_graphs(model.graph)):
            _widen_graph(inner, data, () if depth else kept)
    finally:
        data.close()
    onnx.save(model, str(path))


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
