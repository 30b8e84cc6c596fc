"""Lists the parts that are installed on this machine and the devices that are connected to it."""

from __future__ import annotations

import platform
from importlib import metadata

from app.common.errors import AppError

REPORTED_PACKAGES = (
    "PySide6-Essentials",
    "onnxruntime",
    "onnxruntime-directml",
    "onnxruntime-openvino",
    "onnxruntime-gpu",
    "tensorrt",
    "numpy",
    "pyopenjtalk-plus",
    "sounddevice",
    "soundfile",
    "pyqtgraph",
)


def collect_versions() -> dict[str, str]:
    """Return the versions of Python and of the needed packages by name; packages that are not installed are left out."""
    found = {"python": platform.python_version()}
    for package in REPORTED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def list_providers() -> list[str]:
    """Return the execution providers of the installed ONNX Runtime."""
    from app.adapters.ort.devices.ort_devices import list_providers

    return list_providers()


def list_audio_devices() -> list[dict[str, object]]:
    """Return outputs as index and name; none if PortAudio does not start."""
    from app.adapters.portaudio.audio_devices import list_output_devices

    try:
        return [{"index": device.index, "name": device.label} for device in list_output_devices()]
    except AppError:
        return []
