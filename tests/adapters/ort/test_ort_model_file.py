"""Files of models open whatever their names."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort import runtime_session, session_options
from app.adapters.ort.c_session import find_ort_library
from app.adapters.ort.graph_session import open_cpu_session, open_unoptimized
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.session_options import convert_to_openable, create_session_options
from app.common.errors import VoiceError
from tests.folder_names import FOLDER_NAMES

NAMES = ("model.onnx", "日本語 の声.onnx", "목소리.onnx", "é–🎤.onnx")  # no code page of Windows has all of these


@pytest.fixture(params=["Python module", "C library"], autouse=True)
def _through(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime_session, "_library", find_ort_library() if request.param == "C library" else None)


@pytest.fixture(params=["as this system opens them", "as if no name were in the code page"])
def _code_page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "no name" in request.param:
        monkeypatch.setattr(session_options, "_is_in_code_page", lambda name: False)


def adder(path: Path) -> Path:
    """A graph that adds 0, 1, 2 …, which lie in a file beside it."""
    numbers = [numpy_helper.from_array(np.arange(100, dtype=np.float32), "w")]
    given, found = ([helper.make_tensor_value_info(name, TensorProto.FLOAT, [100])] for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "adder", given, found, numbers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path, save_as_external_data=True, location=f"{path.stem}.data", size_threshold=16)
    return path


@pytest.mark.usefixtures("_code_page")
@pytest.mark.parametrize("name", NAMES)
def test_a_model_opens_with_the_weights_beside_it(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "声 の フォルダー"
    folder.mkdir()
    path = adder(folder / name)
    store = GraphStore(tmp_path / "store", smallest_bytes=0)
    for opened in (
        open_cpu_session(path, "adder"),
        open_cpu_session(path, "adder", store),
        open_unoptimized(path, "adder"),
    ):
        assert opened.run_graph({"x": [1.0] * 100})[0].tolist() == [*range(1, 101)]
    assert len(list((tmp_path / "store").iterdir())) == 1


@pytest.mark.parametrize("name", FOLDER_NAMES)
def test_a_model_opens_in_a_folder_of_any_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir(parents=True)
    path = adder(folder / "model.onnx")
    for store in (None, GraphStore(folder / "store", smallest_bytes=0)):
        assert open_cpu_session(path, "adder", store).run_graph({"x": [1.0] * 100})[0].tolist() == [*range(1, 101)]


@pytest.mark.usefixtures("_code_page")
def test_a_file_that_is_not_there_is_told_as_a_voice_that_does_not_open(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="cannot be opened"):
        open_cpu_session(tmp_path / "日本語.onnx", "adder")


def test_only_what_has_to_be_is_read_as_a_whole(tmp_path: Path) -> None:
    path = adder(tmp_path / "model.onnx")
    assert convert_to_openable(path, create_session_options()) == str(path)
    assert convert_to_openable(b"model", create_session_options()) == b"model"
