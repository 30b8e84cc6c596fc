"""ONNX Runtime's WebGPU plug-in: a library that is registered once a process, when somebody asks for the backend."""

from __future__ import annotations

import threading

import onnxruntime as ort

from app.adapters.ort.session_errors import describe_ort_error
from app.common.errors import BackendError
from app.common.language import localize

_REGISTERED_NAME = "webgpu"
_lock = threading.Lock()
# What registering it gave; None before. A second registration ends the process at the next session.
_outcome: list[BackendError | None] = []


def load_webgpu() -> None:
    """Make the devices of the plug-in known to ONNX Runtime; raise BackendError, at every call the same, if it is missing or does not load."""
    with _lock:
        if not _outcome:
            _outcome.append(_load_library())
        if (error := _outcome[0]) is not None:
            raise BackendError(error.message, error.hint)


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
