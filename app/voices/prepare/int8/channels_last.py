"""Keeps what integer convolutions pass on in the order they compute in: channels last.

ONNX Runtime turns every tensor around before and after each of them and takes few of the turns back (77 of 81 in a decoder are
between our convolutions, a sixth of its time). Here the residual sums, activations and conversions between them are turned instead, for good.
"""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.voices.prepare.graph_walk import replace_items

MICROSOFT_DOMAIN = "com.microsoft"
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
