"""What is installed on this machine and what is connected to it."""

from __future__ import annotations

import platform
from importlib import metadata

from app.errors import AppError

PACKAGES = (
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


def versions() -> dict[str, str]:
    """Of Python and of the packages we need, by name; those that are not installed are left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def providers() -> list[str]:
    """Execution providers of the installed ONNX Runtime."""
    from app.adapters.ort.providers import offered_providers

    return offered_providers()


def audio_devices() -> list[dict[str, object]]:
    """Outputs as index and name; none where PortAudio does not start."""
    from app.adapters.portaudio.devices import output_devices

    try:
        return [{"index": device.index, "name": device.label} for device in output_devices()]
    except AppError:
        return []
