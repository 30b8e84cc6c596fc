"""A copy of a public SBV2 graph that takes its noise from outside, to compare a prepared voice with its source."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.cut_points import PASS_THROUGH_OPS, find_cut_points
from app.voices.prepare.graph_walk import GraphLinks
from app.voices.prepare.simplify.subgraph import collect_needed_nodes
from app.voices.prepare.zero_noise import DURATIONS_OUTPUT

DURATION_NOISE = "koebako_duration_noise"
PRIOR_NOISE = "koebako_prior_noise"


def expose_noise_inputs(source: onnx.ModelProto) -> onnx.ModelProto:
    """Return the graph with its two random nodes made inputs; its outputs are the audio and DURATIONS (frames per symbol).

    Inputs: DURATION_NOISE float32 [1, 2, T] and PRIOR_NOISE float32 [1, C, F], both standard normal; the graph scales them itself.

    Raises:
        UnknownGraphError: there is not one random node before and one after the durations.
    """
    seams = find_cut_points(source.graph)
    new_names = {seams.duration_noise: DURATION_NOISE, seams.prior_noise: PRIOR_NOISE}
    copy = onnx.ModelProto()
    copy.CopyFrom(source)
    nodes = [node for node in copy.graph.node if node.output[0] not in new_names]
    for node in nodes:
        for place, name in enumerate(node.input):
            node.input[place] = new_names.get(name, name)
    del copy.graph.node[:]
    copy.graph.node.extend(nodes)
    copy.graph.node.append(helper.make_node("Identity", [seams.frames], [DURATIONS_OUTPUT]))
    del copy.graph.output[1:]
    copy.graph.output.append(helper.make_tensor_value_info(DURATIONS_OUTPUT, TensorProto.FLOAT, None))
    for name in new_names.values():
        copy.graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, None]))
    _drop_unneeded_nodes(copy.graph)
    return copy


def _drop_unneeded_nodes(graph: onnx.GraphProto) -> None:
    """Drop the nodes that only other outputs need, as they would run all the same."""
    nodes = collect_needed_nodes(graph, [item.name for item in graph.output], set())
    del graph.node[:]
    graph.node.extend(nodes)


def find_baked_noise_scales(source: onnx.ModelProto) -> dict[str, float]:
    """Return the noise scales that an exporter wrote into the graph instead of making them inputs, by the input's name."""
    seams, links = find_cut_points(source.graph), GraphLinks(source.graph.node)
    ends = {"noise_scale_w": (seams.duration_noise, seams.sdp_noise), "noise_scale": (seams.prior_noise, seams.z_p)}
    inputs = {item.name for item in source.graph.input}
    return {name: _compute_constant_factor(source.graph, links, *way) for name, way in ends.items() if name not in inputs}


def _compute_constant_factor(graph: onnx.GraphProto, links: GraphLinks[onnx.NodeProto], name: str, end_name: str) -> float:
    """Return the product of the constant numbers that a tensor is multiplied by on its way to `end_name`."""
    factor = 1.0
    while name != end_name and len(links.readers[name]) == 1 and links.readers[name][0].op_type in PASS_THROUGH_OPS | {"Mul"}:
        node = links.readers[name][0]
        others = [_find_constant_number(graph, links, other) for other in node.input if other != name] if node.op_type == "Mul" else []
        factor *= next((value for value in others if value is not None), 1.0)
        name = node.output[0]
    return factor


def _find_constant_number(graph: onnx.GraphProto, links: GraphLinks[onnx.NodeProto], name: str) -> float | None:
    """Return the value of a constant of one element, or None."""
    name = links.skip_operators(name, PASS_THROUGH_OPS)
    maker = links.maker.get(name)
    if maker is not None:
        tensor = next((item.t for item in maker.attribute if maker.op_type == "Constant" and item.name == "value"), None)
    else:
        tensor = next((item for item in graph.initializer if item.name == name), None)
    if tensor is None:
        return None
    array = numpy_helper.to_array(tensor)
    return float(array.reshape(-1)[0]) if array.size == 1 else None
