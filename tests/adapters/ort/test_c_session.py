"""Sessions through the C library: the same results to the bit, and Python goes on while they are created."""

import gc
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import psutil
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort import runtime_session
from app.adapters.ort.c_session import OrtLibrary, UnlockedSession, find_ort_library
from app.adapters.ort.graph_session import GraphSession, open_cpu_session
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.runtime_session import PythonSession, enable_unlocked_sessions, open_unlocked
from app.adapters.ort.session_options import ProviderTarget, create_session_options
from app.common.errors import BackendError, VoiceError
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest

Graph = Callable[..., bytes]


@pytest.fixture
def library() -> OrtLibrary:
    found = find_ort_library()
    assert found is not None, "this package of ONNX Runtime has no C library"
    return found


def serialised(nodes: list[onnx.NodeProto], inputs: dict[str, int], outputs: dict[str, int], weights: dict[str, np.ndarray]) -> bytes:
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, None if name == "any" else ["n", "m"]) for name, kind in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def both(content: bytes | Path, library: OrtLibrary) -> tuple[ort.InferenceSession, UnlockedSession]:
    source = content if isinstance(content, bytes) else str(content)
    return ort.InferenceSession(source, create_session_options(), providers=["CPUExecutionProvider"]), UnlockedSession(
        library, content, create_session_options()
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int64", "int32", "uint8", "int8", "bool"])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3), (1, 2, 3, 4)])
def test_values_of_every_type_and_shape_pass_through(dtype: str, shape: tuple[int, ...], library: OrtLibrary) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    content = serialised([helper.make_node("Identity", ["any"], ["y"])], {"any": kind}, {"y": kind}, {})
    value = np.random.default_rng(1).integers(0, 2, shape).astype(dtype)
    _own, unlocked = both(content, library)
    (result,) = unlocked.run(None, {"any": value}, unlocked.create_run_options())
    assert (result.dtype, result.shape) == (value.dtype, value.shape)
    assert np.array_equal(result, value)


def test_a_session_whose_driver_crashed_is_never_freed(library: OrtLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    content = serialised([helper.make_node("Identity", ["x"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, {})
    session, call, freed = UnlockedSession(library, content, create_session_options()), OrtLibrary.call_function, list[str]()

    def crash(self: OrtLibrary, name: str, *arguments: object) -> None:
        if name == "Run":
            raise OSError("exception: access violation writing 0x0000000000000000")
        call(self, name, *arguments)

    monkeypatch.setattr(OrtLibrary, "call_function", crash)
    monkeypatch.setattr(OrtLibrary, "release_object", lambda _self, kind, _item: freed.append(kind))
    with pytest.raises(OSError, match="access violation"):
        session.run(None, {"x": np.zeros((1, 1), np.float32)}, session.create_run_options())
    del session
    gc.collect()
    assert "Session" not in freed


def test_a_voice_sounds_the_same_to_the_bit(library: OrtLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    request = SynthesisRequest("駅前の公園まで歩きました。")
    spoken = []
    for half in (None, library):
        monkeypatch.setattr(runtime_session, "_library", half)
        speaker = open_speaker("mei")
        sessions = [getattr(session, "_session", session) for session in speaker.sessions.values()]
        assert {type(getattr(session, "_session", session)) for session in sessions} == {UnlockedSession if half else PythonSession}
        spoken.append(np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(request)]))
    assert np.array_equal(spoken[0], spoken[1])


def test_what_a_graph_declares_is_told_alike(tiny_models: Path, library: OrtLibrary) -> None:
    own, unlocked = both(next((tiny_models).glob("**/model.onnx")), library)
    for mine, theirs in ((unlocked.get_inputs(), own.get_inputs()), (unlocked.get_outputs(), own.get_outputs())):
        assert [(item.name, item.type, len(item.shape)) for item in mine] == [(item.name, item.type, len(item.shape)) for item in theirs]


def test_results_are_the_same_to_the_bit(library: OrtLibrary) -> None:
    rng = np.random.default_rng(2)
    weights = {f"w{n}": rng.standard_normal((64, 64)).astype(np.float32) for n in range(4)}
    nodes = [helper.make_node("MatMul", [f"x{n}" if n else "x", f"w{n}"], [f"x{n + 1}"]) for n in range(4)]
    nodes.append(helper.make_node("Softmax", ["x4"], ["y"]))
    own, unlocked = both(serialised(nodes, {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT, "x4": TensorProto.FLOAT}, weights), library)
    value = rng.standard_normal((37, 128)).astype(np.float32)[:, ::2]  # not in one piece
    expected = own.run(["x4", "y"], {"x": value})
    for found, wanted in zip(unlocked.run(["x4", "y"], {"x": value}, unlocked.create_run_options()), expected, strict=True):
        assert np.array_equal(found, wanted)


def test_python_goes_on_while_a_session_is_created(library: OrtLibrary) -> None:
    nodes = [helper.make_node("Relu", [f"x{n}" if n else "x"], [f"x{n + 1}"]) for n in range(12_000)]
    content = serialised(nodes, {"x": TensorProto.FLOAT}, {"x12000": TensorProto.FLOAT}, {})
    turns, done = [0], threading.Event()

    def take_turns() -> None:
        while not done.wait(0.001):
            turns[0] += 1

    thread = threading.Thread(target=take_turns)
    thread.start()
    before = turns[0]
    UnlockedSession(library, content, create_session_options())
    meanwhile = turns[0] - before
    done.set()
    thread.join()
    assert meanwhile >= 10, "with Python's lock kept there would be one at most"


def test_nothing_is_left_behind(library: OrtLibrary) -> None:
    weights = {"w": np.eye(1000, dtype=np.float32)}
    content = serialised([helper.make_node("Mul", ["x", "w"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, weights)
    value = np.ones((1000, 1000), np.float32)

    def once() -> None:
        session = GraphSession(UnlockedSession(library, content, create_session_options()), "tiny")
        for _ in range(3):
            session.run_graph({"x": value})
        with pytest.raises(BackendError):
            session.run_graph({"x": np.ones((2, 3), np.float32)})

    for _ in range(5):
        once()
    gc.collect()
    before = psutil.Process().memory_info().rss
    for _ in range(40):
        once()
    gc.collect()
    assert psutil.Process().memory_info().rss - before < 40_000_000  # a session takes 4 MB, and so does each of its values


@pytest.mark.parametrize("content", [b"", b"junk" * 100])
def test_what_is_no_graph_is_refused(content: bytes, library: OrtLibrary, tmp_path: Path) -> None:
    path = tmp_path / "日本語 model.onnx"
    path.write_bytes(content)
    for model in (path, content, tmp_path / "missing.onnx"):
        with pytest.raises(RuntimeError):
            UnlockedSession(library, model, create_session_options())


def test_a_window_opens_its_graphs_so_where_onnx_runtime_would_hold_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "日本語.onnx"
    path.write_bytes(serialised([helper.make_node("Relu", ["x"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, {}))
    monkeypatch.setattr(runtime_session, "_library", None)
    monkeypatch.setattr(runtime_session, "HOLDS_GIL", True)
    enable_unlocked_sessions()
    store = GraphStore(tmp_path / "store", smallest_bytes=0)
    for model in (path, path.read_bytes()):
        session = open_cpu_session(model, "tiny", store)
        assert isinstance(session._session, UnlockedSession)
        assert session.run_graph({"x": [[-1.0, 2.0]]})[0].tolist() == [[0.0, 2.0]]
    assert len(list((tmp_path / "store").iterdir())) == 1
    monkeypatch.setattr(runtime_session, "HOLDS_GIL", False)
    enable_unlocked_sessions()
    assert open_unlocked(path, create_session_options()) is None


def test_a_package_without_the_library_or_with_another_one_is_served_by_its_python_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = serialised([helper.make_node("Relu", ["x"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, {})
    for name in (None, "libonnxruntime.so.0", "onnxruntime.dll"):
        if name:
            (tmp_path / "capi").mkdir(exist_ok=True)
            (tmp_path / "capi" / name).write_bytes(b"no library")
        monkeypatch.setattr(ort, "__file__", str(tmp_path / "__init__.py"))
        find_ort_library.cache_clear()
        try:
            assert find_ort_library() is None
        finally:
            monkeypatch.undo()
            find_ort_library.cache_clear()
    monkeypatch.setattr(runtime_session, "_library", None)
    assert isinstance(open_cpu_session(content, "tiny")._session, ort.InferenceSession)


def test_another_version_than_the_python_module_is_not_used(library: OrtLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort, "__version__", "0.0.1")
    with pytest.raises(OSError, match="version"):
        OrtLibrary(library.path)


def test_errors_reach_the_user_in_words(monkeypatch: pytest.MonkeyPatch, library: OrtLibrary, tmp_path: Path) -> None:
    monkeypatch.setattr(runtime_session, "_library", library)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"junk")
    with pytest.raises(VoiceError, match="cannot be opened") as caught:
        open_cpu_session(broken, "broken")
    assert caught.value.hint


def test_open_sizes_can_be_fixed(library: OrtLibrary) -> None:
    content = serialised([helper.make_node("Add", ["x", "x"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, {})
    fixed = UnlockedSession(library, content, create_session_options(), ProviderTarget(fixed_dims={"n": 3}))
    assert list(fixed.get_inputs()[0].shape) == [3, -1]
    values = {"x": np.ones((3, 2), np.float32)}
    assert np.array_equal(fixed.run(None, values, fixed.create_run_options())[0], values["x"] * 2)
    with pytest.raises(RuntimeError, match="dimension"):
        fixed.run(None, {"x": np.ones((4, 2), np.float32)}, fixed.create_run_options())


@pytest.mark.skipif("DmlExecutionProvider" in ort.get_available_providers(), reason="this ONNX Runtime has DirectML")
def test_directml_is_known_to_the_library_by_name(library: OrtLibrary) -> None:
    """A build without it says so; another name would be unknown to it."""
    content = serialised([helper.make_node("Add", ["x", "x"], ["y"])], {"x": TensorProto.FLOAT}, {"y": TensorProto.FLOAT}, {})
    with pytest.raises(RuntimeError, match="DML execution provider is not supported in this build"):
        UnlockedSession(library, content, create_session_options(), ProviderTarget("DmlExecutionProvider", {"device_id": "0"}))


def test_other_providers_are_left_to_the_module(monkeypatch: pytest.MonkeyPatch, library: OrtLibrary) -> None:
    monkeypatch.setattr(runtime_session, "_library", library)
    assert open_unlocked(b"", create_session_options(), ProviderTarget("CUDAExecutionProvider")) is None
