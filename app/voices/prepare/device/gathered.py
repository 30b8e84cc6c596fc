"""Adds to diagonals by reading instead of by writing: DirectML has no ScatterElements that adds, and copied up to 73 times for it.

`scores[i, c(i, d)] += near[i, d]`, where d counts the diagonals, becomes `scores[i, j] += near[i, j − i + D/2]` wherever that is one of
them. Written is what `app.voices.prepare.simplify.bands` and `app.voices.prepare.weights.attention` write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.device.shapes import Shape


def gather_diagonals(graph: onnx.GraphProto, shapes: dict[str, Shape], length: tuple[str, int]) -> None:
    """Rewrites a graph in place.

    Args:
        shapes: of its tensors.
        length: an input of the graph, and which of its axes is as long as the scores.
    """
    added = _Diagonals(graph, *length)
    nodes: list[onnx.NodeProto] = []
    for node in list(graph.node):
        if node.op_type == "ScatterElements" and _adds(node, len(shapes[node.input[0]])):
            nodes += added.instead(node, shapes[node.input[2]])
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend([*added.before, *nodes])


def _adds(node: onnx.NodeProto, rank: int) -> bool:
    values = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    return values.get("reduction") == b"add" and values.get("axis") in (-1, rank - 1)


class _Diagonals:
    """The nodes; columns and band are made once for all layers that have as many heads and diagonals.

    Attributes:
        before: nodes that read nothing but an input.
    """

    def __init__(self, graph: onnx.GraphProto, source: str, axis: int) -> None:
        self.before: list[onnx.NodeProto] = []
        self._graph = graph
        self._source, self._axis = source, axis
        self._made: dict[Shape, tuple[str, str]] = {}
        self._offsets = ""

    def instead(self, node: onnx.NodeProto, shape: Shape) -> list[onnx.NodeProto]:
        """What stands for one ScatterElements whose diagonals have this shape, [..., heads, T, diagonals]."""
        columns, band = self._columns(shape[:-2], shape[-1])
        name, (scores, _, near) = node.output[0], node.input
        return [
            helper.make_node("GatherElements", [near, columns], [f"{name}/read"], name=f"{name}/read", axis=len(shape) - 1),
            helper.make_node("Mul", [f"{name}/read", band], [f"{name}/near"], name=f"{name}/near"),
            helper.make_node("Add", [scores, f"{name}/near"], [name], name=f"{name}/add"),
        ]

    def _columns(self, heads: Shape, diagonals: int) -> tuple[str, str]:
        """Which diagonal each score lies on, int64 [..., heads, T, T], and 1 where that is one of them, float32 [T, T]."""
        key = (*heads, diagonals)
        if key not in self._made:
            name = f"diagonals/{'x'.join(map(str, key))}"
            moved = self._node("Add", [self._distances(), self._constant(diagonals // 2)], f"{name}/moved")
            columns = self._node("Clip", [moved, self._constant(0), self._constant(diagonals - 1)], f"{name}/clipped")
            inside = self._node("Equal", [moved, columns], f"{name}/inside")
            band = self._node("Cast", [inside], f"{name}/band", to=TensorProto.FLOAT)
            size = self._node("Concat", [self._constant(list(heads)), "diagonals/length", "diagonals/length"], f"{name}/size", axis=0)
            self._made[key] = self._node("Expand", [columns, size], f"{name}/columns"), band
        return self._made[key]

    def _distances(self) -> str:
        """Column less row, int64 [T, T]."""
        if not self._offsets:
            length = self._node("Shape", [self._source], "diagonals/length", start=self._axis, end=self._axis + 1)
            last = self._node("Squeeze", [length, self._constant([0])], "diagonals/last")
            places = self._node("Range", [self._constant(0), last, self._constant(1)], "diagonals/places")
            rows = self._node("Unsqueeze", [places, self._constant([1])], "diagonals/rows")
            self._offsets = self._node("Sub", [places, rows], "diagonals/distances")
        return self._offsets

    def _constant(self, value: int | list[int]) -> str:
        array = np.array(value, np.int64)
        name = f"diagonals/constant_{'_'.join(map(str, array.reshape(-1)))}_{array.ndim}"
        if all(item.name != name for item in self._graph.initializer):
            self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def _node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.before.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name
