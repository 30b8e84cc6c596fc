"""A copy of a public SBV2 graph that takes its noise from outside, to compare a prepared voice with its source while noise is on."""

from __future__ import annotations

import onnx
from onnx import TensorProto, helper

from app.voices.prepare.seams import find_seams

DURATION_NOISE = "koebako_duration_noise"
PRIOR_NOISE = "koebako_prior_noise"


def noisy_copy(source: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with its two random nodes made inputs.

    Inputs: DURATION_NOISE float32 [1, 2, T] and PRIOR_NOISE float32 [1, C, F], both standard normal; the graph scales them itself.

    Raises:
        UnknownGraphError: there is not one random node before and one after the durations.
    """
    seams = find_seams(source.graph)
    new_names = {seams.duration_noise: DURATION_NOISE, seams.prior_noise: PRIOR_NOISE}
    copy = onnx.ModelProto()
    copy.CopyFrom(source)
    nodes = [node for node in copy.graph.node if node.output[0] not in new_names]
    for node in nodes:
        for place, name in enumerate(node.input):
            node.input[place] = new_names.get(name, name)
    del copy.graph.node[:]
    copy.graph.node.extend(nodes)
    for name in new_names.values():
        copy.graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, None]))
    return copy
