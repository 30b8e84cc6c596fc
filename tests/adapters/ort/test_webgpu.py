"""WebGPU really computes: on a software adapter, compared with the CPU. `packaging/swiftshader.py` brings the adapter."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import onnxruntime as ort
import pytest

from app.adapters.ort.backends import find_tolerance
from app.adapters.ort.devices import ort_devices
from app.adapters.ort.devices.device_sessions import identify_fault
from app.adapters.ort.devices.ort_devices import find_plugin_devices, has_device
from app.common.errors import BackendError
from app.install.bert_preparation import prepare_bert
from app.install.voice_preparation import prepare_voice
from tests.adapters.ort.webgpu_child import LENGTHS
from tests.tiny_models.kokoro_voice import make_kokoro_voice

ROOT = Path(__file__).parents[3]
CHILD = Path(__file__).with_name("webgpu_child.py")
PLUGIN = "onnxruntime_ep_webgpu"
# 45 s on two quiet processors, four minutes on busy ones; most of it is SwiftShader compiling.
LIMIT_S = 500
MOST_RUNS = 2
VOICE_GRAPHS = ("prosody", "flow", "decoder")
GRAPHS = {
    "mei": ("bert", *VOICE_GRAPHS),
    "graph": VOICE_GRAPHS,
    "weights": VOICE_GRAPHS,
    "kokoro": VOICE_GRAPHS,
    "deberta": ("bert",),
}
MOST_LATER = 12  # shaders of one graph at all later lengths together
# The tiny voice of full width: a decoder that ends in a single channel has shaders of its own for some lengths.
SOURCES = {"graph": "jp-extra-tiny/model.aivmx", "weights": "jp-extra-tiny/model.safetensors"}


def find_software_adapter() -> dict[str, str]:
    """Return the variables of the software adapter, or skip."""
    if importlib.util.find_spec(PLUGIN) is None:
        pytest.skip("needs onnxruntime-ep-webgpu (the extra `webgpu`)")
    spec = importlib.util.spec_from_file_location("swiftshader", ROOT / "packaging" / "swiftshader.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str] | None = module.find()
    if found is None:
        pytest.skip("needs SwiftShader: python3 packaging/swiftshader.py")
    return found


def run_on_software_adapter(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program that sees the adapter, once more where SwiftShader itself crashed: its compiled shaders do not guard reads beyond a buffer.

    Seen once in an hour of sentences; real devices guard them.
    """
    # Pytest's own are of this process.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    variables = {**inherited, **find_software_adapter(), **environment}
    for _ in range(MOST_RUNS):
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode != -signal.SIGSEGV:
            break
    return done


def make_subjects(tiny_models: Path, folder: Path) -> None:
    """Voices of every kind, and a BERT, in folders as the program keeps them."""
    for name, source in SOURCES.items():
        (folder / name).mkdir()
        prepare_voice(tiny_models / source, folder / name, int8=False)
    make_kokoro_voice(folder / "kokoro")
    (folder / "bert").mkdir()
    prepare_bert(tiny_models / "deberta-tiny" / "model_fp16.onnx", folder / "bert", width=64)


