"""The facts besides the models that results depend on, so that results found with another driver are not believed."""

from __future__ import annotations

import platform
import sys
from importlib.util import find_spec
from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.ort_devices import BackendDevice, find_device, find_effective_device, list_backends, list_devices
from app.common.errors import BackendError

_LIBRARY_SUFFIXES = (".dll", ".so", ".dylib")
_DISPLAY_CLASS_KEY = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"


def collect_machine_facts() -> list[str]:
    """Return what a measured choice depends on besides the models: ONNX Runtime, processor, adapters and their drivers."""
    return [
        ort.__version__, *list_backends(), platform.machine(), platform.processor(), *map(repr, list_devices()), *_list_drivers(),
        *describe_plugins(),
    ]  # fmt: skip


def collect_device_facts(place: str) -> list[str]:
    """Return what the results of one device depend on: ONNX Runtime, the adapter and its driver."""
    try:
        device = find_device(place) or find_effective_device(place) or _find_listed_device(place)
    except BackendError:
        device = None
    name = device.name if device is not None else place
    drivers = _list_drivers()
    plugins = describe_plugins() if BACKENDS[parse_backend(place)].plugin else []
    return [
        ort.__version__,
        parse_backend(place),
        name,
        *plugins,
        *([driver for driver in drivers if name and driver.startswith(name)] or drivers),
    ]


def _find_listed_device(place: str) -> BackendDevice | None:
    return next((item for item in list_devices() if item.backend == parse_backend(place)), None)


def describe_plugins() -> list[str]:
    """Return the installed plug-ins with the sizes of their libraries, by which versions differ; none of them is loaded."""
    found = []
    for plugin in filter(None, (backend.plugin for backend in BACKENDS.values())):
        spec = find_spec(plugin)
        folders = [Path(folder) for folder in (spec.submodule_search_locations if spec else None) or ()]
        sizes = sorted(file.stat().st_size for folder in folders for file in folder.glob("*") if file.suffix in _LIBRARY_SUFFIXES)
        if spec is not None:
            found.append(" ".join((plugin, *map(str, sizes))))
    return found


def _list_drivers() -> list[str]:
    if sys.platform == "win32":
        return _list_windows_drivers()
    nvidia = Path("/proc/driver/nvidia/version")
    return [nvidia.read_text(encoding="utf-8", errors="replace")] if nvidia.is_file() else [platform.release()]


def _list_windows_drivers() -> list[str]:
    """Return name and version of every display driver, from the registry; ONNX Runtime does not report them."""
    if sys.platform != "win32":
        return []
    import winreg

    found = []
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _DISPLAY_CLASS_KEY) as displays:
            for index in range(winreg.QueryInfoKey(displays)[0]):
                try:
                    with winreg.OpenKey(displays, winreg.EnumKey(displays, index)) as one:
                        found.append(" ".join(str(winreg.QueryValueEx(one, name)[0]) for name in ("DriverDesc", "DriverVersion")))
                except OSError:  # entries that are no drivers, or protected
                    continue
    except OSError:
        return found
    return found
