"""Who speaks on the CPU imports nothing that is about devices, and who uses a device imports nothing that is about TensorRT."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEVICES = "app.adapters.ort.devices"
OPENING = "app.compose.device_opening"
TENSORRT = f"{DEVICES}.engine_cache"
FIXED_SHAPES = "app.adapters.ort.fixed_shapes"
# Reads which device a setting names, without asking one.
NAMES = "app.adapters.ort.device_placement"
SPEAKING = """
import importlib, sys
for name in sys.argv[3:]: importlib.import_module(name)
sys.argv[3:] = []
output, backend = sys.argv[1:]
from app.cli.main import main
sys.argv = ["koebako", "speak", "はい。", "-o", output, *(["--backend", backend] if backend != "default" else [])]
code = main()
print(code, *(name for name in sys.modules if name.startswith("app.")))
"""


def speak(output: Path, backend: str, *planted: str) -> set[str]:
    """Modules of ours that one call of the program has imported."""
    command = [sys.executable, "-c", SPEAKING, str(output), backend, *planted]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=True)
    code, *found = done.stdout.splitlines()[-1].split()
    assert (code, output.is_file()) == ("0", True), done.stderr
    return set(found)


def about_devices(modules: set[str]) -> set[str]:
    """Those in the folder of devices, and whatever beside it has them in its name."""
    rooms = ("app.adapters.ort.", "app.compose.", "app.backends")
    return {
        name
        for name in modules
        if f"{name}.".startswith((f"{DEVICES}.", f"{FIXED_SHAPES}.")) or (name.startswith(rooms) and "device" in name)
    } - {NAMES}


@pytest.mark.parametrize("backend", ["default", "cpu", "bert=cpu,prosody=cpu,decoder=cpu"])
def test_speaking_on_the_cpu_imports_nothing_about_devices(backend: str, tmp_path: Path) -> None:
    modules = speak(tmp_path / "a.wav", backend)
    assert "app.adapters.ort.cpu_session" in modules
    assert not about_devices(modules)


@pytest.mark.parametrize("planted", [f"{DEVICES}.device_thread", f"{FIXED_SHAPES}.fixed_shape_graph", OPENING])
def test_an_import_of_them_is_found(planted: str, tmp_path: Path) -> None:
    assert planted in about_devices(speak(tmp_path / "a.wav", "cpu", planted))


def test_a_device_brings_its_modules_but_not_those_of_tensorrt(tmp_path: Path) -> None:
    modules = speak(tmp_path / "a.wav", "decoder=cuda")
    assert {OPENING, f"{DEVICES}.failover_session"} <= about_devices(modules)
    assert TENSORRT not in modules
