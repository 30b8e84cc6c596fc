"""The devices that ONNX Runtime can compute on here: installed backends of `backends`, and graphics adapters by name.

A place is written `backend` or `backend:adapter`, the adapter by number or by a part of its name: `cuda`, `directml:1`, `directml:radeon`.
Graphics adapters are listed as the system itself has them, so that no library of graphics is loaded where there is none. What results
depend on besides the models is asked here, too: those found with another driver are not believed.
"""

import os
import platform
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import onnxruntime as ort

from app.adapters.ort.backends import BACKENDS, find_backend_name, parse_backend
from app.adapters.ort.session_errors import describe_ort_error
from app.adapters.ort.session_options import count_intra_threads
from app.common.errors import BackendError
from app.common.language import localize

MAX_DEVICE_NUMBER_DIGITS = 4  # digits of an adapter's number

# With it WebGPU's plug-in takes an adapter that is only software: for tests, as that is slower than the CPU's own kernels.
SOFTWARE_ADAPTER_VARIABLE = "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"
_LINUX_CARDS = Path("/sys/class/drm")
# As PCI numbers them; Linux gives numbers only.
_VENDORS = {0x1002: "AMD", 0x10DE: "NVIDIA", 0x8086: "Intel", 0x13B5: "Arm", 0x5143: "Qualcomm", 0x106B: "Apple"}

_REGISTERED_NAME = "webgpu"
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class BackendDevice:
    """A device that a backend can run on."""

    backend: str
    number: int  # what the backend itself calls it
    name: str
    memory_mb: int | None  # of its own; None where that is not known, or where it shares ours
    rank: int  # 0 is the fastest, as the system says

    @property
    def place(self) -> str:
        """Return the place as `--backend` takes it."""
        return f"{self.backend}:{self.number}"


def list_providers() -> list[str]:
    """Return the execution providers of this build of ONNX Runtime, by its own names."""
    return list(ort.get_available_providers())


def list_device_reports() -> list[dict[str, Any]]:
    """Return what ONNX Runtime knows of processors and graphics adapters, for a report; nothing where it knows nothing."""
    return [_describe_ep_device(item) for item in _list_ep_devices()]


def has_graphics_adapter() -> bool:
    """Return whether a plug-in may find an adapter here: what ONNX Runtime looks for under Linux, where servers have none; elsewhere always."""
    is_software_allowed = os.environ.get(SOFTWARE_ADAPTER_VARIABLE) == "1"
    return is_software_allowed or sys.platform != "linux" or next(_LINUX_CARDS.glob("card*"), None) is not None


def name_adapter(vendor: str, vendor_id: int, device_id: int, *, is_software: bool) -> str:
    """Return a name for an adapter whose description the system does not give."""
    if is_software:
        return f"software adapter ({vendor or 'CPU'})"
    vendor = vendor or _VENDORS.get(vendor_id, f"vendor {vendor_id:04x}")
    return f"{vendor} GPU {device_id:04x}" if device_id else f"{vendor} GPU"


def describe_software_driver() -> str:
    """Return the description file of the Vulkan driver that was chosen by hand, as one that is only software is; empty for none."""
    files = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES") or ""
    return ", ".join(Path(file).name for file in files.split(os.pathsep) if file)


def describe_linux_driver(card: str) -> str:
    """Return the kernel's driver of a card by its number, such as `amdgpu`; empty where that is unknown."""
    try:
        return (_LINUX_CARDS / f"card{card}" / "device" / "driver").resolve(strict=True).name if card.isdecimal() else ""
    except OSError:
        return ""


def _describe_ep_device(item: Any) -> dict[str, Any]:
    facts = dict(item.device.metadata)
    is_software = _is_software(item.device) and item.ep_name != BACKENDS["cpu"].provider
    return {
        "provider": item.ep_name,
        "version": dict(item.ep_metadata).get("version", ""),
        "type": item.device.type.name,
        "vendor": item.device.vendor,
        "ids": f"{item.device.vendor_id:04x}:{item.device.device_id:04x}",
        "driver": describe_software_driver() if is_software else describe_linux_driver(facts.get("card_idx", "")),
        "metadata": facts,
    }


