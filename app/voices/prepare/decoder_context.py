"""The context that a decoder needs on each side of a window, and how it is let go of as soon as it has done its part.

A decoder of SBV2 needs 13 frames, but its first stage alone takes eleven of them, and that is a fifth of the work: what the later stages see beyond two frames is computed
in vain. The rewritten graph is given which frames are wanted and cuts, before each upsampling, what no wanted sample depends on. Where a sentence ends nothing is cut, so
the zeros that convolutions see there stay where they were.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_walk import replace_items

Reach = tuple[int, int]  # first and last index

FIRST_FRAME_INPUT, LAST_FRAME_INPUT = "first", "last"  # inputs int64 [1]: the wanted frames of the window are [first, last)
SIZE_OPS = {"Shape", "Size"}  # consumers of these operators would get another length


def compute_margin_frames(decoder: onnx.ModelProto) -> int:
    """Return the number of frames, on the larger side of a frame, that any sample of a decoder `z` [D, W] depends on; all but convolutions works sample by sample."""
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
    # The paddings after all axes follow those before; time is the last axis.
    pads = next((item.ints for item in node.attribute if item.name == "pads"), [0, 0])
    stride, pad = _read_last_axis_value(node, "strides", 1), int(pads[len(pads) // 2 - 1])
    if node.op_type == "Conv":
        return first * stride - pad, last * stride - pad + width
    return -((width - first - pad) // stride), (last + pad) // stride


def _read_last_axis_value(node: onnx.NodeProto, attribute: str, default: int) -> int:
    values = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    return int(values.get(attribute, [default])[-1])


def crop_decoder_context(decoder: onnx.ModelProto) -> bool:
    """Rewrite a decoder `z` [D, W] → samples in place so that it takes `first` and `last` and gives the samples of those frames alone.

    Returns:
        False where it is not one chain of upsampling stages, with everything else sample by sample; then it stays as it is.
    """
    graph = decoder.graph
    upsamplings = [node for node in graph.node if node.op_type == "ConvTranspose"]
    if len(upsamplings) < 2 or any(node.op_type in SIZE_OPS for node in graph.node):
        return False
    _ContextCropper(graph).rewrite_graph(upsamplings)
    return True


class _ContextCropper:
    """Puts the cuts in; positions are counted in steps of the stage where they are.

    Lengths that are stated stay true: every stage has a name for its own, and keeps one length from its upsampling to the cut before the next.
    """

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._graph = graph
        self._needs = compute_reaches(graph)
        self._hop_length = compute_samples_per_frame(graph)
        self._added: list[onnx.NodeProto] = []
        self._constants: dict[int, str] = {}
        self._names = 0

    def rewrite_graph(self, upsamplings: list[onnx.NodeProto]) -> None:
        """Cut before every upsampling but the first, whose steps are frames, and at the end."""
        graph, output = self._graph, self._graph.output[0].name
        nodes, uncut = list(graph.node), f"{output}/uncut"
        maker = next(node for node in nodes if output in node.output)
        maker.output[list(maker.output).index(output)] = uncut
        window = self._add_node("Shape", "z", start=1, end=2)
        begin, end, scale = self._add_number(0), window, 1
        cuts: dict[str, list[onnx.NodeProto]] = {}
        for node in upsamplings:
            if scale > 1:
                first, last = self._add_needed_bounds(scale, self._needs[node.input[0]])
                first, last = self._add_node("Max", first, begin), self._add_node("Min", last, end)
                node.input[0] = self._add_slice(node.input[0], begin, first, last)
                begin, end = first, last
            cuts[node.output[0]], self._added = self._added, []
            rate = find_upsampling_rate(node)
            begin, end, scale = self._add_product(begin, rate), self._add_product(end, rate), scale * rate
        self._add_slice(uncut, begin, *self._add_needed_bounds(self._hop_length, (0, self._hop_length - 1)), result=output)
        replace_items(graph.node, [*(item for node in nodes for item in (*cuts.get(node.output[0], ()), node)), *self._added])
        graph.input.extend(helper.make_tensor_value_info(name, TensorProto.INT64, [1]) for name in (FIRST_FRAME_INPUT, LAST_FRAME_INPUT))

    def _add_needed_bounds(self, scale: int, reach: Reach) -> tuple[str, str]:
        """Add the bounds of the steps that the wanted frames depend on, as if the sentence never ended."""
        before, after = max(0, -reach[0]), max(0, reach[1] - (scale - 1))
        first = self._add_node("Sub", self._add_product(FIRST_FRAME_INPUT, scale), self._add_number(before))
        return first, self._add_node("Add", self._add_product(LAST_FRAME_INPUT, scale), self._add_number(after))

    def _add_slice(self, value: str, begin: str, first: str, last: str, result: str = "") -> str:
        """Add the steps [first, last) of a tensor that starts at `begin`."""
        return self._add_node(
            "Slice", value, self._add_node("Sub", first, begin), self._add_node("Sub", last, begin), self._add_number(-1), result=result
        )

    def _add_product(self, value: str, factor: int) -> str:
        return self._add_node("Mul", value, self._add_number(factor))

    def _add_number(self, value: int) -> str:
        if value not in self._constants:
            name = self._constants[value] = f"crop/{value}"
            self._graph.initializer.append(numpy_helper.from_array(np.array([value], np.int64), name))
        return self._constants[value]

    def _add_node(self, op: str, *inputs: str, result: str = "", **attributes: Any) -> str:
        self._names += 1
        name = f"crop/{op}_{self._names}"
        self._added.append(helper.make_node(op, inputs, [result or name], name=name, **attributes))
        return result or name
