"""Optimised copies: the same results, sooner, whatever happens to the disk."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort import optimized_graphs, optimized_session
from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.optimized_graphs import OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME, GraphStore, measure_graph_bytes
from app.common.processes import launch

SIZE = 192
WRITE_IN_CHILD = optimized_session.write_in_child
VALUE = np.linspace(-1, 1, SIZE, dtype=np.float32)[None]


def graph(path: Path, seed: int = 0) -> Path:
    """Two layers of weights large enough to be packed."""
    rng = np.random.default_rng(seed)
    weights = {f"w{n}": (rng.standard_normal((SIZE, SIZE)) / 14).astype(np.float32) for n in range(2)}
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "w1"], ["y"]),
    ]
    whole = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", SIZE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", SIZE])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.fixture(autouse=True)
def _write_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save the second that a child takes to start."""
    monkeypatch.setattr(optimized_session, "write_in_child", optimized_session.write_copy)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return graph(tmp_path / "model.onnx")


@pytest.fixture
def store(tmp_path: Path) -> GraphStore:
    return GraphStore(tmp_path / "store", smallest_bytes=1000)


def run(model: Path, store: GraphStore | None) -> np.ndarray:
    return open_cpu_session(model, "tiny", store).run_graph({"x": VALUE})[0]


def copies(store: GraphStore) -> list[Path]:
    return sorted(store.folder.iterdir()) if store.folder.is_dir() else []


