"""Writes sums of several tensors as additions of two: DirectML fuses only those with their neighbours, and stops at the others five times a window."""

from __future__ import annotations

import onnx
from onnx import helper


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
    del graph.node[:]
    graph.node.extend(nodes)