def list_backends() -> list[str]:
    """Return the backends that the installed ONNX Runtime offers, the CPU last; an installed plug-in is not loaded: see `has_device`."""
    built_in, offered = set(list_providers()), list[str]()
    for name, backend in BACKENDS.items():
        is_there = find_spec(backend.plugin) is not None and has_graphics_adapter() if backend.plugin else backend.provider in built_in
        offered += [name] if is_there and name != "cpu" else []
    return [*offered, "cpu"]


def list_usable_backends() -> list[str]:
    """Return those of `list_backends` that have a device here, for which plug-ins are loaded."""
    return [name for name in list_backends() if has_device(name)]


def list_devices() -> list[BackendDevice]:
    """Return the adapters that ONNX Runtime can distinguish, the fastest of a backend first; those of plug-ins: `list_plugin_devices`."""
    devices: list[BackendDevice] = []
    for item in _list_ep_devices():
        backend = next((name for name, backend in BACKENDS.items() if backend.provider == item.ep_name), "cpu")
        if backend != "cpu" and not BACKENDS[backend].plugin and not _is_software(item.device):
            devices.append(_build_device(backend, item.device, sum(other.backend == backend for other in devices)))
    return sorted(devices, key=lambda device: (device.backend, device.rank))


def _list_ep_devices() -> list[Any]:
    try:
        return list(ort.get_ep_devices())
    except (AttributeError, RuntimeError):  # builds and versions (before 1.22) without it; systems that report nothing
        return []


def list_plugin_devices(backend: str) -> list[BackendDevice]:
    """Load the plug-in of a backend and return the adapter that it computes on, if any; raise BackendError if it does not load."""
    return [device for device, _ in _load_plugin_devices(backend)]


def load_webgpu() -> None:
    """Make the devices of the plug-in known to ONNX Runtime; raise BackendError, at every call the same, if it is missing or does not load."""
    with _lock:
        if (error := _load_library()) is not None:
            raise BackendError(error.message, error.hint)


@cache  # a second registration ends the process at the next session
def _load_library() -> BackendError | None:
    try:
        import onnxruntime_ep_webgpu

        ort.register_execution_provider_library(_REGISTERED_NAME, onnxruntime_ep_webgpu.get_library_path())
    except ImportError:
        return BackendError(
            localize("WebGPU のプラグインがインストールされていません。", "The WebGPU plug-in is not installed."),
            localize("onnxruntime-ep-webgpu をインストールしてください。", "Install onnxruntime-ep-webgpu."),
        )
    except Exception as exc:  # ONNX Runtime has no common base, and versions before 1.22 lack the function
        return BackendError(
            localize("WebGPU のプラグインを読み込めません。", "The WebGPU plug-in does not load."),
            localize(
                f"再インストールしてください。詳細: {describe_ort_error(exc)}", f"Install it again. Details: {describe_ort_error(exc)}"
            ),
        )
    return None


def _load_plugin_devices(backend: str) -> list[tuple[BackendDevice, Any]]:
    load_webgpu()  # only where somebody asks for it
    fitting = [item for item in _list_ep_devices() if item.ep_name == BACKENDS[backend].provider]
    pairs = [(_build_device(backend, item.device, index), item) for index, item in enumerate(fitting)]
    # It computes on the adapter that it chooses itself; by another's name this one would be measured.
    return sorted(pairs, key=lambda pair: pair[0].rank)[:1]


def find_plugin_devices(place: str) -> tuple[Any, ...]:
    """Return the device of a place as ONNX Runtime lists it; nothing for a backend that no plug-in brings. Raise BackendError if there is none."""
    backend = parse_backend(place)
    if not BACKENDS[backend].plugin:
        return ()
    pairs = _load_plugin_devices(backend)
    if not pairs:
        raise BackendError(
            localize("対応するグラフィックスデバイスが見つかりません。", "It found no graphics device."),
            localize("グラフィックスドライバーを更新してください。", "Update the graphics driver."),
        )
    named = find_device(place)
    return (next((item for device, item in pairs if device == named), pairs[0][1]),)


