"""What results depend on besides the models, so that what was found with another driver is not believed."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.backends import backend_of
from app.adapters.ort.providers import available_backends, device_of, known_devices
from app.errors import BackendError

_DISPLAY_CLASS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"


def machine_facts() -> list[str]:
    """What a measured choice depends on besides the models: ONNX Runtime, processor, adapters and their drivers."""
    return [ort.__version__, *available_backends(), platform.machine(), platform.processor(), *map(repr, known_devices()), *_drivers()]


def device_facts(place: str) -> list[str]:
    """What the results of one device depend on: ONNX Runtime, the adapter and its driver."""
    try:
        device = device_of(place) or next((item for item in known_devices() if item.backend == backend_of(place)), None)
    except BackendError:
        device = None
    name = device.name if device is not None else place
    drivers = _drivers()
    return [ort.__version__, backend_of(place), name, *([driver for driver in drivers if name and driver.startswith(name)] or drivers)]


def _drivers() -> list[str]:
    if sys.platform == "win32":
        return _windows_drivers()
    nvidia = Path("/proc/driver/nvidia/version")
    return [nvidia.read_text(encoding="utf-8", errors="replace")] if nvidia.is_file() else [platform.release()]


def _windows_drivers() -> list[str]:
    """Name and version of every display driver, from the registry; ONNX Runtime does not report them."""
    if sys.platform != "win32":
        return []
    import winreg

    found = []
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _DISPLAY_CLASS) as displays:
            for index in range(winreg.QueryInfoKey(displays)[0]):
                try:
                    with winreg.OpenKey(displays, winreg.EnumKey(displays, index)) as one:
                        found.append(" ".join(str(winreg.QueryValueEx(one, name)[0]) for name in ("DriverDesc", "DriverVersion")))
                except OSError:  # entries that are no drivers, or protected
                    continue
    except OSError:
        return found
    return found
