"""What happened to a device whose run failed, from what its provider said."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.ort.device_thread import DeviceHung
from app.adapters.ort.driver_crash import is_crash
from app.adapters.ort.session_errors import plain_words
from app.errors import BackendError
from app.language import localized

_NO_MEMORY = ("8007000e", "out of memory", "failed to allocate", "bfcarena", "bad allocation")
_NOT_SUPPORTED = ("80070057", "not_implemented", "invalid_argument", "not implemented", "invalid argument")
_LOST = ("887a0005", "887a0006", "887a0007", "887a0020")  # removed, hung, reset, internal error of the driver


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a run failed, in the language of the user; a device that is `lost` is lost for all graphs, one without room only for this one."""

    reason: str
    lost: bool = False
    no_room: bool = False


def fault_of(exc: BackendError) -> Fault:
    """What the error of a run means."""
    if isinstance(exc.__cause__, DeviceHung):
        return Fault(exc.message, lost=True)
    words = plain_words(exc.__cause__) if exc.__cause__ is not None else f"{exc.message} {exc.hint}".strip()
    if is_crash(exc.__cause__):
        return Fault(localized(f"ドライバーが異常終了しました。（{words}）", f"its driver crashed. ({words})"), lost=True)
    if any(sign in words.lower() for sign in _NO_MEMORY):
        return Fault(localized(f"メモリーが足りません。（{words}）", f"it ran out of memory. ({words})"), no_room=True)
    if any(sign in words.lower() for sign in _NOT_SUPPORTED):
        return Fault(localized(f"この計算に対応していません。（{words}）", f"it does not support this computation. ({words})"))
    if any(sign in words.lower() for sign in _LOST):
        return Fault(localized(f"デバイスが停止しました。（{words}）", f"the device stopped. ({words})"), lost=True)
    return Fault(localized(f"計算に失敗しました。（{words}）", f"the computation failed. ({words})"))