def _build_device(backend: str, device: ort.OrtHardwareDevice, count: int) -> BackendDevice:
    """Build a device; `count` is the number of earlier adapters of this backend, if the system gives no numbers."""
    facts = dict(device.metadata)
    memory = facts.get("DxgiVideoMemory", "").removesuffix(" MB")
    has_own = memory.isdecimal() and facts.get("Discrete", "1") != "0"
    name = " ".join(facts.get("Description", "").split()) or name_adapter(
        device.vendor, device.vendor_id, device.device_id, is_software=_is_software(device)
    )
    number, rank = (
        int(text) if (text := facts.get(key, "")).isdecimal() else count for key in ("DxgiAdapterNumber", "DxgiHighPerformanceIndex")
    )
    return BackendDevice(backend, number, name, int(memory) if has_own else None, rank)


def _is_software(device: ort.OrtHardwareDevice) -> bool:
    return bool(device.type == ort.OrtHardwareDeviceType.CPU)


def list_places() -> list[str]:
    """Return all places, the CPU first: every adapter by its number, or the backend if there is nothing to distinguish."""
    devices = list_devices()
    others = [name for name in list_backends() if name != "cpu"]
    return ["cpu", *(place for name in others for place in ([item.place for item in devices if item.backend == name] or [name]))]


def has_device(place: str) -> bool:
    """Return whether a backend has anything to compute on here; of one that ONNX Runtime has built in this is believed."""
    backend = parse_backend(place)
    if not BACKENDS[backend].plugin:
        return True
    try:
        return bool(list_plugin_devices(backend))
    except BackendError:
        return False


def find_device(place: str) -> BackendDevice | None:
    """Return the adapter that a place names; None if it names none. Raise BackendError if there is no such adapter."""
    backend, _, adapter = place.partition(":")
    if not adapter or backend not in list_backends():
        # That the backend is missing is reported when a session opens.
        return None
    devices = _list_backend_devices(backend)
    fitting = [item for item in devices if adapter == str(item.number)] or [
        item for item in devices if adapter.lower() in item.name.lower()
    ]
    if fitting:
        return fitting[0]
    # ONNX Runtime does not list them: the number is all there is.
    if not devices and adapter.isdecimal() and len(adapter) <= MAX_DEVICE_NUMBER_DIGITS:
        return BackendDevice(backend, int(adapter), "", None, 0)
    name = find_backend_name(backend)
    raise BackendError(
        localize(f"{name} に「{adapter}」というデバイスはありません。", f"{name} has no device “{adapter}”."),
        localize("使用できるもの: ", "Available: ") + (", ".join(f"{item.place} {item.name}" for item in devices) or name),
    )


def _list_backend_devices(backend: str) -> list[BackendDevice]:
    return list_plugin_devices(backend) if BACKENDS[backend].plugin else [item for item in list_devices() if item.backend == backend]


def find_effective_device(place: str) -> BackendDevice | None:
    """Return the adapter as `find_device`; if a place leaves it open and the backend would choose by itself, the one that the system calls the fastest."""
    device, backend = find_device(place), parse_backend(place)
    chooses_itself = bool(BACKENDS[backend].device_replaces or BACKENDS[backend].plugin)
    if device is not None or not chooses_itself or backend not in list_backends():
        return device
    return next(iter(_list_backend_devices(backend)), None)


def build_provider_options(place: str) -> dict[str, str]:
    """Return the options for the provider of a place; raise BackendError for an adapter that is not there."""
    key, _, adapter = place.partition(":")
    backend = BACKENDS[key]
    options = dict(backend.options)
    if backend.threads_option:
        options[backend.threads_option] = str(count_intra_threads())
    if backend.device_option == "device_type":
        return options | ({backend.device_option: adapter.upper()} if adapter else {})
    # A session of a plug-in is given the device itself.
    device = None if backend.plugin else find_effective_device(place)
    if device is None or not backend.device_option:
        return options
    return {name: value for name, value in options.items() if name not in backend.device_replaces} | {
        backend.device_option: str(device.number)
    }


def find_memory_device(place: str) -> tuple[str, int]:
    """Return where a backend keeps its values, for IO binding: kind and number of the device."""
    device = find_effective_device(place)
    return BACKENDS[parse_backend(place)].memory, device.number if device else 0


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
