"""A device that fails at a chosen run, with the very errors that ONNX Runtime raises."""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import OpenedSession, open_session
from app.adapters.ort.runtime_session import RuntimeSession

ORT_ERRORS = ort.capi.onnxruntime_pybind11_state
FAULTS: dict[str, tuple[Callable[[], Exception], str]] = {
    "removed": (
        lambda: ORT_ERRORS.Fail("[ONNXRuntimeError] : 1 : FAIL : DmlCommandRecorder.cpp(371): 887A0005 GPU device suspended"),
        "887A0005",
    ),
    "hung": (lambda: ORT_ERRORS.RuntimeException("Exception(3) tid(2) 887A0006 The GPU will not respond to more commands"), "887A0006"),
    "reset": (lambda: RuntimeError("887A0007 The GPU device instance has been suspended"), "887A0007"),
    "driver": (lambda: ORT_ERRORS.Fail("[ONNXRuntimeError] : 1 : FAIL : 887A0020 The driver has failed internally"), "887A0020"),
    "webgpu-lost": (lambda: RuntimeError("WebGPU validation failed. [Device] is lost.\n - While calling [Queue].Submit"), "is lost"),
    "webgpu-memory": (lambda: ORT_ERRORS.Fail("[ONNXRuntimeError] : 1 : FAIL : Failed to create GPU buffer: size=268435456"), "memory"),
    "crashed": (lambda: access_violation(), "its driver crashed"),
    "memory": (lambda: ORT_ERRORS.RuntimeException("8007000E Not enough memory resources"), "memory"),
    "refused": (lambda: ORT_ERRORS.NotImplemented("80070057 The parameter is incorrect."), "does not support"),
    "cuda": (lambda: ORT_ERRORS.Fail("CUDA failure 700: an illegal memory access was encountered"), "CUDA failure 700"),
}


def access_violation() -> OSError:
    """Return the error that ctypes raises for an access violation: a real one on Windows, its like elsewhere, where it ends the process."""
    if sys.platform == "win32":
        try:
            ctypes.string_at(0x10)
        except OSError as exc:
            return exc
    return OSError("exception: access violation reading 0x0000000000000010")


class FaultyDevice:
    """Stands where an InferenceSession stands, on the CPU in truth, and fails in the run of number `at` (over all graphs)."""

    def __init__(self, fault: Callable[[list[np.ndarray]], list[np.ndarray]], at: int) -> None:
        self.fault, self.at = fault, at
        self.runs: list[str] = []
        self.opened: list[tuple[str, str]] = []

    def open(self, model: Any, place: str, name: str, store: Any = None) -> OpenedSession:
        """As `open_session`: "cuda" is there, and faulty."""
        self.opened.append((name, place))
        found = open_session(model, "cpu", name, store)
        if place == "cpu":
            return found
        self.watch(found, name)
        return OpenedSession(found.session, place, None)

    def watch(self, opened: OpenedSession, name: str) -> None:
        """From now on this session's runs are counted, and one of them fails."""
        opened.session._session = _Faulty(opened.session._session, self, name)  # type: ignore[assignment]


class _Faulty:
    def __init__(self, real: RuntimeSession, device: FaultyDevice, name: str) -> None:
        self._real, self._device, self._name = real, device, name
        self.create_run_options = real.create_run_options

    def run(self, outputs: Any, feed: Any, options: Any) -> list[np.ndarray]:
        self._device.runs.append(self._name)
        results = [np.array(item) for item in self._real.run(outputs, feed, options)]
        return self._device.fault(results) if len(self._device.runs) == self._device.at else results


def raising(make: Callable[[], Exception]) -> Callable[[list[np.ndarray]], list[np.ndarray]]:
    def fail(_results: list[np.ndarray]) -> list[np.ndarray]:
        raise make()

    return fail
