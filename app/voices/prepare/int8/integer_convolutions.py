"""Turns convolutions of a graph into integer ones: 8 bits for what they see (one scale), 7 for their weights (one scale per channel).

ONNX Runtime turns every tensor around before and after each of them and takes few of the turns back (77 of 81 in a decoder are
between our convolutions, a sixth of its time). So what they pass on is kept in the order they compute in, channels last: the residual sums,
activations and conversions between them are turned instead, for good.
"""

from collections.abc import Container, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_walk import replace_items

QUANTISED_LEVELS = 255
MAX_INT8_WEIGHT = 64  # processors with AVX2 and without VNNI add two products in 16 bits: 2 · 255 · 64 fits, 2 · 255 · 127 is cut off
MIN_QUANTISED_STEP = 1e-8  # of a tensor that is always 0
MICROSOFT_DOMAIN = "com.microsoft"

ValueRange = tuple[float, float]  # least and greatest number


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
    results = [node.output[0] for node in find_quantisable_convolutions(graph)]
    return {name: first[0].output[0] for name in results if len(first := readers.get(name, [])) == 1 and first[0].op_type == "Relu"}


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


def quantise_convolutions(model: onnx.ModelProto, ranges: Mapping[str, ValueRange], chosen_results: Container[str] | None = None) -> None:
    """Quantise the convolutions of a graph in place, of all that 8 bits are enough for those with these results, to see what some cost.

    Args:
        ranges: of each tensor of `list_observed_tensors`.
    """
    results = [node.output[0] for node in find_quantisable_convolutions(model.graph)]
    chosen = {name for name in results if chosen_results is None or name in chosen_results}
    _ConvolutionQuantiser(model.graph, ranges, chosen).rewrite_graph()
    model.opset_import.append(helper.make_opsetid(MICROSOFT_DOMAIN, 1))


