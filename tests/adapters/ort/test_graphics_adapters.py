"""A plug-in's backend is there where an adapter is, which is looked for without loading the plug-in."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnxruntime as ort
import pytest

from app.adapters.ort.devices import ort_devices
from app.adapters.ort.devices.device_sessions import explain_unusable
from app.adapters.ort.devices.ort_devices import (
    SOFTWARE_ADAPTER_VARIABLE,
    describe_linux_driver,
    has_graphics_adapter,
    list_backends,
    list_device_reports,
    list_plugin_devices,
    list_usable_backends,
    name_adapter,
)

ROOT = Path(__file__).parents[3]
PLUGIN = "onnxruntime_ep_webgpu"
LOOK_AROUND = f"""
import json, sys
from app.adapters.ort.devices.ort_devices import list_backends, list_places, list_usable_backends
listed = list_backends(), list_places()
loaded = {PLUGIN!r} in sys.modules
print(json.dumps([listed[0], loaded, list_usable_backends()]))
"""
OPEN = """
from pathlib import Path
from app.adapters.ort.devices.device_sessions import open_session
opened = open_session(Path("resources/voices/mei/decoder.onnx"), "webgpu", "decoder")
print(opened.backend, opened.fallback_reason)
"""
AddCard = Callable[[str], None]


@pytest.fixture
def add_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AddCard:
    """A Linux without graphics cards, to which the function adds one with a driver."""
    cards = tmp_path / "drm"
    monkeypatch.setattr(ort_devices, "_LINUX_CARDS", cards)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv(SOFTWARE_ADAPTER_VARIABLE, raising=False)

    def add(driver: str) -> None:
        target = tmp_path / "drivers" / driver
        target.mkdir(parents=True)
        (cards / "card0" / "device").mkdir(parents=True)
        (cards / "card0" / "device" / "driver").symlink_to(target)

    return add


def make_ep_device(kind: Any, vendor: str, vendor_id: int, device_id: int, metadata: dict[str, str]) -> Any:
    """Looks like ONNX Runtime's OrtEpDevice as the plug-in returns it."""
    hardware = SimpleNamespace(type=kind, vendor=vendor, vendor_id=vendor_id, device_id=device_id, metadata=metadata)
    return SimpleNamespace(ep_name="WebGpuExecutionProvider", ep_metadata={"version": "0.4.0"}, device=hardware)


def look_around(**environment: str) -> tuple[list[str], bool, list[str]]:
    """What a process lists, whether that loaded the plug-in, and what is usable."""
    inherited = {name: value for name, value in os.environ.items() if name != SOFTWARE_ADAPTER_VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", LOOK_AROUND], cwd=ROOT, env=inherited | environment, capture_output=True, text=True, check=True
    )
    listed, loaded, usable = json.loads(done.stdout.splitlines()[-1])
    return listed, loaded, usable


@pytest.mark.skipif(os.name == "nt", reason="Linux's list of cards is made of links")
def test_a_card_is_found_with_its_driver(add_card: AddCard) -> None:
    assert not has_graphics_adapter()
    assert describe_linux_driver("0") == ""
    add_card("amdgpu")
    assert has_graphics_adapter()
    assert [describe_linux_driver(card) for card in ("0", "1", "", "../x")] == ["amdgpu", "", "", ""]


@pytest.mark.usefixtures("add_card")
@pytest.mark.parametrize(("value", "counts"), [("1", True), ("0", False)])
def test_a_software_adapter_counts_by_variable_only(value: str, counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SOFTWARE_ADAPTER_VARIABLE, value)
    assert has_graphics_adapter() == counts


