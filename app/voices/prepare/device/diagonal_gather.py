"""Adds to diagonals by reading instead of by writing: DirectML has no ScatterElements that adds, and copied up to 73 times for it.

`scores[i, c(i, d)] += near[i, d]`, where d counts the diagonals, becomes `scores[i, j] += near[i, j − i + D/2]` wherever that is one of
them. Written is what `app.voices.prepare.simplify.relative_positions` and `app.voices.prepare.weights.relative_transformer` write.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.device.probed_shapes import ProbedShape


def gather_diagonals(graph: onnx.GraphProto, shapes: dict[str, ProbedShape], length: tuple[str, int]) -> None:
    """Replace the selection of diagonals by gathers, in place.

    Args:
        shapes: of its tensors.
        length: an input of the graph, and which of its axes is as long as the scores.
    """
    added = _DiagonalGatherer(graph, *length)
    nodes: list[onnx.NodeProto] = []
    for node in list(graph.node):
        if node.op_type == "ScatterElements" and _is_diagonal_add(node, len(shapes[node.input[0]])):
            nodes += added.build_replacement(node, shapes[node.input[2]])
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend([*added.before, *nodes])


def _is_diagonal_add(node: onnx.NodeProto, rank: int) -> bool:
    values = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    return values.get("reduction") == b"add" and values.get("axis") in (-1, rank - 1)


class _DiagonalGatherer:
    """The nodes; columns and band are made once for all layers that have as many heads and diagonals.

    Attributes:
        before: nodes that read nothing but an input.
    """

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
            size = self._add_node(
                "Concat", [self._add_constant(list(heads)), "diagonals/length", "diagonals/length"], f"{name}/size", axis=0
            )
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
        name = f"diagonals/constant_{'_'.join(map(str, array.reshape(-1)))}_{array.ndim}"
        if all(item.name != name for item in self._graph.initializer):
            self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def _add_node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.before.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name