def test_the_copy_gives_the_same_bits_and_serves_the_next_time(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(model, None)
    assert np.array_equal(run(model, store), expected)
    (copy,) = copies(store)
    assert sorted(file.name for file in copy.iterdir()) == [OPTIMIZED_GRAPH_NAME, "record.json", OPTIMIZED_WEIGHTS_NAME]
    monkeypatch.setattr(optimized_session, "write_in_child", lambda *_: pytest.fail("made again"))
    assert np.array_equal(run(model, store), expected)
    assert np.array_equal(run(model, GraphStore(store.folder, smallest_bytes=1000)), expected)


def test_weights_beside_the_graph_belong_to_it(tmp_path: Path, model: Path, store: GraphStore) -> None:
    beside = tmp_path / "beside.onnx"
    onnx.save(onnx.load(model), beside, save_as_external_data=True, location="beside.bin", size_threshold=16)
    assert beside.stat().st_size < 1000 < (tmp_path / "beside.bin").stat().st_size
    expected = run(model, None)
    assert np.array_equal(run(beside, store), expected)
    assert len(copies(store)) == 1
    weights = np.fromfile(tmp_path / "beside.bin", np.uint8)
    weights[: SIZE * SIZE * 4] = 0
    weights.tofile(tmp_path / "beside.bin")
    os.utime(tmp_path / "beside.bin", ns=(5, 5))
    assert not np.array_equal(run(beside, store), expected)
    assert len(copies(store)) == 1


def test_another_graph_in_its_place_is_another_copy(model: Path, store: GraphStore) -> None:
    before = run(model, store)
    graph(model, seed=1)
    os.utime(model, ns=(1, 1))
    assert not np.array_equal(run(model, store), before)
    assert np.array_equal(run(model, store), run(model, None))
    assert len(copies(store)) == 1, "that of the graph that was replaced is of no use"


def test_a_graph_that_was_removed_leaves_no_copy(tmp_path: Path, store: GraphStore) -> None:
    models = [graph(tmp_path / name) for name in ("gone.onnx", "there.onnx", "unreadable.onnx")]
    for model in models:
        run(model, store)
    flavour = f"onnxruntime {ort.__version__}"
    there, unreadable = (store.folder / optimized_graphs.compute_copy_key(model, flavour) for model in models[1:])
    (unreadable / "record.json").write_text("{")
    models[0].unlink()
    store.remove_orphans()
    assert copies(store) == sorted([there, unreadable])


@pytest.mark.parametrize("identity", ["version", "processor"])
def test_what_another_runtime_or_processor_made_is_not_used(
    model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch, identity: str
) -> None:
    run(model, store)
    if identity == "version":
        monkeypatch.setattr(ort, "__version__", "0.0.1")
    else:
        monkeypatch.setattr(optimized_graphs, "describe_processor", lambda: "another one")
    run(model, store)
    assert len(copies(store)) == 2


@pytest.mark.parametrize("name", [OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME, "record.json"])
@pytest.mark.parametrize("damage", ["one bit", "cut", "empty", "longer", "missing", "zeros"])
def test_a_damaged_copy_is_noticed_and_made_again(model: Path, store: GraphStore, name: str, damage: str) -> None:
    expected = run(model, store)
    (copy,) = copies(store)
    file, whole = copy / name, (copy / name).read_bytes()
    changed = bytearray(whole)
    changed[len(changed) // 3] ^= 4
    content = {"one bit": bytes(changed), "cut": whole[:-3], "empty": b"", "longer": whole + b"x", "zeros": bytes(len(whole))}
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(content[damage])
    for _ in range(2):
        assert np.array_equal(run(model, store), expected)
    assert json.loads((copies(store)[0] / "record.json").read_text())
    assert (copies(store)[0] / name).stat().st_size == len(whole)


def test_every_changed_or_moved_byte_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "file"

    def digest(content: np.ndarray) -> str:
        file.write_bytes(content.tobytes())
        return optimized_graphs.compute_digest(file)

    for length in (0, 1, 7, 8, 9, 1000, 1003, 1 << 20):
        whole = np.random.default_rng(length).integers(0, 256, length, np.uint8)
        expected = digest(whole)
        for place in range(0, length, max(13, length // 40)):
            changed = whole.copy()
            changed[place] ^= 1
            assert digest(changed) != expected
    pages = whole.reshape(-1, 4096)
    assert digest(np.roll(pages, 1, 0)) != expected, "pages in another order, which a sum would not see"
    swapped = pages.copy()
    swapped[[3, 200]] = swapped[[200, 3]]
    assert digest(swapped) != expected


def test_a_copy_that_does_not_open_is_not_made_again(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime 1.24 writes graphs with branches that it cannot read."""
    expected = run(model, None)
    written = []

    def write(_model: Path, folder: Path) -> None:
        written.append(folder)
        (folder / OPTIMIZED_GRAPH_NAME).write_bytes(b"no graph")
        (folder / OPTIMIZED_WEIGHTS_NAME).write_bytes(b"no weights")

    monkeypatch.setattr(optimized_session, "write_in_child", write)
    for _ in range(3):
        assert np.array_equal(run(model, store), expected)
    assert len(written) == 1


def test_small_and_huge_graphs_need_no_copy(model: Path, tmp_path: Path) -> None:
    for limits in ({"smallest_bytes": 1 << 30}, {"smallest_bytes": 0, "largest_bytes": 1000}):
        store = GraphStore(tmp_path / "store", **limits)
        run(model, store)
        assert not copies(store)
    run(model, None)


@pytest.mark.parametrize(("name", "megabytes", "written"), [("whole", 249, 1), ("bert_int8", 377, 0), ("bert", 1304, 0)])
def test_a_voice_has_a_copy_and_a_bert_has_none(name: str, megabytes: int, written: int, tmp_path: Path) -> None:
    """Sizes of real ones. A BERT's graphs are optimised as they are, and copies of them were a quarter of what a voice took on the disk."""
    graph_file = tmp_path / f"{name}.onnx"
    graph_file.write_bytes(b"graph")
    with graph_file.with_suffix(".data").open("wb") as weights:
        weights.truncate(megabytes * 10**6)
    asked: list[Path] = []
    GraphStore(tmp_path / "store").find_or_write_copy(graph_file, "any", asked.append)
    assert len(asked) == written


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    models = [graph(tmp_path / f"{number}.onnx", number) for number in range(4)]
    run(models[0], store := GraphStore(tmp_path / "store", smallest_bytes=0))
    (copy,) = copies(store)
    size = sum(file.stat().st_size for file in copy.iterdir())
    store = GraphStore(tmp_path / "store", max_bytes=3 * size + size // 2, smallest_bytes=0)
    for age, model in enumerate(models[:3]):
        run(model, store)
        for folder in copies(store):
            os.utime(folder / "record.json", (time.time() - 1000 + age, time.time() - 1000 + age))
    run(models[0], store)  # used again
    run(models[3], store)
    assert len(copies(store)) == 3
    kept = {folder.name for folder in copies(store)}
    flavour = f"onnxruntime {ort.__version__}"
    assert {optimized_graphs.compute_copy_key(models[0], flavour), optimized_graphs.compute_copy_key(models[3], flavour)} <= kept


def test_a_clock_that_was_set_back_takes_no_new_copy_away(tmp_path: Path) -> None:
    models = [graph(tmp_path / f"{number}.onnx", number) for number in range(3)]
    store = GraphStore(tmp_path / "store", max_bytes=1, smallest_bytes=0)
    for model in models:
        expected = run(model, None)
        assert np.array_equal(run(model, store), expected)
        (copy,) = copies(store)
        assert copy.name == optimized_graphs.compute_copy_key(model, f"onnxruntime {ort.__version__}")
        for file in copy.iterdir():
            os.utime(file, (time.time() + 86_400,) * 2)


def test_what_a_dead_process_left_is_swept(model: Path, store: GraphStore) -> None:
    old, young = store.folder / "old.part", store.folder / "young.part"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / OPTIMIZED_GRAPH_NAME).write_bytes(b"half")
    os.utime(old, (1, 1))
    run(model, store)
    assert not old.exists()
    assert young.exists(), "another process may be at work"


def test_a_full_disk_is_no_error(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(total=10, used=10, free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    assert np.array_equal(run(model, store), run(model, None))
    assert not copies(store)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files there")
def test_a_disk_that_fills_up_while_writing_is_no_error(model: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import numpy as np; from tests.adapters.ort.test_optimized_graphs import run\n"
        "from app.adapters.ort.optimized_graphs import GraphStore; from tests.small_files import small_files\n"
        "expected = run(Path(sys.argv[1]), None)\n"
        "store = GraphStore(Path(sys.argv[2]), smallest_bytes=0)\n"
        "with small_files(200_000): assert all(np.array_equal(run(Path(sys.argv[1]), store), expected) for _ in range(2))"
    )
    subprocess.run([sys.executable, "-c", program, str(model), str(tmp_path / "store")], check=True)
    assert not list((tmp_path / "store").glob("*.part"))


def test_a_place_that_cannot_be_written_is_no_error(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("a file")
    store = GraphStore(tmp_path / "in the way", smallest_bytes=0)
    assert np.array_equal(run(model, store), run(model, None))


def test_a_folder_that_may_only_be_read_still_serves(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions mean nothing to root, who runs tests in containers: the calls themselves are refused."""
    expected = run(model, store)

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(optimized_session, "write_in_child", lambda *_: pytest.fail("made again"))
    assert np.array_equal(run(model, store), expected)


def test_processes_at_once_make_one_copy(model: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import numpy as np; from tests.adapters.ort.test_optimized_graphs import run\n"
        "from app.adapters.ort.optimized_graphs import GraphStore\n"
        "store = GraphStore(Path(sys.argv[2]), smallest_bytes=0)\n"
        "assert np.array_equal(run(Path(sys.argv[1]), store), run(Path(sys.argv[1]), None))"
    )
    command = [sys.executable, "-c", program, str(model), str(tmp_path / "store")]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    (copy,) = (tmp_path / "store").iterdir()
    assert len(list(copy.iterdir())) == 3


def test_serialised_graphs_are_opened_as_they_are(model: Path, store: GraphStore) -> None:
    opened = open_session(model.read_bytes(), "cpu", "tiny", store)
    assert np.array_equal(opened.session.run_graph({"x": VALUE})[0], run(model, None))
    assert not copies(store)


def test_a_copy_is_written_by_a_child(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(model, None)
    monkeypatch.setattr(optimized_session, "write_in_child", WRITE_IN_CHILD)
    monkeypatch.setattr(optimized_session, "write_copy", lambda *_: pytest.fail("written here"))
    assert np.array_equal(run(model, store), expected)
    assert {file.name for file in copies(store)[0].iterdir()} == {OPTIMIZED_GRAPH_NAME, OPTIMIZED_WEIGHTS_NAME, "record.json"}


def test_without_the_child_the_graph_itself_is_opened(model: Path, store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(model, None)
    monkeypatch.setattr(optimized_session, "write_in_child", WRITE_IN_CHILD)
    for command in (["/nowhere/koebako-cli"], [sys.executable, "-c", "raise SystemExit(70)"]):
        monkeypatch.setattr(launch, "build_cli_command", lambda command=command: command)
        assert np.array_equal(run(model, store), expected)
        assert not copies(store)


def test_a_graph_takes_the_room_of_its_weights_too(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(bytes(10))
    assert measure_graph_bytes(tmp_path / "a.onnx") == 10
    (tmp_path / "a.bin").write_bytes(bytes(100))
    (tmp_path / "a_int8.bin").write_bytes(bytes(1000))
    assert measure_graph_bytes(tmp_path / "a.onnx") == 110
    assert measure_graph_bytes(b"abc") == 3