@pytest.mark.usefixtures("add_card")
@pytest.mark.parametrize(("system", "listed"), [("linux", False), ("win32", True), ("darwin", True)])
def test_other_systems_have_an_adapter_until_the_plugin_says_no(system: str, listed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(ort_devices, "find_spec", lambda name: name == PLUGIN or None)
    monkeypatch.setattr(ort_devices, "_load_plugin_devices", lambda _backend: [])
    assert ("webgpu" in list_backends()) == listed
    assert "webgpu" not in list_usable_backends()


@pytest.mark.parametrize(
    ("kind", "vendor", "ids", "name"),
    [
        ("GPU", "", (0x1002, 0x73FF), "AMD GPU 73ff"),
        ("GPU", "", (0x1A03, 0x2000), "vendor 1a03 GPU 2000"),
        ("GPU", "Apple", (0x106B, 0), "Apple GPU"),
        ("CPU", "Intel", (0x8086, 0), "software adapter (Intel)"),
    ],
)
def test_an_adapter_has_a_name_where_the_system_gives_none(
    kind: str, vendor: str, ids: tuple[int, int], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name_adapter(vendor, *ids, is_software=kind == "CPU") == name
    device = make_ep_device(getattr(ort.OrtHardwareDeviceType, kind), vendor, *ids, {})
    monkeypatch.setattr(ort_devices, "load_webgpu", lambda: None)
    monkeypatch.setattr(ort, "get_ep_devices", lambda: [device])
    assert [item.name for item in list_plugin_devices("webgpu")] == [name]


@pytest.mark.skipif(os.name == "nt", reason="Linux's list of cards is made of links")
def test_a_report_has_the_adapters_numbers_driver_and_plugin(add_card: AddCard, monkeypatch: pytest.MonkeyPatch) -> None:
    add_card("amdgpu")
    device = make_ep_device(ort.OrtHardwareDeviceType.GPU, "", 0x1002, 0x73FF, {"card_idx": "0"})
    monkeypatch.setattr(ort, "get_ep_devices", lambda: [device])
    (found,) = list_device_reports()
    assert (found["provider"], found["version"], found["type"]) == ("WebGpuExecutionProvider", "0.4.0", "GPU")
    assert (found["ids"], found["driver"]) == ("1002:73ff", "amdgpu")
    software = make_ep_device(ort.OrtHardwareDeviceType.CPU, "Intel", 0x8086, 0, {})
    monkeypatch.setattr(ort, "get_ep_devices", lambda: [software])
    monkeypatch.delenv("VK_DRIVER_FILES", raising=False)
    monkeypatch.setenv("VK_ICD_FILENAMES", "/home/somebody/swiftshader/icd.json")
    (found,) = list_device_reports()
    assert (found["type"], found["driver"]) == ("CPU", "icd.json"), "no real adapter, and nobody's folder"


@pytest.mark.skipif(importlib.util.find_spec(PLUGIN) is None, reason="needs onnxruntime-ep-webgpu (the extra `webgpu`)")
def test_an_installed_plugin_without_an_adapter_is_no_backend() -> None:
    listed, loaded, usable = look_around()
    assert not loaded
    assert "webgpu" not in usable or "webgpu" in listed
    if sys.platform == "linux" and not has_graphics_adapter():
        assert "webgpu" not in listed
    listed, loaded, usable = look_around(**{SOFTWARE_ADAPTER_VARIABLE: "1"})
    assert not loaded
    assert "webgpu" in listed
    assert "webgpu" in usable


@pytest.mark.skipif(importlib.util.find_spec(PLUGIN) is None, reason="needs onnxruntime-ep-webgpu (the extra `webgpu`)")
def test_naming_it_without_an_adapter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ort_devices, "load_webgpu", lambda: None)
    monkeypatch.setattr(ort, "get_ep_devices", list)
    assert "no graphics device" in str(explain_unusable("webgpu"))


@pytest.mark.skipif(importlib.util.find_spec(PLUGIN) is None, reason="needs onnxruntime-ep-webgpu (the extra `webgpu`)")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there may be a driver whatever the variables say")
def test_an_adapter_that_no_driver_computes_on_is_one_plain_sentence() -> None:
    """No stand-in: the plug-in itself, which is allowed a software adapter that is not there."""
    environment = os.environ | {SOFTWARE_ADAPTER_VARIABLE: "1", "VK_ICD_FILENAMES": os.devnull, "KOEBAKO_LANG": "en"}
    done = subprocess.run([sys.executable, "-c", OPEN], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "WebGPU is not available; running on the CPU: It found no usable graphics device. Update the graphics driver." in done.stdout
    assert "Failed to get a WebGPU adapter" in done.stdout, "Dawn's own words"
