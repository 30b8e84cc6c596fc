"""Keeps what integer convolutions pass on in the order they compute in: channels last.

ONNX Runtime turns every tensor around before and after each of them and takes few of the turns back (77 of 81 in a decoder are
between our convolutions, a sixth of its time). Here the residual sums, activations and conversions between them are turned instead, for good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

MICROSOFT = "com.microsoft"
ONE_INPUT = {"LeakyRelu", "Relu", "QuantizeLinear", "DequantizeLinear", "QLinearLeakyRelu"}  # the others say how, and are scalars
SUMS = {"Add", "Sum", "Sub"}
TO_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1)}
TO_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2)}
LAST = "/last"


def channels_last(model: onnx.ModelProto) -> None:
    """Rewrites a graph with integer convolutions in place; what it computes stays the same to the last bit."""
    shapes = onnx.shape_inference.infer_shapes(model).graph
    known = [*shapes.value_info, *shapes.input, *shapes.output]
    ranks = {item.name: len(item.type.tensor_type.shape.dim) for item in known if item.type.tensor_type.HasField("shape")}
    _Turner(model.graph, ranks).rewrite()


class _Turner:
    def __init__(self, graph: onnx.GraphProto, ranks: dict[str, int]) -> None:
        self._graph, self._ranks = graph, ranks
        self._weights = {item.name: numpy_helper.to_array(item) for item in graph.initializer if np.prod(item.dims) < 1 << 16}
        self._wanted = self._read_by_convolutions()
        self._turned: dict[str, str] = {}
        self._only_turned: set[str] = set()
        self._nodes: list[onnx.NodeProto] = []

    def rewrite(self) -> None:
        for node in list(self._graph.node):
            if node.op_type == "QLinearConv":
                self._add_turned(node, 1, op="QLinearConv", domain=MICROSOFT, channels_last=1)
            elif self._follows(node):
                self._add_turned(node, self._data(node))
            else:
                for name in node.input:
                    self._turn_back(name)
                self._nodes.append(node)
        for item in self._graph.output:
            self._turn_back(item.name)
        del self._graph.node[:]
        self._graph.node.extend(self._nodes)

    def _read_by_convolutions(self) -> set[str]:
        """Tensors that reach an integer convolution through nothing but sums and activations."""
        wanted: set[str] = set()
        for node in reversed(self._graph.node):
            if node.op_type == "QLinearConv":
                wanted.add(node.input[0])
            elif self._data(node) and node.output[0] in wanted:
                wanted.update(node.input[: self._data(node)])
        return wanted

    def _data(self, node: onnx.NodeProto) -> int:
        """How many of its first inputs are turned with it; 0 where it cannot be."""
        if node.op_type in ONE_INPUT:
            return 1
        return len(node.input) if node.op_type in SUMS else 0

    def _follows(self, node: onnx.NodeProto) -> bool:
        """Whether a node is turned: it lies between convolutions, or all that it reads is turned, and its axes are known."""
        inputs = node.input[: self._data(node)]
        if not inputs or not all(self._rank(name) in TO_LAST or self._is_scalar(name) for name in inputs):
            return False
        ranks = {self._rank(name) for name in inputs if not self._is_scalar(name)}
        return len(ranks) == 1 and (node.output[0] in self._wanted or all(name in self._turned for name in inputs))

    def _rank(self, name: str) -> int:
        return self._weights[name].ndim if name in self._weights else self._ranks.get(name, 0)

    def _is_scalar(self, name: str) -> bool:
        return name in self._weights and self._weights[name].size == 1

    def _add_turned(self, node: onnx.NodeProto, data: int, op: str = "", domain: str = "", **more: Any) -> None:
        inputs = [*(self._turn(name) for name in node.input[:data]), *node.input[data:]]
        result = node.output[0] + LAST
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute} | more
        self._nodes.append(helper.make_node(op or node.op_type, inputs, [result], node.name, domain=domain or node.domain, **attributes))
        self._turned[node.output[0]] = result
        self._ranks.setdefault(node.output[0], self._rank(node.input[0]))
        self._only_turned.add(node.output[0])

    def _turn(self, name: str) -> str:
        """The same tensor with its channels last."""
        if name not in self._turned and not self._is_scalar(name):
            turned, order = name + LAST, TO_LAST[self._rank(name)]
            if name in self._weights:
                self._graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(self._weights[name].transpose(order)), turned))
            else:
                self._nodes.append(helper.make_node("Transpose", [name], [turned], turned, perm=order))
            self._turned[name] = turned
        return self._turned.get(name, name)

    def _turn_back(self, name: str) -> None:
        if name in self._only_turned:
            self._only_turned.discard(name)
            self._nodes.append(
                helper.make_node("Transpose", [self._turned[name]], [name], f"{name}/first", perm=TO_FIRST[self._rank(name)])
            )