@pytest.fixture(scope="module")
def findings(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the child found with the included voice and the tiny ones."""
    find_software_adapter()
    folder = tmp_path_factory.mktemp("webgpu")
    (folder / "subjects").mkdir()
    make_subjects(tiny_models, folder / "subjects")
    done = run_on_software_adapter(
        [sys.executable, str(CHILD), str(folder / "subjects")],
        KOEBAKO_HOME=str(folder / "home"),
        ORT_WEBGPU_EP_SHADER_DUMP_FILE=str(folder / "shaders"),
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
@pytest.mark.parametrize("voice", GRAPHS)
def test_every_stage_computes_what_the_cpu_does_at_every_length(findings: dict[str, Any], voice: str) -> None:
    assert [name for name in findings["devices"] if "software adapter" in name]
    rows = [row for row in findings["lengths"] if row["voice"] == voice]
    assert {(row["graph"], row["length"]) for row in rows} == {(graph, length) for graph in GRAPHS[voice] for length in LENGTHS}
    for row in rows:
        assert (row["ran_on"], row["fallback"]) == ("webgpu", None), row
        assert row["difference"] <= find_tolerance(["webgpu"], is_half_precision=False), row


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
def test_a_new_length_takes_the_shaders_that_are_there(findings: dict[str, Any]) -> None:
    """A few depend on the remainder of four, and a few on how large a product is."""
    shaders: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in findings["lengths"]:
        shaders[row["voice"], row["graph"]].append(row["shaders"])
    firsts, laters = sum(counts[0] for counts in shaders.values()), sum(sum(counts[1:]) for counts in shaders.values())
    assert all(sum(counts[1:]) <= MOST_LATER for counts in shaders.values()), shaders
    assert 0 < laters < firsts / 4, shaders
    assert not any(sum(shaders[voice, graph][1:]) for voice, graph in shaders if graph == "decoder"), "most of the work"


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
def test_a_large_sum_behind_a_convolution_is_no_nan(findings: dict[str, Any]) -> None:
    assert findings["tanh"] == pytest.approx([0.4621, 1, 1, -1, 1], abs=1e-3)


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
def test_a_line_ends_on_the_cpu_when_the_device_is_lost_in_its_middle(findings: dict[str, Any]) -> None:
    lost = findings["lost"]
    assert (lost["runs"], lost["is_lost"], lost["backend"]) == (2, True, "cpu")
    assert "continuing on the CPU" in lost["fallback"]
    assert lost["difference"] <= 1e-3


@pytest.mark.slow
@pytest.mark.timeout(MOST_RUNS * LIMIT_S)
def test_a_run_can_be_stopped_and_the_next_is_whole(findings: dict[str, Any]) -> None:
    assert findings["cancelled"] == {"cancelled": True, "ran_on": "webgpu", "difference": 0.0}


@pytest.fixture
def _unregistered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort_devices, "_load_library", cache(ort_devices._load_library.__wrapped__))


@pytest.mark.usefixtures("_unregistered")
def test_a_missing_plugin_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PLUGIN, None)
    with pytest.raises(BackendError, match="not installed") as caught:
        find_plugin_devices("webgpu")
    assert "onnxruntime-ep-webgpu" in caught.value.hint
    assert not has_device("webgpu")


@pytest.mark.usefixtures("_unregistered")
def test_a_plugin_that_does_not_load_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second registration would end the process at the next session."""
    tried: list[str] = []

    def refuse(name: str, _path: str) -> None:
        tried.append(name)
        raise RuntimeError("Failed to load library")

    monkeypatch.setattr(ort, "register_execution_provider_library", refuse)
    monkeypatch.setitem(sys.modules, PLUGIN, type("Plugin", (), {"get_library_path": staticmethod(lambda: "nothing.so")}))
    for _ in range(2):
        with pytest.raises(BackendError, match="does not load") as caught:
            find_plugin_devices("webgpu")
        assert "Failed to load library" in caught.value.hint
    assert tried == ["webgpu"]


@pytest.mark.parametrize(
    ("words", "is_lost", "is_memory"),
    [
        ("WebGPU device lost (1): DXGI_ERROR_DEVICE_HUNG", True, False),
        ('[Device "x"] is lost.\n - While calling [Queue].Submit', True, False),
        ("vkQueueSubmit failed with VK_ERROR_DEVICE_LOST", True, False),
        ("vkAllocateMemory failed with VK_ERROR_OUT_OF_DEVICE_MEMORY", False, True),
        ("Failed to create GPU buffer: size=268435456", False, True),
        ("Failed to create a WebGPU compute pipeline: x", False, False),
    ],
)
def test_what_dawn_says_is_understood(words: str, is_lost: bool, is_memory: bool) -> None:
    error = BackendError("failed", "")
    error.__cause__ = RuntimeError(words)
    fault = identify_fault(error)
    assert (fault.is_lost, fault.is_out_of_memory) == (is_lost, is_memory)
