"""Where a graph can be cut: found by what nodes do, refused where that is not clear."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from app.voices.expected_outputs import read_cases
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.source_graphs import find_cut_points
from tests.voices.prepare.parity import PreparedVoice


@pytest.fixture
def model(tiny_models: Path) -> onnx.ModelProto:
    """A JP-Extra voice."""
    path = tiny_models / "jp-extra-tiny-2spk" / "model.onnx"
    return onnx.load(str(path))


def test_names_are_not_needed(model: onnx.ModelProto, tiny_models: Path) -> None:
    kept = {item.name for item in model.graph.input} | {item.name for item in model.graph.output}
    for item in model.graph.initializer:
        item.name = f"anonymous {item.name}"
    for node in model.graph.node:
        node.name = ""
        for names in (node.input, node.output):
            for place, name in enumerate(names):
                names[place] = name if name in kept or not name else f"anonymous {name}"
    del model.graph.value_info[:]
    case = read_cases(tiny_models / "jp-extra-tiny-2spk" / "expected.npz")[0]
    samples, frames = PreparedVoice(cut_voice_graph(model)).speak(case)
    assert np.array_equal(frames, case["durations_frames"].reshape(-1))
    assert np.abs(samples - case["output"].reshape(-1)).max() <= 1e-4


def test_another_ceil_inside_a_module_is_told_apart(model: onnx.ModelProto) -> None:
    expected = find_cut_points(model.graph)
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/enc_p/encoder/Ceil"))
    assert find_cut_points(model.graph) == expected


def _without(model: onnx.ModelProto, op: str) -> None:
    nodes = [node for node in model.graph.node if node.op_type != op]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


@pytest.mark.parametrize("op", ["Ceil", "RandomNormalLike", "ConvTranspose", "Exp", "ReduceSum", "Transpose", "Tanh"])
def test_a_graph_that_lacks_a_part_is_refused(model: onnx.ModelProto, op: str) -> None:
    _without(model, op)
    with pytest.raises(UnknownGraphError):
        cut_voice_graph(model)


def test_another_top_level_ceil_is_refused(model: onnx.ModelProto) -> None:
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    with pytest.raises(UnknownGraphError, match="2 × Ceil"):
        cut_voice_graph(model)


@pytest.mark.parametrize("op", ["Slice", "Reshape", "Concat", "Gather", "Conv", "Pad"])
def test_a_malformed_graph_is_refused(model: onnx.ModelProto, op: str) -> None:
    """Nodes without inputs break whatever reads them; the reader of a foreign file must not break."""
    for node in model.graph.node:
        if node.op_type == op:
            del node.input[1:]
    with pytest.raises(UnknownGraphError):
        cut_voice_graph(model)


def test_a_graph_that_runs_in_circles_is_refused(model: onnx.ModelProto) -> None:
    for node in model.graph.node:
        if node.op_type == "Ceil":
            model.graph.node.append(helper.make_node("Identity", [node.output[0]], ["circle"]))
            node.input[0] = "circle"
    with pytest.raises(UnknownGraphError, match="out of order"):
        cut_voice_graph(model)


def test_a_graph_of_another_kind_is_refused(tiny_models: Path) -> None:
    path = tiny_models / "deberta-tiny" / "model.onnx"
    with pytest.raises(UnknownGraphError):
        cut_voice_graph(onnx.load(str(path)))
