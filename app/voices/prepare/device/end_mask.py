"""Lets a graph be given more than there is: what lies behind the end is zero wherever the end is looked across.

A graph made for one text at a time sees zeros behind its end, which convolutions put there. Where the input is longer than the text,
biases soon fill what follows with numbers; so each convolution, and each padding along time, is given its input times a mask, and no
attention is paid to what is masked. All other operators work position by position. What comes out behind the end means nothing.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.device.probed_shapes import PROBE_SIZE, ProbedShape

MASK_INPUT = "mask"
"""Input float32 [size]: 1 where there is something, then 0."""
# This leaves nothing of a score, and half precision can still hold it.
MASKED_SCORE = -1e4


def mask_end(graph: onnx.GraphProto, shapes: dict[str, ProbedShape], free: str) -> None:
    """Mask the padded end of a graph in place; the graph takes the mask as one more input.

    Args:
        shapes: of its tensors, with PROBE for the free size.
        free: what that size is called.
    """
    _MaskRewriter(graph, shapes).rewrite_graph()
    graph.input.append(helper.make_tensor_value_info(MASK_INPUT, TensorProto.FLOAT, [free]))


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
        del self._graph.node[:]
        self._graph.node.extend(self._nodes)

    def _mask_first_input(self, node: onnx.NodeProto, axis: int) -> None:
        """Multiply a node's first input by the mask along an axis."""
        name = node.input[0]
        size = self._shapes[name][axis]
        if size <= 0 or size % PROBE_SIZE:
            raise ValueError(f"{name} does not grow with the input")
        if (name, axis) not in self._masked:
            mask = self._add_scaled_mask(size // PROBE_SIZE, trailing_axes=len(self._shapes[name]) - 1 - axis)
            self._masked[name, axis] = self._add_node("Mul", name, mask, f"{name}/masked")
        node.input[0] = self._masked[name, axis]

    def _find_padded_axis(self, node: onnx.NodeProto) -> int | None:
        """Return the time axis if it is the padded axis, else None."""
        shape, padded = self._shapes[node.input[0]], self._shapes[node.output[0]]
        return next((axis for axis, size in enumerate(shape) if size > 0 and size % PROBE_SIZE == 0 and padded[axis] != size), None)

    def _add_scaled_mask(self, scale: int, trailing_axes: int) -> str:
        """Add the mask for `scale` steps a position, with axes of one step behind it."""
        key = scale, trailing_axes > 0
        if key not in self._masks:
            name = f"mask/{scale}" + ("/beside" if trailing_axes else "")
            if trailing_axes:
                self._masks[key] = self._add_node(
                    "Reshape", self._add_scaled_mask(scale, 0), self._add_shape_constant([-1, *[1] * trailing_axes]), name
                )
            elif scale > 1:
                column = self._add_node("Reshape", MASK_INPUT, self._add_shape_constant([-1, 1]), f"{name}/column")
                rows = self._add_node("Mul", column, self._add_ones(scale), f"{name}/rows")
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
        return self._store_initializer(f"mask/shape_{'_'.join(map(str, values))}", np.array(values, np.int64))

    def _add_scalar(self, value: float) -> str:
        return self._store_initializer(f"mask/number_{value:g}", np.array(value, np.float32))

    def _add_ones(self, count: int) -> str:
        return self._store_initializer(f"mask/ones_{count}", np.ones((1, count), np.float32))

    def _store_initializer(self, name: str, array: np.ndarray) -> str:
        if all(item.name != name for item in self._graph.initializer):
            self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def _add_node(self, op: str, first: str, second: str, name: str) -> str:
        self._nodes.append(helper.make_node(op, [first, second], [name], name=name))
        return name
