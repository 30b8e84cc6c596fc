"""Computes how many frames of context a decoder needs on each side, from its convolutions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import onnx
from onnx import helper

Reach = tuple[int, int]
"""First and last index."""


def compute_margin_frames(decoder: onnx.ModelProto) -> int:
    """Return the number of frames, on the larger side of a frame, that any of its samples depends on.

    Args:
        decoder: graph with an input `z` [D, W]; every operator but convolutions works sample by sample.
    """
    first, last = compute_reaches(decoder.graph)["z"]
    return max(-first, last)


def compute_reaches(graph: onnx.GraphProto) -> dict[str, Reach]:
    """Return for each tensor the indices on the time axis that the samples of frame 0 depend on; tensors that do not reach the samples are missing."""
    kernels = {item.name: item.dims[-1] for item in graph.initializer if len(item.dims) > 2}
    needs: dict[str, Reach] = {graph.output[0].name: (0, compute_samples_per_frame(graph) - 1)}
    for node in reversed(graph.node):
        if node.output[0] in needs:
            reach = _compute_input_reach(node, needs[node.output[0]], kernels)
            for name in node.input[:1] if "Conv" in node.op_type else node.input:
                first, last = needs.get(name, reach)
                needs[name] = (min(first, reach[0]), max(last, reach[1]))
    return needs


def compute_samples_per_frame(graph: onnx.GraphProto) -> int:
    """Return the hop length of a decoder."""
    return prod(find_upsampling_rate(node) for node in graph.node if node.op_type == "ConvTranspose")


def find_upsampling_rate(node: onnx.NodeProto) -> int:
    """Return how many steps a transposed convolution makes of one."""
    return _read_last_axis_value(node, "strides", 1)


def _compute_input_reach(node: onnx.NodeProto, reach: Reach, kernels: Mapping[str, int]) -> Reach:
    """Return the indices of a node's input that the indices `reach` of its output depend on."""
    if node.op_type not in ("Conv", "ConvTranspose"):
        return reach
    first, last = reach
    width = (kernels[node.input[1]] - 1) * _read_last_axis_value(node, "dilations", 1)
    stride, pad = _read_last_axis_value(node, "strides", 1), _read_padding(node)
    if node.op_type == "Conv":
        return first * stride - pad, last * stride - pad + width
    return -((width - first - pad) // stride), (last + pad) // stride


def _read_padding(node: onnx.NodeProto) -> int:
    """Return the padding before the time axis; the paddings after all axes follow those before."""
    pads = next((item.ints for item in node.attribute if item.name == "pads"), [0, 0])
    return int(pads[len(pads) // 2 - 1])


def _read_last_axis_value(node: onnx.NodeProto, attribute: str, default: int) -> int:
    """Return the value of an attribute for the last axis, which is time."""
    values = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    return int(values.get(attribute, [default])[-1])
