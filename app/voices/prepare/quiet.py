"""A copy of a public SBV2 graph with its noise silenced and its durations shown: what a parity check needs.

Some exporters bake the noise scales in, so the only way to get the noiseless output is to silence the two random nodes.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # stubs would be one more package

from app.errors import VoiceError
from app.language import say

DURATIONS = "koebako_durations"


def quiet_copy(model: Path | bytes) -> tuple[bytes, bool]:
    """The silenced graph, serialised, and whether it has the extra output DURATIONS (frames per symbol)."""
    try:
        proto = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(str(model), load_external_data=False)
    except (DecodeError, OSError) as exc:
        raise VoiceError(
            say("ONNX モデルとして読めません。", "This is not a readable ONNX model."),
            say("ファイルが壊れていないか確かめてください。", "Check that the file is complete."),
        ) from exc
    _silence(proto.graph)
    ceils = [node for node in proto.graph.node if node.op_type == "Ceil"]
    if len(ceils) == 1:
        shown = onnx.helper.make_node("Identity", [ceils[0].output[0]], [DURATIONS])
        proto.graph.node.append(shown)
        proto.graph.output.append(onnx.helper.make_tensor_value_info(DURATIONS, onnx.TensorProto.FLOAT, None))
    return proto.SerializeToString(), len(ceils) == 1


def _silence(graph: onnx.GraphProto) -> None:
    """Puts zeros where the graph draws noise (a scale of 0 would abort the process inside ONNX Runtime)."""
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
