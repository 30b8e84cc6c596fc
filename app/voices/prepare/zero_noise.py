"""A copy of a public SBV2 graph with its noise silenced and its durations shown: what a parity check needs.

Some exporters bake the noise scales in, so the only way to get the noiseless output is to silence the two random nodes.
"""

from __future__ import annotations

from pathlib import Path

import onnx

from app.voices.prepare.graph_store import load_graph

DURATIONS_OUTPUT = "koebako_durations"


def build_noiseless_graph(model: Path | bytes) -> tuple[bytes, bool]:
    """Return the silenced graph, serialised, and whether it has the extra output DURATIONS (frames per symbol)."""
    proto = load_graph(model)
    _replace_noise_with_zeros(proto.graph)
    ceils = [node for node in proto.graph.node if node.op_type == "Ceil"]
    if len(ceils) == 1:
        shown = onnx.helper.make_node("Identity", [ceils[0].output[0]], [DURATIONS_OUTPUT])
        proto.graph.node.append(shown)
        proto.graph.output.append(onnx.helper.make_tensor_value_info(DURATIONS_OUTPUT, onnx.TensorProto.FLOAT, None))
    return proto.SerializeToString(), len(ceils) == 1


def _replace_noise_with_zeros(graph: onnx.GraphProto) -> None:
    """Replace the noise that the graph draws by zeros (a scale of 0 would abort the process inside ONNX Runtime)."""
    nodes = []
    for node in graph.node:
        if node.op_type == "RandomNormalLike":
            shape = f"{node.output[0]}_shape"
            nodes.append(onnx.helper.make_node("Shape", [node.input[0]], [shape]))
            nodes.append(onnx.helper.make_node("ConstantOfShape", [shape], [node.output[0]]))
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
