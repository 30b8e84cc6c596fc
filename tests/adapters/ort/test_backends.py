"""The table of backends: a test names what a new row lacks."""

import subprocess
import sys
from pathlib import Path

import onnxruntime as ort
import pytest

from app.adapters.ort.backends import BACKENDS, find_backend_name, is_on_processor, parse_backend
from app.adapters.ort.device_placement import parse_placement
from app.adapters.ort.devices.ort_devices import build_provider_options

ROOT = Path(__file__).parent.parent.parent.parent


@pytest.mark.parametrize("key", BACKENDS)
def test_every_backend_has_a_name_a_provider_and_options_of_its_own(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = BACKENDS[key]
    assert backend.key == key == parse_backend(f"{key}:1")
    assert backend.plugin or backend.provider in ort.get_all_providers()
    assert find_backend_name(key) != key, "people read a name, not the key"
    assert parse_placement(key).decoder == key
    monkeypatch.setattr(ort, "get_available_providers", lambda: [backend.provider, "CPUExecutionProvider"])
    monkeypatch.setattr(ort, "get_ep_devices", list)
    without, numbered = build_provider_options(key), build_provider_options(f"{key}:1")
    assert backend.options.items() <= without.items()
    named = {backend.device_option} - {""}
    assert set(numbered) - set(without) <= named, "a device number goes where the provider takes one, and nowhere else"
    assert {name for name in numbered if numbered[name] != without.get(name)} == named
    assert not set(numbered) & set(backend.device_replaces)
    assert all(isinstance(value, str) for value in numbered.values())


def test_keys_and_providers_are_unique_and_the_cpu_is_first() -> None:
    assert next(iter(BACKENDS)) == "cpu"
    assert len({backend.provider for backend in BACKENDS.values()}) == len(BACKENDS)
    assert len({find_backend_name(key).lower() for key in (*BACKENDS, "auto")}) == len(BACKENDS) + 1
    assert [key for key in BACKENDS if is_on_processor(key)] == ["cpu", "openvino"]
    assert not is_on_processor("something newer")


def test_the_table_needs_no_onnx_runtime() -> None:
    """The window reads it in its own thread."""
    code = "import sys, app.adapters.ort.backends; print('onnxruntime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "False"
