"""Graphics adapters as the system itself lists them, so that no library of graphics is loaded where there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# With it WebGPU's plug-in takes an adapter that is only software: for tests, as that is slower than the CPU's own kernels.
SOFTWARE_ADAPTER_VARIABLE = "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER"
_LINUX_CARDS = Path("/sys/class/drm")
# As PCI numbers them; Linux gives numbers only.
_VENDORS = {0x1002: "AMD", 0x10DE: "NVIDIA", 0x8086: "Intel", 0x13B5: "Arm", 0x5143: "Qualcomm", 0x106B: "Apple"}


def is_software_adapter_allowed() -> bool:
    """Return whether an adapter that is only software counts."""
    return os.environ.get(SOFTWARE_ADAPTER_VARIABLE) == "1"


def has_graphics_adapter() -> bool:
    """Return whether a plug-in may find an adapter here: what ONNX Runtime looks for under Linux, where servers have none; elsewhere always."""
    return is_software_adapter_allowed() or sys.platform != "linux" or next(_LINUX_CARDS.glob("card*"), None) is not None


def name_adapter(vendor: str, vendor_id: int, device_id: int, *, is_software: bool) -> str:
    """Return a name for an adapter whose description the system does not give."""
    if is_software:
        return f"software adapter ({vendor or 'CPU'})"
    known = vendor or _VENDORS.get(vendor_id, f"vendor {vendor_id:04x}")
    return f"{known} GPU {device_id:04x}" if device_id else f"{known} GPU"


def describe_software_driver() -> str:
    """Return the description file of the Vulkan driver that was chosen by hand, as one that is only software is; empty for none."""
    chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES") or ""
    return ", ".join(Path(file).name for file in chosen.split(os.pathsep) if file)


def describe_linux_driver(card: str) -> str:
    """Return the kernel's driver of a card by its number, such as `amdgpu`; empty where that is unknown."""
    try:
        return (_LINUX_CARDS / f"card{card}" / "device" / "driver").resolve(strict=True).name if card.isdecimal() else ""
    except OSError:
        return ""
