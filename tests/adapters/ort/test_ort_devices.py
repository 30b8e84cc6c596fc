"""Backends, adapters and placements: what is written, what ONNX Runtime is told, what is refused."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from app.adapters.ort import device_placement
from app.adapters.ort.backends import format_device_name
from app.adapters.ort.device_placement import CPU_ONLY, GRAPH_GROUPS, GROUP_OF_GRAPH, DevicePlacement, parse_placement
from app.adapters.ort.devices import ort_devices
from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.devices.ort_devices import (
    BackendDevice,
    build_provider_options,
    collect_machine_facts,
    find_device,
    find_memory_device,
    list_backends,
    list_devices,
    list_places,
)
from app.adapters.ort.profiled_session import trace_runs
from app.common.errors import BackendError
from app.compose.speaker_opening import open_speaker

GPU = ort.OrtHardwareDeviceType.GPU


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are installed here have tests of their own."""
    monkeypatch.setattr(ort_devices, "find_spec", lambda _name: None)


def device(provider: str, metadata: dict[str, str], kind: object = GPU, vendor: str = "Vendor") -> Any:
    """Looks like ONNX Runtime's OrtEpDevice, with the keys it has on Windows."""
    return SimpleNamespace(ep_name=provider, device=SimpleNamespace(type=kind, vendor=vendor, metadata=metadata))


@pytest.fixture
def two_graphics_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """An integrated adapter that comes first, and a faster one of its own memory; a processor; a backend we do not know."""
    integrated = {"DxgiAdapterNumber": "0", "DxgiVideoMemory": "128 MB", "DxgiHighPerformanceIndex": "1", "Discrete": "0"}
    card = {"DxgiAdapterNumber": "1", "DxgiVideoMemory": "8032 MB", "DxgiHighPerformanceIndex": "0", "Discrete": "1"}
    found = [
        device("CPUExecutionProvider", {}, ort.OrtHardwareDeviceType.CPU),
        device("DmlExecutionProvider", integrated | {"Description": "Intel(R)  UHD Graphics"}),
        device("DmlExecutionProvider", card | {"Description": "NVIDIA GeForce RTX 4060"}),
        device("SomeExecutionProvider", {}),
    ]
    monkeypatch.setattr(ort, "get_ep_devices", lambda: found)
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["DmlExecutionProvider", "CPUExecutionProvider"])


@pytest.mark.usefixtures("two_graphics_cards")
def test_adapters_are_told_apart_the_fastest_first() -> None:
    assert list_devices() == [
        BackendDevice("directml", 1, "NVIDIA GeForce RTX 4060", 8032, 0),
        BackendDevice("directml", 0, "Intel(R) UHD Graphics", None, 1),  # its memory is ours
    ]
    assert list_places() == ["cpu", "directml:1", "directml:0"]


@pytest.mark.usefixtures("two_graphics_cards")
@pytest.mark.parametrize(("place", "number"), [("directml:0", 0), ("directml:geforce", 1), ("directml:RTX 4060", 1), ("directml:uhd", 0)])
def test_an_adapter_is_found_by_number_and_name(place: str, number: int) -> None:
    assert build_provider_options(place) == {"device_id": str(number)}
    assert find_memory_device(place) == ("dml", number)


@pytest.mark.usefixtures("two_graphics_cards")
def test_an_adapter_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(BackendError) as caught:
        find_device("directml:radeon")
    assert "directml:1 NVIDIA GeForce RTX 4060" in caught.value.hint


@pytest.mark.usefixtures("two_graphics_cards")
def test_without_an_adapter_it_is_the_fast_one() -> None:
    assert build_provider_options("directml") == {"device_id": "1"}
    assert find_device("directml") is None  # nobody asked for that very one


def test_where_adapters_are_not_listed_directml_prefers_the_fast_one_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort, "get_ep_devices", list)
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["DmlExecutionProvider", "CPUExecutionProvider"])
    assert build_provider_options("directml") == {"performance_preference": "high_performance", "device_filter": "gpu"}


