"""Recognises the fault of a device whose run failed, from its provider's message."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.ort.devices.device_thread import DeviceHungError
from app.adapters.ort.driver_crash import is_driver_crash
from app.adapters.ort.session_errors import describe_ort_error
from app.common.errors import BackendError
from app.common.language import localize

_OUT_OF_MEMORY_SIGNS = (
    "8007000e", "out of memory", "failed to allocate", "bfcarena", "bad allocation",
    # Vulkan's, and those of Dawn, by which WebGPU runs.
    "out_of_device_memory", "out_of_host_memory", "outofmemory", "failed to create gpu buffer", "exceeds the max buffer size",
)  # fmt: skip
_UNSUPPORTED_SIGNS = ("80070057", "not_implemented", "invalid_argument", "not implemented", "invalid argument")
_DEVICE_LOST_SIGNS = (
    # Removed, hung, reset, internal error of the driver.
    "887a0005", "887a0006", "887a0007", "887a0020",
    # Vulkan's, and those of Dawn; the last one is its answer to whatever is asked of a device that was lost.
    "error_device_lost", "device lost", "devicelost", "device is lost", "] is lost",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """The reason of a failed run, in the language of the user.

    A device that is `is_lost` is lost for all graphs, one without room only for this one.
    """

    reason: str
    is_lost: bool = False
    is_out_of_memory: bool = False


def identify_fault(exc: BackendError) -> DeviceFault:
    """Return what the error of a run means."""
    if isinstance(exc.__cause__, DeviceHungError):
        return DeviceFault(exc.message, is_lost=True)
    words = describe_ort_error(exc.__cause__) if exc.__cause__ is not None else f"{exc.message} {exc.hint}".strip()
    if is_driver_crash(exc.__cause__):
        return DeviceFault(localize(f"ドライバーが異常終了しました。（{words}）", f"its driver crashed. ({words})"), is_lost=True)
    if any(sign in words.lower() for sign in _OUT_OF_MEMORY_SIGNS):
        return DeviceFault(localize(f"メモリーが足りません。（{words}）", f"it ran out of memory. ({words})"), is_out_of_memory=True)
    if any(sign in words.lower() for sign in _UNSUPPORTED_SIGNS):
        return DeviceFault(localize(f"この計算に対応していません。（{words}）", f"it does not support this computation. ({words})"))
    if any(sign in words.lower() for sign in _DEVICE_LOST_SIGNS):
        return DeviceFault(localize(f"デバイスが停止しました。（{words}）", f"the device stopped. ({words})"), is_lost=True)
    return DeviceFault(localize(f"計算に失敗しました。（{words}）", f"the computation failed. ({words})"))
