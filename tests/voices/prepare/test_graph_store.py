"""Graphs on disk: small files of nodes, weights beside them."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort.optimized_graphs import compute_graph_identity, list_graph_files, measure_graph_bytes
from app.voices.prepare.graph_store import load_graph, store_graph, store_graph_pair

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


def _sum(**weights: np.ndarray) -> onnx.ModelProto:
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    tensors = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    return helper.make_model(helper.make_graph([helper.make_node("Sum", list(weights), ["out"])], "g", [], [out], tensors))


def test_a_variant_takes_equal_weights_from_the_file_of_its_graph(tmp_path: Path) -> None:
    graph, variant = _sum(first=WEIGHTS, second=2 * WEIGHTS), _sum(other=2 * WEIGHTS, first=3 * WEIGHTS)
    assert store_graph_pair(graph, variant, tmp_path, "decoder", "fast") == ("decoder.onnx", "decoder.fast.onnx")
    assert [(tmp_path / name).stat().st_size // WEIGHTS.nbytes for name in ("decoder.bin", "decoder.fast.bin")] == [2, 1]
    for file, wanted in {"decoder.onnx": (1, 2), "decoder.fast.onnx": (2, 3)}.items():
        stored = load_graph(tmp_path / file)
        for tensor, factor in zip(stored.graph.initializer, wanted, strict=True):
            assert np.array_equal(numpy_helper.to_array(tensor), factor * WEIGHTS)


def test_the_shared_weights_of_a_variant_count_as_its_own(tmp_path: Path) -> None:
    store_graph_pair(_sum(first=WEIGHTS), _sum(first=WEIGHTS), tmp_path, "decoder", "fast")
    fast = tmp_path / "decoder.fast.onnx"
    assert list_graph_files(fast) == [fast, tmp_path / "decoder.bin"]
    assert measure_graph_bytes(fast) > WEIGHTS.nbytes
    before = compute_graph_identity(fast)
    (tmp_path / "decoder.bin").write_bytes(b"other weights")
    assert compute_graph_identity(fast) != before
