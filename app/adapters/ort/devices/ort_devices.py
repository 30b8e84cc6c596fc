"""The devices that ONNX Runtime can compute on here: installed backends of `backends`, and graphics adapters by name.

A place is written `backend` or `backend:adapter`, the adapter by number or by a part of its name: `cuda`, `directml:1`, `directml:radeon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnxruntime as ort

from app.adapters.ort.backends import BACKENDS, find_backend_name, parse_backend
from app.adapters.ort.session_options import count_intra_threads
from app.common.errors import BackendError
from app.common.language import localize

# Digits of an adapter's number.
MAX_DEVICE_NUMBER_DIGITS = 4


@dataclass(frozen=True, slots=True)
class BackendDevice:
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
        """Return the place as `--backend` takes it."""
        return f"{self.backend}:{self.number}"


def list_providers() -> list[str]:
    """Return the execution providers of this build of ONNX Runtime, by its own names."""
    return list(ort.get_available_providers())


def list_device_reports() -> list[dict[str, Any]]:
    """Return what ONNX Runtime knows of processors and graphics adapters, for a report; nothing where it knows nothing."""
    try:
        devices = ort.get_ep_devices()
    except (AttributeError, RuntimeError):  # versions before 1.22; systems that report nothing
        return []
    return [{"provider": item.ep_name, "vendor": item.device.vendor, "metadata": dict(item.device.metadata)} for item in devices]


def list_backends() -> list[str]:
    """Return the backends that the installed ONNX Runtime offers, the CPU last."""
    offered = set(list_providers())
    return [name for name, backend in BACKENDS.items() if backend.provider in offered and name != "cpu"] + ["cpu"]


def list_devices() -> list[BackendDevice]:
    """Return the adapters that ONNX Runtime can distinguish, the fastest of a backend first."""
    try:
        devices = ort.get_ep_devices()
    except (AttributeError, RuntimeError):  # builds without it; systems that report nothing
        return []
    found: list[BackendDevice] = []
    for item in devices:
        backend = next((name for name, known in BACKENDS.items() if known.provider == item.ep_name), "cpu")
        if backend != "cpu" and item.device.type != ort.OrtHardwareDeviceType.CPU:
            found.append(_build_device(backend, item.device, sum(other.backend == backend for other in found)))
    return sorted(found, key=lambda device: (device.backend, device.rank))


def _build_device(backend: str, device: ort.OrtHardwareDevice, count: int) -> BackendDevice:
    """Build a device; `count` is the number of earlier adapters of this backend, if the system gives no numbers."""
    facts = dict(device.metadata)
    memory = facts.get("DxgiVideoMemory", "").removesuffix(" MB")
    own = memory.isdecimal() and facts.get("Discrete", "1") != "0"
    name = " ".join(facts.get("Description", "").split()) or " ".join(f"{device.vendor} {device.type.name}".split())
    number, rank = facts.get("DxgiAdapterNumber", ""), facts.get("DxgiHighPerformanceIndex", "")
    return BackendDevice(
        backend,
        int(number) if number.isdecimal() else count,
        name,
        int(memory) if own else None,
        int(rank) if rank.isdecimal() else count,
    )


def list_places() -> list[str]:
    """Return all places, the CPU first: every adapter by its number, or the backend if there is nothing to distinguish."""
    known = list_devices()
    others = [name for name in list_backends() if name != "cpu"]
    return ["cpu", *(place for name in others for place in ([item.place for item in known if item.backend == name] or [name]))]


def find_device(place: str) -> BackendDevice | None:
    """Return the adapter that a place names; None if it names none. Raise BackendError if there is no such adapter."""
    backend, _, wanted = place.partition(":")
    if not wanted or backend not in list_backends():
        # That the backend is missing is reported when a session opens.
        return None
    known = [item for item in list_devices() if item.backend == backend]
    fitting = [item for item in known if wanted == str(item.number)] or [item for item in known if wanted.lower() in item.name.lower()]
    if fitting:
        return fitting[0]
    if (
        not known and wanted.isdecimal() and len(wanted) <= MAX_DEVICE_NUMBER_DIGITS
    ):  # ONNX Runtime does not list them: the number is all there is
        return BackendDevice(backend, int(wanted), "", None, 0)
    names = ", ".join(f"{item.place} {item.name}" for item in known) or find_backend_name(backend)
    raise BackendError(
        localize(
            f"{find_backend_name(backend)} に「{wanted}」というデバイスはありません。",
            f"{find_backend_name(backend)} has no device “{wanted}”.",
        ),
        localize("使用できるもの: ", "Available: ") + names,
    )


def find_effective_device(place: str) -> BackendDevice | None:
    """Return the adapter as `find_device`; if a place leaves it open and the backend would choose by itself, the one that the system calls the fastest."""
    device, backend = find_device(place), parse_backend(place)
    if device is not None or not BACKENDS[backend].device_replaces or backend not in list_backends():
        return device
    return next((item for item in list_devices() if item.backend == backend), None)


def build_provider_options(place: str) -> dict[str, str]:
    """Return the options for the provider of a place; raise BackendError for an adapter that is not there."""
    backend, _, wanted = place.partition(":")
    known = BACKENDS[backend]
    options = dict(known.options)
    if known.threads_option:
        options[known.threads_option] = str(count_intra_threads())
    if known.device_option == "device_type":
        return options | ({known.device_option: wanted.upper()} if wanted else {})
    device = find_effective_device(place)
    if device is None or not known.device_option:
        return options
    kept = {name: value for name, value in options.items() if name not in known.device_replaces}
    return kept | {known.device_option: str(device.number)}


def find_memory_device(place: str) -> tuple[str, int]:
    """Return where a backend keeps its values, for IO binding: kind and number of the device."""
    device = find_effective_device(place)
    return BACKENDS[parse_backend(place)].memory, device.number if device else 0
