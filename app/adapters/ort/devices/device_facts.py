"""The facts besides the models that results depend on, so that results found with another driver are not believed."""

import platform
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.ort_devices import find_effective_device, list_backends, list_devices
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
    backend, drivers, device = parse_backend(place), _list_drivers(), None
    with suppress(BackendError):
        device = find_effective_device(place) or next((item for item in list_devices() if item.backend == backend), None)
    name = device.name if device is not None else place
    plugins = describe_plugins() if BACKENDS[backend].plugin else []
    return [ort.__version__, backend, name, *plugins, *([driver for driver in drivers if name and driver.startswith(name)] or drivers)]


def describe_plugins() -> list[str]:
    """Return the installed plug-ins with the sizes of their libraries, by which versions differ; none of them is loaded."""
    descriptions = []
    for plugin in filter(None, (backend.plugin for backend in BACKENDS.values())):
        if (spec := find_spec(plugin)) is not None:
            folders = map(Path, spec.submodule_search_locations or ())
            sizes = sorted(file.stat().st_size for folder in folders for file in folder.glob("*") if file.suffix in _LIBRARY_SUFFIXES)
            descriptions.append(" ".join((plugin, *map(str, sizes))))
    return descriptions


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

    drivers = []
    with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _DISPLAY_CLASS_KEY) as displays:
        for index in range(winreg.QueryInfoKey(displays)[0]):
            # Some entries are no drivers, or protected.
            with suppress(OSError), winreg.OpenKey(displays, winreg.EnumKey(displays, index)) as entry:
                drivers.append(" ".join(str(winreg.QueryValueEx(entry, name)[0]) for name in ("DriverDesc", "DriverVersion")))
    return drivers
