"""Device forms give what the graphs on the CPU give, at every length, full and padded; in half precision nearly so."""

import os
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort.devices.device_sessions import open_with_fixed_dims
from app.adapters.ort.fixed_shapes.fixed_shape_graph import FixedShapeGraph, read_fixed_shape_graph
from app.adapters.ort.graph_session import GraphSession, open_cpu_session
from app.core.sound.durations import compute_symbol_frames
from app.core.sound.result_metrics import compute_snr_db
from app.install.bert_preparation import prepare_bert
from app.install.fixed_shape_build import update_description
from app.voices.prepare.device.fixed_shape_writer import write_fixed_shape_graphs
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_store import store_graph
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.variants.graph_variants import convert_graph_to_half
from app.voices.prepare.weights.weight_graphs import build_voice_graphs
from tests.conftest import MODELS_VARIABLE
from tests.voices.prepare.reference_weights import config_of, tensors_of

SOURCES = (
    "jp-extra-tiny/model.onnx",
    "jp-extra-tiny/model.safetensors",
    "multilingual-tiny/model.onnx",
    "nanairo-tiny/model.safetensors",
    "variant-opset17-raw/model.onnx",
)
# A graph and weights of different kinds; the others become what is hardly another graph.
USUAL = ("multilingual-tiny/model.onnx", "nanairo-tiny/model.safetensors")
OFTEN = tuple(source if source in USUAL else pytest.param(source, marks=pytest.mark.slow) for source in SOURCES)
GRAPHS = ("prosody", "flow", "decoder")
SIZE = 48
EXACT, LEAST_DB = 1e-5, 40.0


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Until the tests end."""
    return tempfile.TemporaryDirectory(prefix="koebako-forms-")


def _folder() -> Path:
    return Path(_kept().name)


@cache
def _source(source: str, graph: str) -> Path:
    """A graph as it is prepared."""
    reference = Path(os.environ[MODELS_VARIABLE]) / source
    folder = _folder() / source
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if graph == "bert":
            prepare_bert(reference, folder, width=64)
        else:
            made = (
                cut_voice_graph(onnx.load(reference))
                if reference.suffix == ".onnx"
                else build_voice_graphs(config_of(reference), tensors_of(reference))
            )
            for name in GRAPHS:
                store_graph(getattr(made, name), folder, name)
    return folder / f"{graph}.onnx"


@cache
def _form(source: str, graph: str, half: bool) -> FixedShapeGraph:
    folder = _folder() / f"{source}-{graph}-{half}"
    folder.mkdir(parents=True)
    write_fixed_shape_graphs(_source(source, graph), graph, folder, half=half)
    update_description(folder, sizes=[SIZE])
    return read_fixed_shape_graph(folder)


@cache
def _cpu(source: str, graph: str) -> GraphSession:
    return open_cpu_session(_source(source, graph), graph)


@cache
def _device(source: str, graph: str, half: bool, file: str = "graph.onnx") -> GraphSession:
    form = _form(source, graph, half)
    return open_with_fixed_dims(form.folder / file, "cpu", graph, {form.free: SIZE})


def _values(source: str, graph: str, length: int) -> dict[str, np.ndarray]:
    """Numbers of the right shapes."""
    rng, found = np.random.default_rng(length), {}
    for item in onnx.load(_source(source, graph), load_external_data=False).graph.input:
        shape = [dim.dim_value or length for dim in item.type.tensor_type.shape.dim]
        whole = item.type.tensor_type.elem_type == onnx.TensorProto.INT64
        made = (
            rng.integers(0, 6 if item.name in ("x_tst", "tones", "input_ids") else 1, shape)
            if whole
            else rng.standard_normal(shape).astype(np.float32) * np.float32(0.5)
        )
        found[item.name] = np.asarray(made)
    return found | {"first": np.array([0]), "last": np.array([length]), "sdp_ratio": np.array(0.2, np.float32)}


def _both(source: str, graph: str, length: int, *, half: bool, file: str = "graph.onnx") -> list[tuple[str, np.ndarray, np.ndarray]]:
    form, values = _form(source, graph, half), _values(source, graph, length)
    names = list(form.outputs)
    found = _device(source, graph, half, file).run_graph(form.pad_values(values, SIZE), names)
    return list(zip(names, _cpu(source, graph).run_graph(values, names), form.crop_results(names, found, length), strict=True))


@pytest.mark.usefixtures("tiny_models")
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("source", OFTEN)
def test_a_form_gives_what_the_graph_gives(source: str, graph: str) -> None:
    for length in (SIZE, SIZE - 1, 17, 1):
        for name, right, found in _both(source, graph, length, half=False):
            assert found.shape == right.shape, (name, length)
            assert np.abs(found - right).max() <= EXACT * max(1.0, float(np.abs(right).max())), (name, length)


@pytest.mark.usefixtures("tiny_models")
@given(st.sampled_from(USUAL), st.sampled_from(GRAPHS), st.integers(1, SIZE))
def test_what_is_padded_does_not_matter(source: str, graph: str, length: int) -> None:
    for name, right, found in _both(source, graph, length, half=False):
        assert np.abs(found - right).max() <= EXACT * max(1.0, float(np.abs(right).max())), name


@pytest.mark.usefixtures("tiny_models")
@given(st.integers(2, SIZE), st.booleans())
def test_bert_under_its_mask(length: int, half: bool) -> None:
    for _, right, found in _both("deberta-tiny/model.onnx", "bert", length, half=half):
        assert found.shape == right.shape
        assert compute_snr_db([right], [found]) >= (LEAST_DB if half else 100)


@pytest.mark.usefixtures("tiny_models")
@pytest.mark.parametrize("source", OFTEN)
def test_half_precision_is_near_enough(source: str) -> None:
    for graph in GRAPHS:
        for length in (SIZE, 31):
            for name, right, found in _both(source, graph, length, half=True):
                assert compute_snr_db([right], [found]) >= LEAST_DB, (graph, name)
    frames = []
    for length in range(20, SIZE, 3):
        pairs = {name: (right, found) for name, right, found in _both(source, "prosody", length, half=True)}
        frames.append(np.equal(*(compute_symbol_frames(item.reshape(-1), 1.0, "ceil") for item in pairs["logw"])))
    assert np.concatenate(frames).mean() >= 0.98


@pytest.mark.usefixtures("tiny_models")
def test_types_are_found_without_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real BERT holds gigabytes; ONNX would read and write them several times to say what its tensors are."""
    infer, given_bytes = onnx.shape_inference.infer_shapes, list[int]()

    def inferred(model: onnx.ModelProto) -> onnx.ModelProto:
        given_bytes.append(model.ByteSize())
        return infer(model)

    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", inferred)
    model = onnx.load(_source("jp-extra-tiny/model.safetensors", "decoder"))
    weights = sum(item.ByteSize() for item in model.graph.initializer)
    convert_graph_to_half(model)
    assert sum(given_bytes) < weights / 4
    made = {item.name: item.data_type for item in model.graph.initializer}
    assert all(made[node.input[1]] == onnx.TensorProto.FLOAT16 for node in model.graph.node if node.op_type == "Conv")


