"""Graphs on disk: small files of nodes, weights beside them."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_store import load_graph, store_graph

WEIGHTS = np.arange(1024, dtype=np.float32)


def _choice() -> onnx.ModelProto:
    """A graph whose weights lie in graphs inside a node, but for a short one."""
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)

    def branch(name: str, weights: np.ndarray) -> onnx.GraphProto:
        node = helper.make_node("Identity", [name], ["out"])
        return helper.make_graph([node], name, [], [out], [numpy_helper.from_array(weights, name)])

    choice = helper.make_node("If", ["which"], ["out"], then_branch=branch("a", WEIGHTS), else_branch=branch("b", -WEIGHTS))
    return helper.make_model(helper.make_graph([choice], "g", [], [out], [numpy_helper.from_array(np.array(True), "which")]))


def test_weights_lie_in_a_file_of_their_own_whatever_lies_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, current = tmp_path / "voice", tmp_path / "current"
    for place in (folder, current):
        place.mkdir()
    (current / "decoder.bin").write_bytes(b"something else")
    monkeypatch.chdir(current)
    whole = _choice().SerializeToString()
    assert store_graph(_choice(), folder, "decoder") == "decoder.onnx"
    assert (folder / "decoder.bin").stat().st_size == 2 * WEIGHTS.nbytes
    assert (folder / "decoder.onnx").stat().st_size < 1000
    stored = load_graph(folder / "decoder.onnx")
    for attribute in stored.graph.node[0].attribute:
        (tensor,) = attribute.g.initializer
        assert np.array_equal(numpy_helper.to_array(tensor), WEIGHTS if attribute.name == "then_branch" else -WEIGHTS)
    assert stored.graph.initializer == onnx.load_from_string(whole).graph.initializer
    assert (current / "decoder.bin").read_bytes() == b"something else"
