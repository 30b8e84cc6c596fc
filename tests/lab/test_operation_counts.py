"""Multiply-adds are those that another tool counts, and belong to the parts whose names their nodes bear."""

import math
import time
import warnings
from collections import Counter
from pathlib import Path

import onnx
import pytest

from app.adapters.ort.profiled_session import measure_operator_runs
from app.common.files.paths import find_resources_dir
from app.lab.inspect.graph_summaries import choose_depth, parse_module_paths, sum_by_part
from app.lab.synthetic_runs import InputSizes, OperationCounts, build_inputs, count_operations
from app.voices.prepare import graph_cutting
from app.voices.prepare.graph_facts import collect_graph_facts
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.tiled_decoder import ConvolutionSize, build_trial_graphs
from tests.lab.graphs import cut_subject, looped

SIZES = InputSizes(symbols=31, frames=100, tokens=12, hop=512)
COUNTED = ("Conv", "ConvTranspose", "MatMul", "Gemm")


def count(path: Path, form: str = "prepared") -> OperationCounts:
    model = load_graph(path, with_external_weights=False)
    return count_operations(model, collect_graph_facts(model), path.parent, SIZES, form, path.stem)


def counted_by_onnx_tool(path: Path, ours: OperationCounts) -> dict[str, int]:
    """It counts a bias as one multiply-add a number; ONNX's convention and ours is that it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        onnx_tool = pytest.importorskip("onnx_tool")
        model = onnx_tool.Model(str(path), {"verbose": False})
        model.graph.shape_infer(ours.values)
        model.graph.profile()
    found: Counter[str] = Counter()
    for node in model.graph.nodemap.values():
        if node.op_type in COUNTED:
            biased = node.op_type.startswith("Conv") and len(node.input) > 2
            found[node.op_type] += int(node.macs[0]) - (math.prod(model.graph.tensormap[node.output[0]].get_shape()) if biased else 0)
    return dict(found)


@pytest.mark.parametrize("name", ["voices/mei/flow.onnx", "voices/mei/decoder.onnx", "bert/starter/bert.onnx"])
def test_what_ships_has_as_many_multiply_adds_as_another_tool_counts(name: str) -> None:
    ours = count(find_resources_dir() / name)
    assert ours.operators == counted_by_onnx_tool(find_resources_dir() / name, ours)
    assert ours.macs == sum(ours.by_node.values()) > 1e6
    assert -1 not in ours.by_node, "every one is a node's"


def test_a_model_of_others_has_as_many_as_another_tool_counts(shared: Path) -> None:
    path = shared / "judges" / "dnsmos" / "model_v8.onnx"
    if not path.is_file():
        pytest.skip(f"no model at {path}")
    ours = count(path, "source")
    assert ours.operators == counted_by_onnx_tool(path, ours)


def test_the_decoder_of_a_voice_has_as_many_as_another_tool_counts(
    tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was before the context of windows is cut, which that tool cannot follow. Transposed convolutions aside: it lets every number
    that comes out meet every tap, as if there were no stride; `tests/bench/test_multiply_adds.py` counts one by hand.
    """
    monkeypatch.setattr(graph_cutting, "crop_decoder_context", lambda _decoder: False)
    content = cut_subject(tiny_models / "jp-extra-tiny/model.onnx").prepared["decoder"]
    assert isinstance(content, bytes)
    store_graph(onnx.load_from_string(content), tmp_path, "decoder")  # weights beside it
    ours = count(tmp_path / "decoder.onnx")
    (tmp_path / "one_file.onnx").write_bytes(content)
    theirs = counted_by_onnx_tool(tmp_path / "one_file.onnx", ours)
    assert 0 < ours.operators["ConvTranspose"] < theirs["ConvTranspose"]
    assert ours.operators["Conv"] == theirs["Conv"]


def test_what_runs_in_a_loop_is_counted_each_time_and_timed_once(tmp_path: Path) -> None:
    path = looped(tmp_path / "loop.onnx", turns=300, size=256)
    work = count(path, "source")
    assert work.by_node == {0: 300 * 256**3}
    facts = collect_graph_facts(load_graph(path))
    assert [step.operators for step in facts.steps] == [("Loop", "Identity", "MatMul", "Add")]
    assert {weight.name for weight in facts.weights} >= {"matrix", "turns"}
    began = time.perf_counter()
    (nodes,) = measure_operator_runs(path, [work.values], is_optimised=True)
    elapsed_ms = (time.perf_counter() - began) * 1000
    assert sum(node.own_ms for node in nodes) <= elapsed_ms, "a loop's time is not that of its nodes once more"
    assert next(node.own_ms for node in nodes if node.operator == "Loop") > 0


def test_tiles_count_as_they_are_computed_and_products_of_weights_not_at_all(tmp_path: Path) -> None:
    plain, tiled = build_trial_graphs(ConvolutionSize(64, 11, 12), frames=5)
    counts = [count(tmp_path / store_graph(graph, tmp_path, name), "source") for name, graph in (("plain", plain), ("tiled", tiled))]
    assert counts[0].macs == 2 * 60 * 64 * 64 * 11
    # Tiles of 6 steps need 16 points; dilations of 1 and 3 make 10 and 4 · 3 tiles of 60 steps.
    tiles = 10 + 12
    assert counts[1].macs == tiles * 64 * (16 * 64 + 16 * 16 + 6 * 16)
    facts = collect_graph_facts(tiled)
    assert {operator for step in facts.steps if step.is_constant for operator in step.operators} >= {"Transpose", "MatMul"}


@pytest.mark.parametrize("graph", ["prosody", "flow", "decoder"])
def test_inputs_have_the_sizes_that_were_asked_for(graph: str) -> None:
    facts = collect_graph_facts(load_graph(find_resources_dir() / "voices" / "mei" / f"{graph}.onnx", with_external_weights=False))
    for symbols, frames in ((3, 90), (61, 7)):
        known = {"T": symbols, "F": frames, "W": frames, "N": 4 * frames}
        values = build_inputs(facts.inputs, InputSizes(symbols, frames, hop=4), is_prepared=True)
        for item in facts.inputs:
            assert values[item.name].shape == tuple(known[size] if isinstance(size, str) else size for size in item.shape or ())


def test_nodes_without_a_path_belong_to_the_part_before_them() -> None:
    names = ["Shape_1", "/enc/attn/MatMul", "MatMul_7", "/MatMul", "/dec/ups.0/Conv", "model/layer.3/dense/Gemm"]
    paths = parse_module_paths(names)
    assert paths == [(), ("enc", "attn"), ("enc", "attn"), ("/",), ("dec", "ups.0"), ("model", "layer.3", "dense")]
    parts = sum_by_part(paths, {1: 5, 2: 7, 4: 1, 5: 2}, 1)
    assert parts == {"": (1, 0), "enc": (2, 12), "/": (1, 0), "dec": (1, 1), "layer.3": (1, 2)}
    assert choose_depth(paths, {1: 5, 4: 5}) == 1
    assert choose_depth(parse_module_paths(["/dec/a/Conv", "/dec/b/Conv"]), {0: 1, 1: 1}) == 2
