"""Sessions: fed by name in the declared type and rank, stopped from outside, falling back in plain sight."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort import c_session, runtime_session
from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.c_session import find_ort_library
from app.adapters.ort.devices import device_sessions
from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.devices.ort_devices import list_backends
from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.ort_synthesizer import OrtBert, arrange_rows_by_token
from app.common.errors import BackendError, VoiceError
from app.core.sound.stage_clock import RequestStopped


@pytest.fixture(params=["Python module", "C library"], autouse=True)
def through(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Sessions on the CPU through either half of ONNX Runtime."""
    monkeypatch.setattr(runtime_session, "_library", find_ort_library() if request.param == "C library" else None)
    return str(request.param)


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[int, Sequence[str | int | None]]],
    outputs: list[str],
    weights: dict[str, np.ndarray],
) -> bytes:
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def doubler(kind: int = TensorProto.FLOAT, shape: list[str | int | None] | None = None) -> bytes:
    cast = helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT)
    return model([cast, helper.make_node("Add", ["f", "f"], ["y"])], {"x": (kind, ["n"] if shape is None else shape)}, ["y"], {})


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.FLOAT16])
@pytest.mark.parametrize("shape", [[], [1], ["n"], [1, "n"], [1, 1, "n"]])
def test_values_take_the_declared_type_and_rank(kind: int, shape: list[str | int | None]) -> None:
    session = open_cpu_session(doubler(kind, shape), "tiny")
    value = np.array([3]) if shape != [] else 3
    (result,) = session.run_graph({"x": value, "unused": None})
    assert result.ndim == len(shape)
    assert result.reshape(-1).tolist() == [6.0]


def test_an_input_we_cannot_supply_is_refused_by_name() -> None:
    session = open_cpu_session(doubler(), "tiny")
    with pytest.raises(VoiceError, match="“x”"):
        session.run_graph({"y": 1})


def test_an_input_of_unknown_type_is_refused() -> None:
    text = model([helper.make_node("Identity", ["x"], ["y"])], {"x": (TensorProto.STRING, ["n"])}, [], {})
    proto = onnx.load_from_string(text)
    proto.graph.output.append(helper.make_tensor_value_info("y", TensorProto.STRING, None))
    with pytest.raises(VoiceError, match="string"):
        open_cpu_session(proto.SerializeToString(), "tiny")


@pytest.mark.parametrize("content", [b"", b"junk" * 100])
def test_a_broken_model_is_a_voice_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)
    with pytest.raises(VoiceError, match="cannot be opened") as caught:
        open_cpu_session(path, "broken")
    assert caught.value.hint


def test_a_failing_run_is_a_backend_error() -> None:
    weights = {"w": np.zeros((3, 3), np.float32)}
    text = model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": (TensorProto.FLOAT, ["n", "m"])}, ["y"], weights)
    session = open_cpu_session(text, "tiny")
    with pytest.raises(BackendError, match="tiny"):
        session.run_graph({"x": np.zeros((2, 5), np.float32)})


def test_a_running_graph_stops_and_can_run_again() -> None:
    size = 1500
    # Without weights, of which each node would pack a copy of its own when the graph opens.
    nodes = [helper.make_node("MatMul", [f"x{n}" if n else "x", "x"], [f"x{n + 1}"]) for n in range(400)]
    text = model(nodes, {"x": (TensorProto.FLOAT, [size, size])}, ["x400"], {})
    session = open_cpu_session(text, "long")
    value = np.zeros((size, size), np.float32)
    timer = threading.Timer(0.2, session.terminate)
    timer.start()
    began = time.perf_counter()
    with pytest.raises(RequestStopped):
        session.run_graph({"x": value})
    print(f"stopped {(time.perf_counter() - began - 0.2) * 1000:.0f} ms after the request")
    session.terminate()  # nothing runs: does nothing
    short = model(nodes[:1], {"x": (TensorProto.FLOAT, [size, size])}, ["x1"], {})
    assert not open_cpu_session(short, "short").run_graph({"x": value})[0].any()


def test_a_provider_that_is_not_there_falls_back_with_a_reason() -> None:
    missing = next(name for name in ("coreml", "directml", "cuda") if name not in list_backends())
    opened = open_session(doubler(), missing, "tiny")
    assert opened.backend == "cpu"
    assert opened.fallback_reason is not None
    assert opened.session.run_graph({"x": [2]})[0].tolist() == [4.0]
    assert open_session(doubler(), "cpu", "tiny").fallback_reason is None


def test_a_provider_that_refuses_to_start_falls_back_with_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What DirectML does without a usable adapter: a bare RuntimeError from the constructor."""
    real = ort.InferenceSession.__init__

    def create(session: object, source: object, options: object, providers: list[tuple[str, object]], **rest: object) -> None:
        if providers[0][0] != "CPUExecutionProvider":
            raise RuntimeError(r"E:\_work\1\s\onnxruntime\core\dml.cpp(91)\state.pyd!00007FF8: 887A0002 no adapter was found")
        real(session, source, options, providers=providers, **rest)

    monkeypatch.setattr(device_sessions, "list_backends", lambda: ["directml", "cpu"])
    monkeypatch.setattr(ort.InferenceSession, "__init__", create)
    monkeypatch.setattr(
        c_session, "_PROVIDER_SHORT_NAMES", {"CPUExecutionProvider": ""}
    )  # the C library would refuse by itself, in its own words
    opened = open_session(doubler(), "directml", "tiny")
    assert opened.backend == "cpu"
    assert "887A0002" in str(opened.fallback_reason)
    assert "DirectML" in str(opened.fallback_reason)
    assert "_work" not in str(opened.fallback_reason)


def test_a_provider_that_was_not_taken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime may accept a provider and then leave it out of the session: the Azure one does so for ordinary graphs."""
    monkeypatch.setitem(BACKENDS, "directml", replace(BACKENDS["directml"], provider="CPUExecutionProvider"))
    monkeypatch.setattr(device_sessions, "list_backends", lambda: ["directml", "cpu"])
    monkeypatch.setattr(ort.InferenceSession, "get_providers", lambda _self: ["SomethingElse"])
    with pytest.raises(BackendError, match="could not start"):
        device_sessions.create_session(doubler(), "directml", "tiny")


@pytest.mark.parametrize("layout", ["rows", "columns", "batch rows", "batch columns"])
def test_bert_outputs_of_every_layout_become_rows(layout: str) -> None:
    expected = np.random.default_rng(0).standard_normal((7, 1024)).astype(np.float32)
    output = expected.T if "columns" in layout else expected
    output = output[None] if "batch" in layout else output
    assert np.array_equal(arrange_rows_by_token(output, 7), expected)


def test_a_bert_of_another_width_is_refused() -> None:
    with pytest.raises(VoiceError, match="768"):
        arrange_rows_by_token(np.zeros((7, 768), np.float32), 7)


@pytest.mark.parametrize("inputs", [["input_ids"], ["input_ids", "attention_mask"], ["input_ids", "token_type_ids", "attention_mask"]])
@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
def test_bert_inputs_are_bound_by_name(inputs: list[str], kind: int) -> None:
    weights = {"table": np.random.default_rng(1).standard_normal((50, 1024)).astype(np.float32)}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["output"])]
    session = open_cpu_session(model(nodes, {name: (kind, [1, "n"]) for name in inputs}, ["output"], weights), "BERT")
    features = OrtBert(session, "x").run_graph(np.array([1, 40, 2]))
    assert np.array_equal(features, weights["table"][[1, 40, 2]])
