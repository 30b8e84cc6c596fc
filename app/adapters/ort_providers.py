"""What ONNX Runtime can compute on: backends, graphics adapters by name, and what each backend is told, with its why.

A place is written `backend` or `backend:adapter`, the adapter by number or by a part of its name: `cuda`, `directml:1`, `directml:radeon`.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path

import onnxruntime as ort
import psutil

from app.errors import BackendError
from app.language import say

PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "directml": "DmlExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
NAMES = {"auto": "Auto", "cpu": "CPU", "directml": "DirectML", "cuda": "CUDA", "coreml": "CoreML", "openvino": "OpenVINO"}
# What a provider is told when a session opens, and why.
OPTIONS: dict[str, dict[str, str]] = {
    # Adapter 0 is often the integrated one, which may be slower than the CPU.
    "directml": {"performance_preference": "high_performance", "device_filter": "gpu"},
    # An exhaustive search for the best convolution would run again for every new length of text; an arena that doubles would take
    # memory that the desktop needs; products of ten-bit fractions (TF32) are not equal within what we call equal.
    "cuda": {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested", "use_tf32": "0"},
    # The older format runs most of our operators on the CPU.
    "coreml": {"ModelFormat": "MLProgram"},
    # Left to itself it computes in bfloat16 where the processor can, which is heard.
    "openvino": {"device_type": "CPU", "precision": "ACCURACY"},
}
_MEMORY_DEVICES = {"directml": "dml", "cuda": "cuda"}  # as OrtValue names them; the others work in ordinary memory


@dataclass(frozen=True, slots=True)
class Adapter:
    """A device that a backend can run on.

    Attributes:
        number: what the backend itself calls it.
        memory_mb: of its own; None where that is not known, or where it shares ours.
        rank: 0 is the fastest, as the system says.
    """

    backend: str
    number: int
    name: str
    memory_mb: int | None
    rank: int

    @property
    def place(self) -> str:
        """As `--backend` takes it."""
        return f"{self.backend}:{self.number}"


def available_backends() -> list[str]:
    """Backends that the installed ONNX Runtime offers, the CPU last."""
    offered = set(ort.get_available_providers())
    return [name for name, provider in PROVIDERS.items() if provider in offered and name != "cpu"] + ["cpu"]


def adapters() -> list[Adapter]:
    """Adapters that ONNX Runtime can tell apart, the fastest of a backend first."""
    try:
        devices = ort.get_ep_devices()
    except (AttributeError, RuntimeError):  # builds without it; systems that do not tell
        return []
    found: list[Adapter] = []
    for item in devices:
        backend = next((name for name, provider in PROVIDERS.items() if provider == item.ep_name), "cpu")
        if backend != "cpu" and item.device.type != ort.OrtHardwareDeviceType.CPU:
            found.append(_adapter(backend, item.device, sum(other.backend == backend for other in found)))
    return sorted(found, key=lambda adapter: (adapter.backend, adapter.rank))


def _adapter(backend: str, device: ort.OrtHardwareDevice, count: int) -> Adapter:
    """`count`: adapters of this backend that came before, where the system gives no numbers."""
    facts = dict(device.metadata)
    memory = facts.get("DxgiVideoMemory", "").removesuffix(" MB")
    own = memory.isdecimal() and facts.get("Discrete", "1") != "0"
    name = " ".join(facts.get("Description", "").split()) or " ".join(f"{device.vendor} {device.type.name}".split())
    number, rank = facts.get("DxgiAdapterNumber", ""), facts.get("DxgiHighPerformanceIndex", "")
    return Adapter(
        backend,
        int(number) if number.isdecimal() else count,
        name,
        int(memory) if own else None,
        int(rank) if rank.isdecimal() else count,
    )


def places() -> list[str]:
    """Everything that can be tried, the CPU first: every adapter by its number, or the backend where there is nothing to tell apart."""
    known = adapters()
    others = [name for name in available_backends() if name != "cpu"]
    return ["cpu", *(place for name in others for place in ([item.place for item in known if item.backend == name] or [name]))]


def backend_of(place: str) -> str:
    """`directml:1` → `directml`."""
    return place.partition(":")[0]


def adapter_of(place: str) -> Adapter | None:
    """The adapter that a place names; None where it names none. BackendError where it names one that is not there."""
    backend, _, wanted = place.partition(":")
    if not wanted or backend not in available_backends():
        return None  # that the backend is missing is told when a session opens
    known = [item for item in adapters() if item.backend == backend]
    fitting = [item for item in known if wanted == str(item.number)] or [item for item in known if wanted.lower() in item.name.lower()]
    if fitting:
        return fitting[0]
    if not known and wanted.isdecimal():  # ONNX Runtime does not list them: the number is all there is
        return Adapter(backend, int(wanted), "", None, 0)
    names = ", ".join(f"{item.place} {item.name}" for item in known) or NAMES[backend]
    raise BackendError(
        say(f"{NAMES[backend]} に「{wanted}」という装置はありません。", f'{NAMES[backend]} has no adapter "{wanted}".'),
        say("選べるもの: ", "Choose one of: ") + names,
    )


def provider_options(place: str) -> dict[str, str]:
    """What the provider of a place is told; BackendError for an adapter that is not there."""
    backend, _, wanted = place.partition(":")
    options = dict(OPTIONS.get(backend, {}))
    if backend == "openvino":
        options["num_of_threads"] = str(intra_threads())
        return options | ({"device_type": wanted.upper()} if wanted else {})  # it has names of its own: CPU, GPU, GPU.1, NPU
    adapter = adapter_of(place)
    if adapter is None:
        return options
    if backend == "directml":  # a number and a preference exclude each other
        return {"device_id": str(adapter.number)}
    return options | {"device_id": str(adapter.number)}


def memory_device(place: str) -> tuple[str, int]:
    """Where a backend keeps its values, for IO binding: kind and number of the device."""
    adapter = adapter_of(place)
    return _MEMORY_DEVICES.get(backend_of(place), "cpu"), adapter.number if adapter else 0


def intra_threads() -> int:
    """Physical cores, less one for the window and the sound card where there are more than two."""
    cores = psutil.cpu_count(logical=False) or 1
    return max(1, cores - 1 if cores > 2 else cores)


def machine_facts() -> list[str]:
    """What a measured choice depends on besides the models: ONNX Runtime, processor, adapters and their drivers."""
    return [ort.__version__, *available_backends(), platform.machine(), platform.processor(), *map(repr, adapters()), *_drivers()]


def _drivers() -> list[str]:
    if sys.platform == "win32":
        return _windows_drivers()
    nvidia = Path("/proc/driver/nvidia/version")
    return [nvidia.read_text(encoding="utf-8", errors="replace")] if nvidia.is_file() else [platform.release()]


def _windows_drivers() -> list[str]:
    """Name and version of every display driver, from the registry; ONNX Runtime does not tell them."""
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


_DISPLAY_CLASS = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