def test_numbers_work_where_adapters_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent() -> list[object]:
        raise RuntimeError("not on this system")

    monkeypatch.setattr(ort, "get_ep_devices", silent)
    monkeypatch.setattr(ort, "get_available_providers", lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"])
    options = build_provider_options("cuda:1")
    assert options["device_id"] == "1"
    assert options["use_tf32"] == "0"
    assert list_places() == ["cpu", "cuda"]
    with pytest.raises(BackendError):
        find_device("cuda:geforce")


def test_openvino_has_names_of_its_own_for_devices() -> None:
    assert build_provider_options("openvino")["device_type"] == "CPU"
    assert build_provider_options("openvino:gpu.1")["device_type"] == "GPU.1"
    assert build_provider_options("openvino")["precision"] == "ACCURACY"


def test_this_machine_can_be_looked_at() -> None:
    assert list_backends()[-1] == "cpu"
    assert list_places()[0] == "cpu"
    facts = collect_machine_facts()
    assert facts[: 1 + len(list_backends())] == [ort.__version__, *list_backends()]
    assert len(facts) > 3 + len(list_backends())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CPU", CPU_ONLY),
        ("Auto", DevicePlacement()),
        ("DirectML:GeForce RTX", DevicePlacement("directml:GeForce RTX", "directml:GeForce RTX", "directml:GeForce RTX")),
        ("bert=cpu,decoder=directml:1", DevicePlacement("cpu", "auto", "directml:1")),
        ("webgpu", replace(CPU_ONLY, decoder="webgpu", flow="webgpu")),
        ("bert=webgpu,prosody=webgpu,decoder=webgpu", DevicePlacement("webgpu", "webgpu", "webgpu")),
        ("prosody=cpu,flow=cuda", DevicePlacement("auto", "cpu", "auto", "cuda")),
        ("prosody=cuda,flow=cuda", DevicePlacement("auto", "cuda", "auto")),
        (" Bert = cuda , prosody=auto", DevicePlacement("cuda", "auto", "auto")),
    ],
)
def test_placements_are_read_and_written(text: str, expected: DevicePlacement) -> None:
    assert parse_placement(text) == expected
    assert parse_placement(str(expected)) == expected


@pytest.mark.parametrize(
    "text", ["", "quantum", "cpu:1", "auto:0", "directml:", "bert=quantum", "voice=cpu", "bert=cpu,bert=cuda", "bert=cpu,,", "=cpu"]
)
def test_what_is_no_placement_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(BackendError) as caught:
        parse_placement(text)
    assert caught.value.hint


def test_what_is_left_to_us_takes_what_was_measured() -> None:
    measured = DevicePlacement("cpu", "cuda", "directml:1")
    assert parse_placement("bert=openvino").resolve_auto(measured) == DevicePlacement("openvino", "cuda", "directml:1")
    assert not parse_placement("cuda").has_auto
    assert set(GROUP_OF_GRAPH.values()) == set(GRAPH_GROUPS)
    assert measured.find_place("flow") == "cuda"
    assert measured.find_place("whole") == "directml:1"
    assert format_device_name("directml:1") == "DirectML 1"
    assert device_placement.AUTO in str(DevicePlacement())


def test_a_graph_is_traced() -> None:
    """The CPU is a device too: the same binding, only nothing to copy."""
    found = trace_runs(open_speaker(None, "cpu").models["bert"], "cpu", "BERT", [{"input_ids": np.arange(1, 20)}])
    assert found["run_ms"] > 0
    assert found["copy_in_ms"] is None
    assert sum(found["cpu_nodes"].values()) > 10


def test_a_trace_of_what_does_not_open_says_why() -> None:
    missing = next(name for name in ("coreml", "directml", "cuda") if name not in list_backends())
    assert "does not include" in trace_runs(open_speaker(None, "cpu").models["bert"], missing, "BERT", [{}])["error"]


@pytest.mark.skipif("openvino" not in list_backends(), reason="needs onnxruntime-openvino")
def test_openvino_computes_what_the_cpu_does() -> None:
    models = open_speaker(None, "cpu").models
    tokens = {"input_ids": np.arange(1, 20)}
    results = []
    for place in ("cpu", "openvino"):
        opened = open_session(models["bert"], place, "BERT")
        assert (opened.backend, opened.fallback_reason) == (place, None)
        results.append(opened.session.run_graph(tokens)[0])
    assert np.abs(results[0] - results[1]).max() < 1e-4