class _ConvolutionQuantiser:
    def __init__(self, graph: onnx.GraphProto, ranges: Mapping[str, ValueRange], chosen: set[str]) -> None:
        self._graph, self._chosen = graph, chosen
        self._relus = {name: result for name, result in map_fused_relus(graph).items() if name in chosen}
        self._ranges = ranges
        self._weights = {item.name: item for item in graph.initializer}
        self._constants: dict[tuple[Any, ...], str] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._bytes: dict[str, str] = {}  # tensor → the same in 8 bits

    def rewrite_graph(self) -> None:
        graph, chosen, relus = self._graph, self._chosen, self._relus
        inside = self._find_int8_only_tensors()
        for node in list(graph.node):
            if node.output[0] in chosen:
                result = relus.get(node.output[0], node.output[0])
                self._quantise_convolution(node, result, keep_bytes=result in inside)
            elif node.op_type == "Relu" and node.input[0] in relus:
                continue
            elif node.op_type == "LeakyRelu" and node.input[0] in inside:
                self._quantise_leaky_relu(node)
            else:
                self._nodes.append(node)
        replace_items(graph.node, self._nodes)
        read = {name for node in graph.node for name in node.input}
        replace_items(graph.initializer, [item for item in graph.initializer if item.name in read])

    def _find_int8_only_tensors(self) -> set[str]:
        """Return the results of a convolution, or of its ReLU, that only other convolutions read, at most through a leaky ReLU: they need never become floats."""
        readers, chosen, relus, inside = map_consumers(self._graph), self._chosen, self._relus, set()
        for name in chosen:
            result = relus.get(name, name)
            first = readers.get(result, [])
            if len(first) == 1 and first[0].op_type == "LeakyRelu":
                first = readers.get(first[0].output[0], [])
            elif name not in relus:
                continue
            if first and all(node.output[0] in chosen for node in first):
                inside.add(result)
        return inside

    def _quantise_convolution(self, node: onnx.NodeProto, result: str, *, keep_bytes: bool) -> None:
        source = node.input[0]
        if source not in self._bytes:
            self._bytes[source] = f"{source}/bytes"
            self._add_node("QuantizeLinear", [source, *self._add_scale(source)], self._bytes[source])
        weight, steps = self._quantise_kernel(node.input[1])
        inputs = [self._bytes[source], *self._add_scale(source), weight]
        inputs += [self._add_constant(steps), self._add_constant(np.zeros(len(steps), np.int8)), *self._add_scale(result)]
        if len(node.input) > 2:
            values = numpy_helper.to_array(self._weights[node.input[2]]) / (steps * self._compute_step(source))
            whole = np.rint(np.clip(values, -(2.0**31), 2.0**31 - 129)).astype(np.int32)
            inputs.append(self._add_constant(whole, f"{node.input[2]}/whole"))
        self._bytes[result] = f"{result}/bytes"
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        self._add_node("QLinearConv", inputs, self._bytes[result], **attributes)
        if not keep_bytes:
            self._add_node("DequantizeLinear", [self._bytes[result], *self._add_scale(result)], result)

    def _quantise_leaky_relu(self, node: onnx.NodeProto) -> None:
        """Replace a leaky ReLU by a table of 256 values."""
        source, result = node.input[0], node.output[0]
        alpha = next((item.f for item in node.attribute if item.name == "alpha"), 0.01)
        self._bytes[result] = f"{result}/bytes"
        inputs = [self._bytes[source], *self._add_scale(source), *self._add_scale(result)]
        self._add_node("QLinearLeakyRelu", inputs, self._bytes[result], domain=MICROSOFT_DOMAIN, alpha=alpha)

    def _quantise_kernel(self, name: str) -> tuple[str, np.ndarray]:
        values = numpy_helper.to_array(self._weights[name])
        steps = np.maximum(np.abs(values).reshape(len(values), -1).max(axis=1) / MAX_INT8_WEIGHT, MIN_QUANTISED_STEP).astype(np.float32)
        whole = np.rint(values / steps.reshape(-1, *(1 for _ in values.shape[1:]))).astype(np.int8)
        return self._add_constant(whole, f"{name}/bytes"), steps

    def _compute_step(self, name: str) -> np.float32:
        least, greatest = self._ranges[name]
        return np.float32(max((max(greatest, 0.0) - min(least, 0.0)) / QUANTISED_LEVELS, MIN_QUANTISED_STEP))

    def _add_scale(self, name: str) -> list[str]:
        """Add step and zero point of a tensor and return their names; 0 is always a level, for convolutions pad with it."""
        step = self._compute_step(name)
        zero = np.clip(np.rint(-min(self._ranges[name][0], 0.0) / step), 0, QUANTISED_LEVELS)
        return [self._add_constant(np.asarray(step)), self._add_constant(np.asarray(zero, np.uint8))]

    def _add_constant(self, array: np.ndarray, name: str = "") -> str:
        key = (name,) if name else (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = name or f"int8/{len(self._constants)}"
            self._graph.initializer.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def _add_node(self, op: str, inputs: list[str], result: str, domain: str = "", **attributes: Any) -> None:
        self._nodes.append(helper.make_node(op, inputs, [result], name=f"{result}/{op}", domain=domain, **attributes))


SINGLE_INPUT_OPS = {"LeakyRelu", "Relu", "QuantizeLinear", "DequantizeLinear", "QLinearLeakyRelu"}  # the others say how, and are scalars
SUM_OPS = {"Add", "Sum", "Sub"}
CHANNELS_LAST_ORDER = {3: (0, 2, 1), 4: (0, 2, 3, 1)}
CHANNELS_FIRST_ORDER = {3: (0, 2, 1), 4: (0, 3, 1, 2)}
CHANNELS_LAST_SUFFIX = "/last"


def move_channels_last(model: onnx.ModelProto) -> None:
    """Rewrite a graph with integer convolutions in place; its results stay the same to the last bit."""
    shapes = onnx.shape_inference.infer_shapes(model).graph
    known = [*shapes.value_info, *shapes.input, *shapes.output]
    ranks = {item.name: len(item.type.tensor_type.shape.dim) for item in known if item.type.tensor_type.HasField("shape")}
    _ChannelsLastRewriter(model.graph, ranks).rewrite_graph()


class _ChannelsLastRewriter:
    def __init__(self, graph: onnx.GraphProto, ranks: dict[str, int]) -> None:
        self._graph, self._ranks = graph, ranks
        self._weights = {item.name: numpy_helper.to_array(item) for item in graph.initializer if np.prod(item.dims) < 1 << 16}
        self._wanted = self._find_convolution_inputs()
        self._turned: dict[str, str] = {}
        self._only_turned: set[str] = set()
        self._nodes: list[onnx.NodeProto] = []

    def rewrite_graph(self) -> None:
        for node in list(self._graph.node):
            if node.op_type == "QLinearConv":
                self._add_transposed_node(node, 1, op="QLinearConv", domain=MICROSOFT_DOMAIN, channels_last=1)
            elif self._should_transpose(node):
                self._add_transposed_node(node, self._count_data_inputs(node))
            else:
                for name in node.input:
                    self._transpose_to_first(name)
                self._nodes.append(node)
        for item in self._graph.output:
            self._transpose_to_first(item.name)
        replace_items(self._graph.node, self._nodes)

    def _find_convolution_inputs(self) -> set[str]:
        """Return the tensors that reach an integer convolution through nothing but sums and activations."""
        wanted: set[str] = set()
        for node in reversed(self._graph.node):
            if node.op_type == "QLinearConv":
                wanted.add(node.input[0])
            elif self._count_data_inputs(node) and node.output[0] in wanted:
                wanted.update(node.input[: self._count_data_inputs(node)])
        return wanted

    def _count_data_inputs(self, node: onnx.NodeProto) -> int:
        """Return how many of a node's first inputs are transposed with it; 0 where the node cannot be transposed."""
        if node.op_type in SINGLE_INPUT_OPS:
            return 1
        return len(node.input) if node.op_type in SUM_OPS else 0

    def _should_transpose(self, node: onnx.NodeProto) -> bool:
        """Return whether to transpose a node: its axes are known, and it is between convolutions or all that it reads is transposed."""
        inputs = node.input[: self._count_data_inputs(node)]
        if not inputs or not all(self._find_rank(name) in CHANNELS_LAST_ORDER or self._is_scalar(name) for name in inputs):
            return False
        ranks = {self._find_rank(name) for name in inputs if not self._is_scalar(name)}
        return len(ranks) == 1 and (node.output[0] in self._wanted or all(name in self._turned for name in inputs))

    def _find_rank(self, name: str) -> int:
        return self._weights[name].ndim if name in self._weights else self._ranks.get(name, 0)

    def _is_scalar(self, name: str) -> bool:
        return name in self._weights and self._weights[name].size == 1

    def _add_transposed_node(self, node: onnx.NodeProto, data_inputs: int, op: str = "", domain: str = "", **extra_attributes: Any) -> None:
        inputs = [*(self._transpose_to_last(name) for name in node.input[:data_inputs]), *node.input[data_inputs:]]
        result = node.output[0] + CHANNELS_LAST_SUFFIX
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute} | extra_attributes
        self._nodes.append(helper.make_node(op or node.op_type, inputs, [result], node.name, domain=domain or node.domain, **attributes))
        self._turned[node.output[0]] = result
        self._ranks.setdefault(node.output[0], self._find_rank(node.input[0]))
        self._only_turned.add(node.output[0])

    def _transpose_to_last(self, name: str) -> str:
        if name not in self._turned and not self._is_scalar(name):
            turned, order = name + CHANNELS_LAST_SUFFIX, CHANNELS_LAST_ORDER[self._find_rank(name)]
            if name in self._weights:
                self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(self._weights[name].transpose(order)), turned))
            else:
                self._nodes.append(helper.make_node("Transpose", [name], [turned], turned, perm=order))
            self._turned[name] = turned
        return self._turned.get(name, name)

    def _transpose_to_first(self, name: str) -> None:
        if name in self._only_turned:
            self._only_turned.discard(name)
            self._nodes.append(
                helper.make_node(
                    "Transpose", [self._turned[name]], [name], f"{name}/first", perm=CHANNELS_FIRST_ORDER[self._find_rank(name)]
                )
            )
