"""Voices of every kind are prepared, proved against their source, and refused without a trace where that fails."""

import copy
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from app.common.errors import OutputFileError, VoiceError
from app.compose.graph_runner import create_graph_runner
from app.install import verify_voice
from app.install.voice_preparation import compute_refinement, prepare_voice
from app.voices.expected_outputs import read_cases, verify_case
from app.voices.prepare import graph_cutting
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepared_voice import PreparationResult, map_int8_files, read_manifest, read_prepared_voice
from app.voices.untrusted.safetensors_file import SafetensorsFile
from tests.brief_preparation import calibrate_briefly, verify_briefly
from tests.small_files import small_files
from tests.voices.safetensors_file import write_safetensors

VOICES = ("jp-extra-tiny", "jp-extra-tiny-2spk", "multilingual-tiny")
VARIANTS = ("variant-int32-rank1-single", "variant-no-noise-inputs", "variant-opset17-raw")
QUICK = [
    "jp-extra-tiny-2spk/model.aivmx",
    "multilingual-tiny/model.onnx",
    "variant-no-noise-inputs/model.onnx",
    "jp-extra-tiny-2spk/model.aivm",
]
ALL = [*(f"{name}/model.{kind}" for name in VOICES for kind in ("onnx", "aivmx", "sbv2", "safetensors", "aivm"))]
ALL += [f"{name}/model.onnx" for name in VARIANTS]
AT_LENGTH = "jp-extra-tiny-2spk/model.aivmx"  # gets int8 graphs, and is compared in lines of every length
ALSO_FAST = "multilingual-tiny/model.onnx"  # where slow tests run: int8 graphs are made of the exact ones, wherever those came from
QUICK_SYMBOLS = 40  # the quick step speaks fewer, each other line more
SOURCES = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in ALL if name not in QUICK)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a voice is prepared."""
    folder = tmp_path / "声"
    folder.mkdir()
    return folder


@pytest.fixture
def source(tiny_models: Path, tmp_path: Path) -> Path:
    """An SBV2 folder to change: settings, style vectors, weights and graph."""
    found = (tiny_models / "jp-extra-tiny-2spk/model.onnx").parent
    copy = tmp_path / "source"
    copy.mkdir()
    for name in ("config.json", "style_vectors.npy", "model.safetensors", "model.onnx"):
        shutil.copyfile(found / name, copy / name)
    return copy


def _check(folder: Path, expected: Path) -> None:
    voice = read_prepared_voice(folder)
    cases = read_cases(expected)
    run = create_graph_runner(voice)
    results = [verify_case(number, case, run, voice.manifest.hop_length) for number, case in enumerate(cases)]
    assert len(results) == len(cases) > 0
    for result in results:
        assert result.durations_equal
        assert result.max_abs_diff is not None
        assert result.max_abs_diff <= 1e-4


@dataclass(frozen=True, slots=True)
class Done:
    """What preparing a source once gave, and told."""

    folder: Path
    prepared: PreparationResult
    steps: list[tuple[str, float]]


@pytest.fixture(scope="module")
def prepared_once(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory, at_length: bool) -> Callable[[str], Done]:
    """Prepares a source for all tests that only look at what came of it."""

    @cache
    def once(name: str) -> Done:
        folder, steps = tmp_path_factory.mktemp("声"), list[tuple[str, float]]()
        int8 = name == AT_LENGTH or (at_length and name == ALSO_FAST)
        with pytest.MonkeyPatch.context() as patch:
            calibrate_briefly(patch)
            if not (at_length or name == AT_LENGTH):
                verify_briefly(patch)
            prepared = prepare_voice(tiny_models / name, folder, lambda step, fraction: steps.append((step, fraction)), int8=int8)
        return Done(folder, prepared, steps)

    return once


@pytest.mark.parametrize("name", SOURCES)
def test_a_prepared_voice_equals_its_source_and_the_reference(tiny_models: Path, prepared_once: Callable[[str], Done], name: str) -> None:
    path, done = tiny_models / name, prepared_once(name)
    folder, prepared, steps = done.folder, done.prepared, done.steps
    if path.suffix in (".safetensors", ".aivm"):
        assert prepared.max_abs_diff is None
    else:
        assert prepared.max_abs_diff is not None
        assert 0 < prepared.max_abs_diff <= 1e-5
    assert prepared.reason is None
    assert prepared.manifest == read_manifest(folder)
    assert prepared.manifest.multilingual == name.startswith("multilingual")
    graphs = {f"{graph}.{kind}" for graph in ("prosody", "flow", "decoder") for kind in ("onnx", "bin")}
    graphs |= {f"{graph}_int8.{kind}" for graph in map_int8_files(prepared.manifest) for kind in ("onnx", "bin")}
    assert {item.name for item in folder.iterdir()} == graphs | {"voice.json", "style_vectors.npy"}
    assert [fraction for _, fraction in steps] == sorted(fraction for _, fraction in steps)
    assert steps[0] == ("reading", 0.0)
    assert steps[-1] == ("checking", 1.0)
    _check(folder, path.parent / "expected.npz")


def test_a_prepared_folder_is_prepared_again(tiny_models: Path, prepared_once: Callable[[str], Done], folder: Path) -> None:
    name = "jp-extra-tiny-2spk/model.aivm"
    first = prepared_once(name)
    again = prepare_voice(first.folder, folder, int8=False)
    assert (first.prepared.manifest, again.max_abs_diff, again.reason) == (again.manifest, None, None)
    _check(folder, (tiny_models / name).parent / "expected.npz")


def test_the_starter_voice_can_be_prepared(folder: Path) -> None:
    shipped = Path(__file__).parent.parent.parent / "resources" / "voices"
    voice = next((item.parent for item in shipped.glob("*/voice.json")), None)
    if voice is None:
        pytest.skip(f"no voice is shipped in {shipped}")
    assert prepare_voice(voice, folder, int8=False).manifest.durations == read_manifest(voice).durations


def test_half_precision_weights(source: Path, folder: Path, tiny_models: Path) -> None:
    file = SafetensorsFile(source / "model.safetensors")
    write_safetensors(source / "half.safetensors", {name: file[name].astype(np.float16) for name in file if name != "iteration"})
    prepare_voice(source / "half.safetensors", folder, is_quick=True)
    voice, case = read_prepared_voice(folder), read_cases(tiny_models / "jp-extra-tiny-2spk" / "expected.npz")[0]
    samples, _ = create_graph_runner(voice)(case)
    assert np.abs(samples[:20000] - case["output"].reshape(-1)[:20000]).mean() < 0.05  # the same sound, less exact


# ---------------------------------------------------------------------------------------------------- refused


def _refused(path: Path, folder: Path, says: str) -> VoiceError:
    """Before it may speak, not only when it is refined."""
    with pytest.raises(VoiceError) as caught:
        prepare_voice(path, folder, is_quick=True)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
    assert list(folder.iterdir()) == []
    return caught.value


def _change(graph: onnx.GraphProto, change: Callable[[np.ndarray], Any], smallest: int = 100) -> None:
    """Changes the first large constant."""
    weight = next(item for item in graph.initializer if np.prod(item.dims) >= smallest)
    values = numpy_helper.to_array(weight).copy()
    change(values)
    weight.CopyFrom(numpy_helper.from_array(values, weight.name))


def _louder(graph: onnx.GraphProto) -> None:
    _change(graph, lambda values: np.multiply(values, 1.5, out=values, casting="unsafe"))


def _half(graph: onnx.GraphProto, name: str) -> None:
    """What reads the input reads half of it."""
    for node in graph.node:
        for place, item in enumerate(node.input):
            node.input[place] = "halved" if item == name else item
    graph.initializer.append(numpy_helper.from_array(np.asarray(0.5, np.float32), "half"))
    graph.node.insert(0, helper.make_node("Mul", [name, "half"], ["halved"]))


LIES: dict[str, tuple[Callable[[PreparedGraphs], Any], str]] = {
    "another constant in the decoder": (lambda graphs: _louder(graphs.decoder.graph), "differ by"),
    "another constant in the flow": (lambda graphs: _louder(graphs.flow.graph), "differ by"),
    "another constant in the prosody": (lambda graphs: _louder(graphs.prosody.graph), "does not match the original"),
    "half the noise in durations": (lambda graphs: _half(graphs.prosody.graph, "sdp_noise"), "does not match the original"),
    "too little context of a window": (lambda graphs: None, "differ by"),
}


@pytest.fixture(scope="module")
def honest(tiny_models: Path) -> PreparedGraphs:
    """What `source` is cut into."""
    return graph_cutting.cut_voice_graph(onnx.load(str(tiny_models / "jp-extra-tiny-2spk/model.onnx")))


@pytest.fixture
def _cut_before(honest: PreparedGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph of `source` is read, but not cut again."""
    monkeypatch.setattr(graph_cutting, "cut_voice_graph", lambda _model: copy.deepcopy(honest))


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name.endswith("the flow") else name for name in LIES])
def test_graphs_that_lie_are_refused(
    source: Path, folder: Path, honest: PreparedGraphs, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Something is different after cutting; noise and windows are compared, too."""
    change, says = LIES[name]

    def lie(_model: onnx.ModelProto) -> PreparedGraphs:
        graphs = copy.deepcopy(honest)
        change(graphs)
        return replace(graphs, margin_frames=3) if "window" in name else graphs

    monkeypatch.setattr(graph_cutting, "cut_voice_graph", lie)
    _refused(source / "model.onnx", folder, says)


def _wrong_in_long_lines(graph: onnx.GraphProto) -> None:
    """The first result is half of what it was where there are more symbols than the quick step speaks."""
    result = graph.output[0].name
    for node in graph.node:
        node.output[:] = ["honest" if name == result else name for name in node.output]
        node.input[:] = ["honest" if name == result else name for name in node.input]
    for name, value in (
        ("one", np.float32(1)),
        ("less", np.float32(0.5)),
        ("symbols_axis", np.int64(1)),
        ("many", np.int64(QUICK_SYMBOLS)),
    ):
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    graph.node.extend(
        [
            helper.make_node("Size", ["x_tst"], ["symbols"]),
            helper.make_node("Greater", ["symbols", "many"], ["is_long"]),
            helper.make_node("Where", ["is_long", "less", "one"], ["factor"]),
            helper.make_node("Mul", ["honest", "factor"], [result]),
        ]
    )


def test_one_that_is_wrong_in_long_lines_alone_is_found_when_it_is_refined(
    source: Path, folder: Path, tmp_path: Path, honest: PreparedGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = copy.deepcopy(honest)
    _wrong_in_long_lines(graphs.prosody.graph)
    monkeypatch.setattr(graph_cutting, "cut_voice_graph", lambda _model: copy.deepcopy(graphs))
    monkeypatch.setattr(verify_voice, "VERIFICATION_PLANS", verify_voice.VERIFICATION_PLANS[:2])  # the second is long enough
    assert prepare_voice(source / "model.onnx", folder, is_quick=True).max_abs_diff is not None
    results = tmp_path / "results"
    results.mkdir()
    with pytest.raises(VoiceError, match="does not match the original"):
        compute_refinement(folder, results)
    assert list(results.iterdir()) == []
    for item in folder.iterdir():
        item.unlink()
    with pytest.raises(VoiceError, match="does not match the original"):
        prepare_voice(source / "model.onnx", folder)


def _weights(source: Path, change: Callable[[dict[str, np.ndarray]], Any]) -> Path:
    file = SafetensorsFile(source / "model.safetensors")
    tensors = {name: np.array(file[name]) for name in file if name != "iteration"}
    change(tensors)
    return write_safetensors(source / "changed.safetensors", tensors)


NONSENSE = {
    "contains invalid values": lambda tensors: tensors["dec.conv_pre.weight"].fill(np.nan),
    "outputs invalid values": lambda tensors: tensors["enc_p.proj.weight"].fill(1e3),
    "is silent": lambda tensors: tensors["dec.conv_post.weight"].fill(0),
    "clipped noise": lambda tensors: np.multiply(tensors["dec.conv_post.weight"], 1e6, out=tensors["dec.conv_post.weight"]),
    "unreasonably long": lambda tensors: tensors["dp.proj.bias"].fill(9),
}


@pytest.mark.parametrize("says", NONSENSE)
def test_weights_that_make_no_sense_are_refused(source: Path, folder: Path, says: str) -> None:
    _refused(_weights(source, NONSENSE[says]), folder, says)


def test_a_speaker_that_the_weights_lack_is_refused(source: Path, folder: Path) -> None:
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config["data"]["spk2id"] = {"Someone": 0, "Another": 1, "Nobody": 2}
    (source / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _refused(source / "model.safetensors", folder, "“data.spk2id” in config.json")


@pytest.mark.usefixtures("_cut_before")
def test_settings_of_another_length_are_refused(source: Path, folder: Path) -> None:
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config["data"]["hop_length"] = 256
    (source / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _refused(source / "model.onnx", folder, "hop_length")


@pytest.mark.usefixtures("_cut_before")
def test_a_full_disk_leaves_nothing(source: Path, folder: Path) -> None:
    with small_files(1 << 20), pytest.raises(OutputFileError) as caught:
        prepare_voice(source / "model.onnx", folder)
    assert caught.value.hint
    assert list(folder.iterdir()) == []


# ---------------------------------------------------------------------------------------------------- opaque


def test_a_graph_with_unknown_seams_stays_whole_and_says_why(source: Path, folder: Path, tiny_models: Path) -> None:
    model = onnx.load(str(source / "model.onnx"))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    onnx.save(model, str(source / "model.onnx"))
    prepared = prepare_voice(source / "model.onnx", folder)
    assert prepared.manifest.is_single_graph
    assert prepared.max_abs_diff is None
    assert "2 × Ceil" in (prepared.reason or "")
    assert {item.name for item in folder.iterdir()} == {"whole.onnx", "whole.bin", "voice.json", "style_vectors.npy"}
    voice = read_prepared_voice(folder)
    run = create_graph_runner(voice)
    for number, case in enumerate(read_cases(tiny_models / "jp-extra-tiny-2spk" / "expected.npz")):
        result = verify_case(number, case, run, 512)
        assert result.max_abs_diff is not None
        assert result.max_abs_diff <= 1e-4


def test_an_opaque_graph_that_makes_no_sense_is_refused(source: Path, folder: Path) -> None:
    model = onnx.load(str(source / "model.onnx"))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    last = next(node for node in model.graph.node if node.output[0] == model.graph.output[0].name)
    last.output[0] = "sound"
    zero = numpy_helper.from_array(np.zeros((), np.float32), "zero")
    model.graph.initializer.append(zero)
    model.graph.node.append(helper.make_node("Mul", ["sound", "zero"], [model.graph.output[0].name]))
    onnx.save(model, str(source / "model.onnx"))
    _refused(source / "model.onnx", folder, "is silent")
