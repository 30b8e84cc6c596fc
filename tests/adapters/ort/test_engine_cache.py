"""What a backend compiled is found again by the same graph in the same size, and by nothing else; a stand-in compiles."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.devices import device_sessions, engine_cache
from app.adapters.ort.devices.device_sessions import create_session, open_with_fixed_dims
from app.adapters.ort.session_options import ProviderTarget
from app.common.errors import BackendError
from app.common.files.paths import find_data_dir

KEY = "tensorrt"
ENGINE = "engine of the graph"  # its name does not tell the size


class Compiler:
    """Stands for ONNX Runtime with TensorRT: opens the engine in its cache folder, or compiles one.

    Attributes:
        compiled: sizes, in order.
        given: settings of the session opened last.
        version: of engines; it does not open those of another.
    """

    def __init__(self) -> None:
        self.compiled: list[Mapping[str, int]] = []
        self.given: Mapping[str, str] = {}
        self.version = "1"

    def open(self, target: ProviderTarget) -> None:
        """What creating a session comes to."""
        self.given = target.settings
        engine = Path(target.settings.get("trt_engine_cache_path", os.devnull), ENGINE)
        if engine.is_file():
            version, size = engine.read_text(encoding="utf-8").split(" ", 1)
            if version != self.version:
                raise RuntimeError("could not deserialize engine from cache")
            assert size == str(target.fixed_dims), "it would compute in another size than it is asked to"
            return
        self.compiled.append(target.fixed_dims)
        if engine.parent.is_dir():
            engine.write_text(f"{self.version} {target.fixed_dims}", encoding="utf-8")


class OpenSession:
    """Has no inputs and no outputs."""

    compiler: Compiler

    def __init__(self, _model: Any, _options: Any, target: ProviderTarget) -> None:
        self.target = target
        self.compiler.open(target)

    def get_inputs(self) -> list[Any]:
        """None."""
        return []

    get_outputs = get_inputs

    def get_providers(self) -> list[str]:
        """The one that was asked for."""
        return [self.target.provider]


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    found = Compiler()
    monkeypatch.setattr(OpenSession, "compiler", found, raising=False)
    monkeypatch.setattr(device_sessions, "open_for_target", OpenSession)
    monkeypatch.setattr(device_sessions, "PythonSession", OpenSession)
    monkeypatch.setattr(device_sessions, "list_backends", lambda: [*BACKENDS])
    return found


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.onnx"
    path.write_bytes(b"a graph")
    return path


def engines() -> list[Path]:
    return sorted((find_data_dir() / "cache" / "engines").glob("*/*"))


def test_each_size_is_compiled_once_and_found_again(compiler: Compiler, graph: Path) -> None:
    for size in (64, 128, 64, 128):
        open_with_fixed_dims(graph, KEY, "tiny", {"n": size})
    assert compiler.compiled == [{"n": 64}, {"n": 128}]
    assert len(engines()) == 2
    assert compiler.given["trt_engine_cache_enable"] == "True"
    graph.write_bytes(b"another graph")
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    assert len(compiler.compiled) == 3


def test_a_measurement_takes_what_was_kept(compiler: Compiler, graph: Path) -> None:
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    create_session(graph, KEY, "tiny", fixed_dims={"n": 64})
    assert compiler.compiled == [{"n": 64}]


def test_another_driver_or_adapter_compiles_anew(compiler: Compiler, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for driver in ("old", "new", "old"):
        monkeypatch.setattr(engine_cache, "collect_device_facts", lambda place, driver=driver: [place, driver])
        open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    open_with_fixed_dims(graph, f"{KEY}:1", "tiny", {"n": 64})
    assert len(compiler.compiled) == 3


def test_what_does_not_open_is_not_kept(compiler: Compiler, graph: Path) -> None:
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    compiler.version = "2"
    with pytest.raises(BackendError, match="TensorRT") as caught:
        open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    assert "deserialize" in str(caught.value.hint)
    assert engines() == []
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    assert len(compiler.compiled) == 2


def test_the_engines_used_last_stay(compiler: Compiler, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age, size in enumerate((256, 128, 64)):
        open_with_fixed_dims(graph, KEY, "tiny", {"n": size})
        (folder,) = {engine.parent for engine in engines() if str(size) in engine.read_text(encoding="utf-8")}
        os.utime(folder, (1e9 - age, 1e9 - age))
    least = min(engine.stat().st_size for engine in engines())
    monkeypatch.setattr(engine_cache, "MAX_ENGINE_CACHE_BYTES", 2 * least)
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 32})
    assert {int(engine.read_text(encoding="utf-8").split(": ")[1].rstrip("}")) for engine in engines()} == {32, 256}


def test_a_disk_that_cannot_be_written_is_no_reason_not_to_open(compiler: Compiler, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(engine_cache, "make_private_folder", refuse)
    open_with_fixed_dims(graph, KEY, "tiny", {"n": 64})
    assert not set(compiler.given) & set(BACKENDS[KEY].cache_options), "it would be kept in the folder that the program was started from"


@pytest.mark.parametrize("key", [key for key, known in BACKENDS.items() if key != KEY and not known.plugin])
def test_others_keep_nothing(key: str, compiler: Compiler, graph: Path) -> None:
    open_with_fixed_dims(graph, key, "tiny", {"n": 64})
    assert not any("cache" in name for name in compiler.given)
    assert engines() == []
    assert not (find_data_dir() / "cache" / "engines").exists()
