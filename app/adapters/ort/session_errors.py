"""Errors of ONNX Runtime: sentences about a graph that does not open and a device that does not start, and drivers that crash while the program lives on."""

import re

from app.adapters.ort.backends import format_device_name
from app.common.errors import BackendError, VoiceError
from app.common.language import localize

# Dawn's words, by which WebGPU runs, where no driver of the system computes on an adapter that the system lists.
_NO_ADAPTER_SIGN = "failed to get a webgpu adapter"
_SOURCE_FILE = re.compile(r"[^\\/]*+[\\/].*\.(?:cc|cpp|h)")
MAX_SESSION_REASON_CHARS = 300  # letters; providers have been seen to write pages

_CTYPES_EXCEPTION_PREFIX = "exception: "  # as ctypes begins: "exception: access violation reading 0x0000000000000010"
_ERROR_STATUS = 0xC0000000  # codes of the system's own exceptions begin here; those of its functions are smaller


def describe_ort_error(exc: BaseException) -> str:
    """Return ONNX Runtime's message without the source files of its build machine, on one readable line."""
    words = " ".join(word for word in str(exc).split() if not _SOURCE_FILE.match(word))
    half = MAX_SESSION_REASON_CHARS // 2
    return words if len(words) <= MAX_SESSION_REASON_CHARS else f"{words[:half]} … {words[-half:]}"


def build_open_error(name: str, exc: Exception) -> VoiceError:
    """Return the error for a graph of this name that not even the CPU opens."""
    words = describe_ort_error(exc)
    return VoiceError(
        localize(f"音声モデルを開けません（{name}）。", f"The model cannot be opened ({name})."),
        localize(f"ファイルが壊れている可能性があります。詳細: {words}", f"The file may be damaged. Details: {words}"),
    )


def build_run_error(name: str, place: str, exc: Exception) -> BackendError:
    """Return the error for a graph of this name that opened on a place and failed while it ran."""
    elsewhere = "" if place == "cpu" else localize("バックエンドを CPU に切り替えてお試しください。", "Try the CPU backend. ")
    return BackendError(
        localize(f"音声モデルの計算に失敗しました（{name}）。", f"The model failed to run ({name})."),
        elsewhere + localize(f"詳細: {describe_ort_error(exc)}", f"Details: {describe_ort_error(exc)}"),
    )


def describe_staying_on_cpu(subject: str, place: str, reason: str) -> str:
    """Return the notice that a graph runs on the CPU although a place was requested, without a failure."""
    return localize(
        f"{subject}は {format_device_name(place)} ではなく CPU で動作します: {reason}",
        f"{subject} runs on the CPU, not on {format_device_name(place)}: {reason}",
    )


def describe_start_failure(exc: BaseException) -> str:
    """Return why a session did not start on a device, in plain words where the user can mend it."""
    words = describe_ort_error(exc)
    if _NO_ADAPTER_SIGN not in words.lower():
        return words
    return localize(
        f"使用できるグラフィックスデバイスが見つかりません。グラフィックスドライバーを更新してください。詳細: {words}",
        f"It found no usable graphics device. Update the graphics driver. Details: {words}",
    )


def build_start_error(place: str, reason: str) -> BackendError:
    """Return the error for a place that runs nothing, with the reason in the hint."""
    return BackendError(
        localize(f"{format_device_name(place)} を起動できません。", f"{format_device_name(place)} could not start."), reason
    )


def is_driver_crash(exc: BaseException | None) -> bool:
    """Return whether an error of a runtime's call is an exception of the processor or the system, which nothing has handled.

    On Windows, ctypes catches what would end the program and raises an OSError instead. What such a driver held it holds for good, so nothing more is asked of
    it; what is known of its device is what is known after a crash.
    """
    if not isinstance(exc, OSError):
        return False
    code = getattr(exc, "winerror", None)
    is_named = exc.errno is None and str(exc).startswith(_CTYPES_EXCEPTION_PREFIX)
    return is_named or (isinstance(code, int) and code & 0xFFFFFFFF >= _ERROR_STATUS)
