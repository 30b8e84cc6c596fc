"""What ONNX Runtime can compute on here: backends of `backends` that are installed, and graphics adapters by name.

A place is written `backend` or `backend:adapter`, the adapter by number or by a part of its name: `cuda`, `directml:1`, `directml:radeon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnxruntime as ort
import psutil

from app.adapters.ort.backends import BACKENDS, backend_of, name_of
from app.errors import BackendError
from app.language import localized

LONGEST_NUMBER = 4  # digits of an adapter's number


@dataclass(frozen=True, slots=True)
class Device:
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


def offered_providers() -> list[str]:
    """Execution providers that this build of ONNX Runtime offers, by its own names."""
    return list(ort.get_available_providers())


def devices_offered() -> list[dict[str, Any]]:
    """What ONNX Runtime knows of processors and graphics adapters, for a report; nothing where it knows nothing."""
    try:
        devices = ort.get_ep_devices()
    except (AttributeError, RuntimeError):  # versions before 1.22; systems that report nothing
        return []
    return [{"provider": item.ep_name, "vendor": item.device.vendor, "metadata": dict(item.device.metadata)} for item in devices]


def available_backends() -> list[str]:
    """Backends that the installed ONNX Runtime offers, the CPU last."""
    offered = set(offered_providers())
    return [name for name, backend in BACKENDS.items() if backend.provider in offered and name != "cpu"] + ["cpu"]


def known_devices() -> list[Device]:
    """Adapters that ONNX Runtime can distinguish, the fastest of a backend first."""
    try:
        devices = ort.get_ep_devices()
    except (AttributeError, RuntimeError):  # builds without it; systems that report nothing
        return []
    found: list[Device] = []
    for item in devices:
        backend = next((name for name, known in BACKENDS.items() if known.provider == item.ep_name), "cpu")
        if backend != "cpu" and item.device.type != ort.OrtHardwareDeviceType.CPU:
            found.append(_device(backend, item.device, sum(other.backend == backend for other in found)))
    return sorted(found, key=lambda device: (device.backend, device.rank))


def _device(backend: str, device: ort.OrtHardwareDevice, count: int) -> Device:
    """`count`: adapters of this backend that came before, where the system gives no numbers."""
    facts = dict(device.metadata)
    memory = facts.get("DxgiVideoMemory", "").removesuffix(" MB")
    own = memory.isdecimal() and facts.get("Discrete", "1") != "0"
    name = " ".join(facts.get("Description", "").split()) or " ".join(f"{device.vendor} {device.type.name}".split())
    number, rank = facts.get("DxgiAdapterNumber", ""), facts.get("DxgiHighPerformanceIndex", "")
    return Device(
        backend,
        int(number) if number.isdecimal() else count,
        name,
        int(memory) if own else None,
        int(rank) if rank.isdecimal() else count,
    )


def places() -> list[str]:
    """Everything that can be tried, the CPU first: every adapter by its number, or the backend where there is nothing to distinguish."""
    known = known_devices()
    others = [name for name in available_backends() if name != "cpu"]
    return ["cpu", *(place for name in others for place in ([item.place for item in known if item.backend == name] or [name]))]


def device_of(place: str) -> Device | None:
    """The adapter that a place names; None where it names none. BackendError where it names one that is not there."""
    backend, _, wanted = place.partition(":")
    if not wanted or backend not in available_backends():
        return None  # that the backend is missing is reported when a session opens
    known = [item for item in known_devices() if item.backend == backend]
    fitting = [item for item in known if wanted == str(item.number)] or [item for item in known if wanted.lower() in item.name.lower()]
    if fitting:
        return fitting[0]
    if not known and wanted.isdecimal() and len(wanted) <= LONGEST_NUMBER:  # ONNX Runtime does not list them: the number is all there is
        return Device(backend, int(wanted), "", None, 0)
    names = ", ".join(f"{item.place} {item.name}" for item in known) or name_of(backend)
    raise BackendError(
        localized(f"{name_of(backend)} に「{wanted}」というデバイスはありません。", f"{name_of(backend)} has no device “{wanted}”."),
        localized("使用できるもの: ", "Available: ") + names,
    )


def device_used(place: str) -> Device | None:
    """As `device_of`; where a place leaves the adapter open and the backend would choose by itself, the one that the system calls the fastest."""
    device, backend = device_of(place), backend_of(place)
    if device is not None or not BACKENDS[backend].device_replaces or backend not in available_backends():
        return device
    return next((item for item in known_devices() if item.backend == backend), None)


def provider_options(place: str) -> dict[str, str]:
    """The options for the provider of a place; BackendError for an adapter that is not there."""
    backend, _, wanted = place.partition(":")
    known = BACKENDS[backend]
    options = dict(known.options)
    if known.threads_option:
        options[known.threads_option] = str(intra_threads())
    if known.device_option == "device_type":
        return options | ({known.device_option: wanted.upper()} if wanted else {})
    device = device_used(place)
    if device is None or not known.device_option:
        return options
    kept = {name: value for name, value in options.items() if name not in known.device_replaces}
    return kept | {known.device_option: str(device.number)}


def memory_device(place: str) -> tuple[str, int]:
    """Where a backend keeps its values, for IO binding: kind and number of the device."""
    device = device_used(place)
    return BACKENDS[backend_of(place)].memory, device.number if device else 0


def intra_threads() -> int:
    """Physical cores, less one for the window and the sound card where there are more than two."""
    cores = psutil.cpu_count(logical=False) or 1
    return max(1, cores - 1 if cores > 2 else cores)
