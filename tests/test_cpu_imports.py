"""Who speaks on the CPU imports nothing that is about devices, and who uses a device imports nothing that is about TensorRT."""

import importlib.util
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
import sys
from app.cli.main import main
folder, *backends = sys.argv[1:]
codes = [
    main(["speak", "はい。", "-o", f"{folder}/{number}.wav", *(["--backend", backend] if backend != "default" else [])])
    for number, backend in enumerate(backends)
]
print(sum(codes), *(name for name in sys.modules if name.startswith("app.")))
"""


def speak(folder: Path, *backends: str) -> set[str]:
    """Modules of ours that the program has imported when it has spoken once with each of these."""
    command = [sys.executable, "-c", SPEAKING, str(folder), *backends]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=True)
    code, *found = done.stdout.splitlines()[-1].split()
    assert (code, len(list(folder.glob("*.wav")))) == ("0", len(backends)), done.stderr
    return set(found)


def about_devices(modules: set[str]) -> set[str]:
    """Those in the folder of devices, and whatever beside it has them in its name."""
    rooms = ("app.adapters.ort.", "app.compose.", "app.backends")
    return {
        name
        for name in modules
        if f"{name}.".startswith((f"{DEVICES}.", f"{FIXED_SHAPES}.")) or (name.startswith(rooms) and "device" in name)
    } - {NAMES}


def test_speaking_on_the_cpu_imports_nothing_about_devices(tmp_path: Path) -> None:
    modules = speak(tmp_path, "default", "cpu", "bert=cpu,prosody=cpu,decoder=cpu")
    assert "app.adapters.ort.graph_session" in modules
    assert not about_devices(modules)


@pytest.mark.parametrize("name", [f"{DEVICES}.device_thread", f"{FIXED_SHAPES}.fixed_shape_graph", OPENING])
def test_a_module_about_devices_is_known_by_its_name(name: str) -> None:
    assert importlib.util.find_spec(name) is not None
    assert about_devices({name, "app.adapters.ort.graph_session", NAMES}) == {name}


def test_a_device_brings_its_modules_but_not_those_of_tensorrt(tmp_path: Path) -> None:
    modules = speak(tmp_path, "decoder=cuda")
    assert {OPENING, f"{DEVICES}.failover_session"} <= about_devices(modules)
    assert TENSORRT not in modules