@pytest.mark.usefixtures("tiny_models")
@pytest.mark.parametrize("source", OFTEN)
def test_a_full_window_needs_no_mask(source: str) -> None:
    for half in (False, True):
        for _, right, found in _both(source, "decoder", SIZE, half=half, file="full.onnx"):
            assert compute_snr_db([right], [found]) >= (LEAST_DB if half else 100)
    full, masked = (
        onnx.load(_form(source, "decoder", False).folder / name, load_external_data=False) for name in ("full.onnx", "graph.onnx")
    )
    assert len(full.graph.node) < len(masked.graph.node)
    weights = {
        entry.value
        for item in (*full.graph.initializer, *masked.graph.initializer)
        for entry in item.external_data
        if entry.key == "location"
    }
    assert weights <= {"weights.data"}  # shared


@pytest.mark.usefixtures("tiny_models")
@pytest.mark.parametrize("source", OFTEN)
def test_devices_are_spared_what_they_cannot_do(source: str) -> None:
    """Nothing is cut by bounds that are computed, nothing added by writing, and no more than two at a time."""
    for graph in GRAPHS:
        model = onnx.load(_form(source, graph, True).folder / "graph.onnx", load_external_data=False)
        assert {"ScatterElements", "Sum"}.isdisjoint(node.op_type for node in model.graph.node)
        assert {"first", "last"}.isdisjoint(item.name for item in model.graph.input)
        assert all(item.type.tensor_type.elem_type != onnx.TensorProto.FLOAT16 for item in (*model.graph.input, *model.graph.output))


@pytest.mark.parametrize("graph", ["prosody", "decoder"])
def test_graphs_that_are_built_otherwise_are_refused(graph: str, tmp_path: Path) -> None:
    included = Path(__file__).parents[4] / "resources" / "voices" / "mei" / f"{graph}.onnx"
    with pytest.raises(UnknownGraphError):
        write_fixed_shape_graphs(included, graph, tmp_path, half=False)
