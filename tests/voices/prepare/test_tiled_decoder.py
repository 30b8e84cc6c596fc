"""A decoder whose convolutions are computed in tiles gives the samples of the one that it was made from; which ones are is for a measurement to say."""

import os
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest

from app.adapters.ort.optimized_graphs import OPTIMIZED_GRAPH_NAME
from app.adapters.ort.optimized_session import write_copy
from app.compose import decoder_tiles
from app.compose.decoder_tiles import measure_gain, rewrite_decoder
from app.voices.prepare.decoder_context import FIRST_FRAME_INPUT, LAST_FRAME_INPUT
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_store import store_graph
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.tiled_decoder import ConvolutionSize, build_trial_graphs, map_convolution_sizes, rewrite_convolutions
from tests.conftest import MODELS_VARIABLE
from tests.voices.prepare.parity import session

pytestmark = pytest.mark.usefixtures("tiny_models")
FRAMES, CHANNELS, MARGIN = 50, 32, 13
TOLERANCE = 1e-4


@cache
def plain_decoder() -> onnx.ModelProto:
    return cut_voice_graph(onnx.load(Path(os.environ[MODELS_VARIABLE]) / "jp-extra-tiny-2spk" / "model.onnx")).decoder


def decode(model: onnx.ModelProto, first: int, last: int) -> np.ndarray:
    z = np.random.default_rng(0).standard_normal((CHANNELS, FRAMES), dtype=np.float32)
    values = {"z": z, "sid": 0, FIRST_FRAME_INPUT: first, LAST_FRAME_INPUT: last}
    return session(model, "decoder").run_graph(values, ["audio"])[0]


def copy_tiled(results: Collection[str]) -> onnx.ModelProto:
    model = onnx.ModelProto()
    model.CopyFrom(plain_decoder())
    rewrite_convolutions(model, results)
    onnx.checker.check_model(model)
    return model


@pytest.mark.parametrize("kernels", [(3, 7, 11), (7, 11), (11,), (3,)], ids=str)
@pytest.mark.parametrize("place", ["all stages", "the first stage", "the last stage"])
def test_tiles_give_the_same_samples(kernels: tuple[int, ...], place: str) -> None:
    sizes = map_convolution_sizes(plain_decoder().graph)
    steps = sorted({size.steps_per_frame for size in sizes.values()})
    stages = {"all stages": steps, "the first stage": steps[:1], "the last stage": steps[-1:]}[place]
    chosen = [name for name, size in sizes.items() if size.kernel in kernels and size.steps_per_frame in stages]
    assert chosen
    tiled = copy_tiled(chosen)
    left = {node.output[0] for node in tiled.graph.node if node.op_type == "Conv"}
    assert left.isdisjoint(chosen)
    assert left >= sizes.keys() - set(chosen)
    for first, last in ((0, FRAMES), (MARGIN, FRAMES - MARGIN)):
        expected, samples = decode(plain_decoder(), first, last), decode(tiled, first, last)
        assert samples.shape == expected.shape
        assert np.abs(samples - expected).max() <= TOLERANCE


def test_only_stages_of_a_decoder_are_looked_at() -> None:
    sizes = map_convolution_sizes(plain_decoder().graph)
    assert {size.kernel for size in sizes.values()} == {3, 7, 11}
    assert {size.steps_per_frame for size in sizes.values()} == {8, 64, 128, 256, 512}
    prosody = cut_voice_graph(onnx.load(Path(os.environ[MODELS_VARIABLE]) / "jp-extra-tiny-2spk" / "model.onnx")).prosody
    assert not map_convolution_sizes(prosody.graph)


def test_trial_graphs_compute_the_same_in_both_ways() -> None:
    size = ConvolutionSize(24, 7, 8)
    plain, tiled = build_trial_graphs(size, 5)
    values = {"x": np.random.default_rng(1).standard_normal((1, 24, 1, 40), dtype=np.float32)}
    first, second = (session(graph, "trial").run_graph(values, ["y"])[0] for graph in (plain, tiled))
    assert np.abs(first - second).max() <= TOLERANCE
    assert [sum(node.op_type == "Conv" for node in graph.graph.node) for graph in (plain, tiled)] == [2, 0]
    assert measure_gain(size) > 0


def test_the_copy_of_a_decoder_has_tiles_where_they_were_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder_tiles, "MIN_CHANNELS", 1)
    model = onnx.ModelProto()
    model.CopyFrom(plain_decoder())
    expected = decode(plain_decoder(), 0, FRAMES)
    graph = tmp_path / store_graph(model, tmp_path, "decoder")
    assert rewrite_decoder(graph, lambda _size: 1.0) is None, "nothing is faster"
    asked: list[ConvolutionSize] = []

    def measure(size: ConvolutionSize) -> float:
        asked.append(size)
        return 2.0 if size.kernel == 11 else 1.0

    write_copy(graph, tmp_path, rewrite_decoder(graph, measure))
    copy = tmp_path / OPTIMIZED_GRAPH_NAME
    assert len(asked) == len(set(asked)) == len(set(map_convolution_sizes(plain_decoder().graph).values()))
    kernels = [node.op_type for node in onnx.load(copy, load_external_data=False).graph.node]
    assert "Gather" in kernels
    assert np.abs(decode(onnx.load(copy), 0, FRAMES) - expected).max() <= TOLERANCE


def test_a_size_is_measured_once_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path))
    monkeypatch.setattr(decoder_tiles, "MIN_CHANNELS", 1)
    measured: list[ConvolutionSize] = []
    monkeypatch.setattr(decoder_tiles, "measure_gain", lambda size: measured.append(size) or 1.0)
    model = onnx.ModelProto()
    model.CopyFrom(plain_decoder())
    graph = tmp_path / store_graph(model, tmp_path, "decoder")
    for _ in range(2):
        assert rewrite_decoder(graph) is None
    assert len(measured) == len(set(measured)) > 10
    monkeypatch.setattr(decoder_tiles, "describe_processor", lambda: "another one")
    rewrite_decoder(graph)
    assert len(measured) == 2 * len(set(measured))


def test_what_multiplies_with_weights_of_channels_stays_in_images() -> None:
    writer, channels, noise = GraphWriter("odd", "T"), 8, np.random.default_rng(2)
    image = writer.add_input("x", [1, channels, 1, "T"])
    image = writer.add_node("Mul", image, writer.add_weight("gains", noise.standard_normal((channels, 1, 1))))
    image = writer.add_conv(image, writer.add_weight("weight", noise.standard_normal((channels, channels, 1, 3))), None)
    writer.add_output("y", image, [1, channels, 1, "T"])
    plain, tiled = writer.build_model(), onnx.ModelProto()
    tiled.CopyFrom(plain)
    rewrite_convolutions(tiled, [image])
    values = {"x": noise.standard_normal((1, channels, 1, 29), dtype=np.float32)}
    first, second = (session(graph, "odd").run_graph(values, ["y"])[0] for graph in (plain, tiled))
    assert "Conv" not in {node.op_type for node in tiled.graph.node}
    assert np.abs(first - second).max() <= TOLERANCE
