"""Writes the device forms of a prepared graph: what CPU and device compute is the same, what they are best at is not.

A folder holds `graph.onnx`, for inputs that end before they should, and for a decoder `full.onnx`, for windows that are full; the weights
they share, and `form.json`, which says how inputs are padded and outputs cut.

A graph may be given more than there is: what follows the end is zero wherever the end is crossed. One made for one text at a time sees
zeros behind its end, which convolutions put there. Where the input is longer than the text, biases soon fill what follows with numbers; so each
convolution, and each padding along time, is given its input times a mask, and no attention is paid to what is masked. All other operators work
position by position. What comes out behind the end means nothing.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.decoder_context import FIRST_FRAME_INPUT, LAST_FRAME_INPUT
from app.voices.prepare.device.half_precision import convert_array_to_half, convert_to_half
from app.voices.prepare.graph_walk import GraphLinks, UnknownGraphError, collect_needed_nodes, rename_inputs, replace_items
from app.voices.prepare.graph_writer import EXTERNAL_WEIGHT_BYTES, ExternalDataFile

MASK_INPUT = "mask"  # input float32 [size]: 1 where there is something, then 0
MASKED_SCORE = -1e4  # this leaves nothing of a score, and half precision can still hold it

ProbedShape = tuple[int, ...]  # sizes; -1 where ONNX does not know one
PROBE_SIZE = 997  # a prime that no other axis has


def infer_probed_shapes(model: onnx.ModelProto, free: str) -> dict[str, ProbedShape]:
    """Return the shapes of a model by name, with PROBE for the free size, which inputs call `free`; its weights may be elsewhere."""
    copy = deepcopy(model)
    graph = copy.graph
    del graph.value_info[:]
    for item in graph.input:
        for dim in item.type.tensor_type.shape.dim:
            if dim.dim_param == free:
                dim.dim_value = PROBE_SIZE
    for item in graph.output:
        item.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(copy, data_prop=True).graph
    dims = {item.name: item.type.tensor_type.shape.dim for item in (*inferred.input, *inferred.value_info, *inferred.output)}
    shapes = {name: tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in sizes) for name, sizes in dims.items()}
    return shapes | {item.name: tuple(item.dims) for item in graph.initializer}


# DirectML has no ScatterElements that adds, and copied up to 73 times for it: diagonals are added to by reading instead of by writing.
# `scores[i, c(i, d)] += near[i, d]`, where d counts the diagonals, becomes `scores[i, j] += near[i, j − i + D/2]` wherever that is one of
# them. Written is what `app.voices.prepare.simplify.relative_positions` and `app.voices.prepare.weights.weight_layers` write.


def gather_diagonals(graph: onnx.GraphProto, shapes: dict[str, ProbedShape], length: tuple[str, int]) -> None:
    """Replace the selection of diagonals by gathers, in place; `length` is an input of the graph, and which of its axes is as long as the scores."""
    added = _DiagonalGatherer(graph, *length)
    nodes: list[onnx.NodeProto] = []
    for node in list(graph.node):
        values = {item.name: helper.get_attribute_value(item) for item in node.attribute} if node.op_type == "ScatterElements" else {}
        if values.get("reduction") == b"add" and values.get("axis") in (-1, len(shapes[node.input[0]]) - 1):
            nodes += added.build_replacement(node, shapes[node.input[2]])
        else:
            nodes.append(node)
    replace_items(graph.node, [*added.before, *nodes])


class _DiagonalGatherer:
    """The nodes; columns and band are made once for all layers that have as many heads and diagonals. Those in `before` read nothing but an input."""

    def __init__(self, graph: onnx.GraphProto, source: str, axis: int) -> None:
        self.before: list[onnx.NodeProto] = []
        self._graph = graph
        self._source, self._axis = source, axis
        self._made: dict[ProbedShape, tuple[str, str]] = {}
        self._offsets = ""

    def build_replacement(self, node: onnx.NodeProto, shape: ProbedShape) -> list[onnx.NodeProto]:
        """Build the nodes that replace one ScatterElements whose diagonals have this shape, [..., heads, T, diagonals]."""
        columns, band = self._add_columns(shape[:-2], shape[-1])
        name, (scores, _, near) = node.output[0], node.input
        return [
            helper.make_node("GatherElements", [near, columns], [f"{name}/read"], name=f"{name}/read", axis=len(shape) - 1),
            helper.make_node("Mul", [f"{name}/read", band], [f"{name}/near"], name=f"{name}/near"),
            helper.make_node("Add", [scores, f"{name}/near"], [name], name=f"{name}/add"),
        ]

    def _add_columns(self, heads: ProbedShape, diagonals: int) -> tuple[str, str]:
        """Add the diagonal of each score, int64 [..., heads, T, T], and a mask that is 1 where it is one of them, float32 [T, T]."""
        key = (*heads, diagonals)
        if key not in self._made:
            name = f"diagonals/{'x'.join(map(str, key))}"
            moved = self._add_node("Add", [self._add_distances(), self._add_constant(diagonals // 2)], f"{name}/moved")
            columns = self._add_node("Clip", [moved, self._add_constant(0), self._add_constant(diagonals - 1)], f"{name}/clipped")
            inside = self._add_node("Equal", [moved, columns], f"{name}/inside")
            band = self._add_node("Cast", [inside], f"{name}/band", to=TensorProto.FLOAT)
            sizes = [self._add_constant(list(heads)), "diagonals/length", "diagonals/length"]
            size = self._add_node("Concat", sizes, f"{name}/size", axis=0)
            self._made[key] = self._add_node("Expand", [columns, size], f"{name}/columns"), band
        return self._made[key]

    def _add_distances(self) -> str:
        """Add the distances, column less row, int64 [T, T], and return their name."""
        if not self._offsets:
            length = self._add_node("Shape", [self._source], "diagonals/length", start=self._axis, end=self._axis + 1)
            last = self._add_node("Squeeze", [length, self._add_constant([0])], "diagonals/last")
            places = self._add_node("Range", [self._add_constant(0), last, self._add_constant(1)], "diagonals/places")
            rows = self._add_node("Unsqueeze", [places, self._add_constant([1])], "diagonals/rows")
            self._offsets = self._add_node("Sub", [places, rows], "diagonals/distances")
        return self._offsets

    def _add_constant(self, value: int | list[int]) -> str:
        array = np.array(value, np.int64)
        return _store_constant(self._graph, f"diagonals/constant_{'_'.join(map(str, array.reshape(-1)))}_{array.ndim}", array)

    def _add_node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.before.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name


def _store_constant(graph: onnx.GraphProto, name: str, array: np.ndarray) -> str:
    if all(item.name != name for item in graph.initializer):
        graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def split_sums(graph: onnx.GraphProto) -> None:
    """Split long sums into pairwise ones, in place."""
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type != "Sum" or len(node.input) < 2:
            nodes.append(node)
            continue
        total = node.input[0]
        for place, other in enumerate(node.input[1:], start=2):
            result = node.output[0] if place == len(node.input) else f"{node.output[0]}/of_{place}"
            nodes.append(helper.make_node("Add", [total, other], [result], name=result))
            total = result
    replace_items(graph.node, nodes)


def keep_context(decoder: onnx.ModelProto) -> None:
    """Rewrite a decoder in place so that it gives the samples of all frames of its window; a decoder that cuts nothing stays as it is."""
    graph = decoder.graph
    bounds = {item.name for item in graph.input} & {FIRST_FRAME_INPUT, LAST_FRAME_INPUT}
    if not bounds:
        return
    links = GraphLinks(graph.node)
    after = {result for name in bounds for reader in links.readers[name] for result in links.collect_downstream(reader)}
    outputs = {item.name for item in graph.output}
    uncut: dict[str, str] = {}
    for node in graph.node:
        if node.op_type == "Slice" and after & set(node.input[1:]):
            uncut[node.output[0]] = uncut.get(node.input[0], node.input[0])
    nodes = [node for node in graph.node if node.output[0] not in uncut]
    rename_inputs(nodes, uncut)
    replace_items(graph.node, nodes)
    for name in outputs & uncut.keys():
        graph.node.append(onnx.helper.make_node("Identity", [uncut[name]], [name], name=f"{name}/uncut/all"))
    replace_items(graph.input, [item for item in graph.input if item.name not in bounds])
    drop_unread_nodes(graph)


def drop_unread_nodes(graph: onnx.GraphProto) -> None:
    """Remove nodes and weights that no output needs."""
    outputs = [item.name for item in graph.output]
    replace_items(graph.node, collect_needed_nodes(graph, outputs))
    read = {*outputs, *(name for node in graph.node for name in node.input)}
    replace_items(graph.initializer, [item for item in graph.initializer if item.name in read])


MASKED_GRAPH_NAME, FULL_GRAPH_NAME, FIXED_SHAPE_WEIGHTS_NAME, FIXED_SHAPE_INFO_NAME = "graph.onnx", "full.onnx", "weights.data", "form.json"
FREE_SIZE_NAMES = {"bert": "n", "prosody": "T", "flow": "F", "decoder": "W"}  # what the free size of a graph is called
DYNAMIC_SHAPE_OPS = {"Loop", "If", "Scan", "NonZero", "RandomNormalLike"}  # operators whose results have sizes that nobody knows beforehand


def write_fixed_shape_graphs(source: Path, graph: str, folder: Path, *, half: bool) -> None:
    """Write the fixed shapes of a graph into a folder; raise UnknownGraphError if it is not built like the graphs that we prepare, OSError if the disk is full.

    Args:
        source: a graph of `app.voices.prepared_voice`, or a lean BERT; `graph` is which one: bert, prosody, flow or decoder.
    """
    free = FREE_SIZE_NAMES[graph]
    weights = _SharedWeights(source.parent, ExternalDataFile(folder / FIXED_SHAPE_WEIGHTS_NAME))
    try:
        masked = _rewrite_graph(source, free, half=half, masked=True, weights=weights)
        onnx.save(masked, str(folder / MASKED_GRAPH_NAME))
        if graph == "decoder":
            onnx.save(_rewrite_graph(source, free, half=half, masked=False, weights=weights), str(folder / FULL_GRAPH_NAME))
    finally:
        weights.file.close()
    (folder / FIXED_SHAPE_INFO_NAME).write_text(json.dumps(_describe_fixed_shape_graph(source, free, half=half)), encoding="utf-8")


class _MaskRewriter:
    def __init__(self, graph: onnx.GraphProto, shapes: dict[str, ProbedShape]) -> None:
        self._graph = graph
        self._shapes = shapes
        self._kernels = {item.name: item.dims[-1] for item in graph.initializer if len(item.dims) > 2}
        self._masked: dict[tuple[str, int], str] = {}
        self._masks: dict[tuple[int, bool], str] = {}
        self._nodes: list[onnx.NodeProto] = []

    def rewrite_graph(self) -> None:
        for node in list(self._graph.node):
            if node.op_type in ("Conv", "ConvTranspose") and self._kernels.get(node.input[1], 2) > 1:
                self._mask_first_input(node, len(self._shapes[node.input[0]]) - 1)
            elif node.op_type == "Softmax" and self._shapes[node.input[0]][-2:] == (PROBE_SIZE, PROBE_SIZE):
                node.input[0] = self._add_node("Add", node.input[0], self._add_penalty(), f"{node.input[0]}/attended")
            elif node.op_type == "Pad" and self._find_padded_axis(node) is not None:
                self._mask_first_input(node, self._find_padded_axis(node) or 0)
            self._nodes.append(node)
        replace_items(self._graph.node, self._nodes)

    def _mask_first_input(self, node: onnx.NodeProto, axis: int) -> None:
        name = node.input[0]
        size = self._shapes[name][axis]
        if size <= 0 or size % PROBE_SIZE:
            raise ValueError(f"{name} does not grow with the input")
        if (name, axis) not in self._masked:
            mask = self._add_scaled_mask(size // PROBE_SIZE, trailing_axes=len(self._shapes[name]) - 1 - axis)
            self._masked[name, axis] = self._add_node("Mul", name, mask, f"{name}/masked")
        node.input[0] = self._masked[name, axis]

    def _find_padded_axis(self, node: onnx.NodeProto) -> int | None:
        shape, padded = self._shapes[node.input[0]], self._shapes[node.output[0]]
        return next((axis for axis, size in enumerate(shape) if size > 0 and size % PROBE_SIZE == 0 and padded[axis] != size), None)

    def _add_scaled_mask(self, scale: int, trailing_axes: int) -> str:
        key = scale, trailing_axes > 0
        if key not in self._masks:
            name = f"mask/{scale}" + ("/beside" if trailing_axes else "")
            if trailing_axes:
                self._masks[key] = self._add_node(
                    "Reshape", self._add_scaled_mask(scale, 0), self._add_shape_constant([-1, *[1] * trailing_axes]), name
                )
            elif scale > 1:
                column = self._add_node("Reshape", MASK_INPUT, self._add_shape_constant([-1, 1]), f"{name}/column")
                rows = self._add_node(
                    "Mul", column, _store_constant(self._graph, f"mask/ones_{scale}", np.ones((1, scale), np.float32)), f"{name}/rows"
                )
                self._masks[key] = self._add_node("Reshape", rows, self._add_shape_constant([-1]), name)
            else:
                return MASK_INPUT
        return self._masks[key]

    def _add_penalty(self) -> str:
        """Add a penalty: 0 at real positions, FAR at padded ones."""
        key = 0, False
        if key not in self._masks:
            nothing = self._add_node("Sub", MASK_INPUT, self._add_scalar(1.0), "mask/nothing")
            self._masks[key] = self._add_node("Mul", nothing, self._add_scalar(-MASKED_SCORE), "mask/penalty")
        return self._masks[key]

    def _add_shape_constant(self, values: list[int]) -> str:
        return _store_constant(self._graph, f"mask/shape_{'_'.join(map(str, values))}", np.array(values, np.int64))

    def _add_scalar(self, value: float) -> str:
        return _store_constant(self._graph, f"mask/number_{value:g}", np.array(value, np.float32))

    def _add_node(self, op: str, first: str, second: str, name: str) -> str:
        self._nodes.append(helper.make_node(op, [first, second], [name], name=name))
        return name


def _rewrite_graph(source: Path, free: str, *, half: bool, masked: bool, weights: _SharedWeights) -> onnx.ModelProto:
    model = onnx.load(str(source), load_external_data=False)
    axes = _find_free_axes(model, free)
    if DYNAMIC_SHAPE_OPS & {node.op_type for node in model.graph.node}:
        raise UnknownGraphError("sizes that depend on values")
    try:
        keep_context(model)
        split_sums(model.graph)
        gather_diagonals(model.graph, infer_probed_shapes(model, free), next(iter(axes.items())))
        drop_unread_nodes(model.graph)
        if masked:
            # One more input masks the padded end; it is as long as the size that is called `free`.
            _MaskRewriter(model.graph, infer_probed_shapes(model, free)).rewrite_graph()
            model.graph.input.append(helper.make_tensor_value_info(MASK_INPUT, TensorProto.FLOAT, [free]))
    except (LookupError, ValueError) as exc:
        raise UnknownGraphError(str(exc)) from exc
    weights.store_weights(model, convert_to_half(model) if half else set())
    return model


def _find_free_axes(model: onnx.ModelProto, free: str) -> dict[str, int]:
    """Return the free axis of each input that has one; raise UnknownGraphError if there is none, or if another size is free as well."""
    axes = {}
    for item in model.graph.input:
        names = [dim.dim_param for dim in item.type.tensor_type.shape.dim]
        if any(name and name != free for name in names):
            raise UnknownGraphError(f"{item.name} has a size of its own")
        if free in names:
            axes[item.name] = names.index(free)
    if not axes:
        raise UnknownGraphError(f"no input has a size {free}")
    return axes


def _describe_fixed_shape_graph(source: Path, free: str, *, half: bool) -> dict[str, Any]:
    """Return the content of `form.json`: the free axis of inputs, and of outputs with how many steps there are to one of the input's."""
    model = onnx.load(str(source), load_external_data=False)
    inputs = _find_free_axes(model, free)
    keep_context(model)
    shapes = infer_probed_shapes(model, free)
    outputs = {}
    for item in model.graph.output:
        axis = next((place for place, size in enumerate(shapes[item.name]) if size > 0 and size % PROBE_SIZE == 0), None)
        if axis is None:
            raise UnknownGraphError(f"{item.name} does not grow with the input")
        outputs[item.name] = [axis, shapes[item.name][axis] // PROBE_SIZE]
    return {"free": free, "mask": MASK_INPUT, "inputs": inputs, "outputs": outputs, "half": half}


@dataclass(slots=True)
class _SharedWeights:
    """One file for the weights of several graphs, whose source keeps its own in `folder`."""

    folder: Path
    file: ExternalDataFile
    _stored: dict[str, TensorProto] = field(default_factory=dict)

    def store_weights(self, model: onnx.ModelProto, half: set[str]) -> None:
        """Make the tensors of a model refer to the shared file; those named are stored in half precision."""
        for tensor in model.graph.initializer:
            if tensor.name in self._stored:
                tensor.CopyFrom(self._stored[tensor.name])
                continue
            array = numpy_helper.to_array(tensor, str(self.folder))
            array = convert_array_to_half(array) if tensor.name in half else array
            if array.nbytes < EXTERNAL_WEIGHT_BYTES:
                tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
            else:
                self.file.store_array(array, tensor)
                self._stored[tensor.name] = TensorProto()
                self._stored[tensor.name].CopyFrom(tensor)
