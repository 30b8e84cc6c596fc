"""The only place that creates ONNX Runtime sessions: backend name → providers and options, each with its why.

A session that ends up on another provider than the one asked for is never silent: `OpenedSession.fallback` says what happened.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import psutil

from app.errors import BackendError, VoiceError
from app.language import say

PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "directml": "DmlExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
# What a provider is told when a session opens, and why.
PROVIDER_OPTIONS: dict[str, dict[str, str]] = {
    # Adapter 0 is often the integrated one, which may be slower than the CPU.
    "directml": {"performance_preference": "high_performance", "device_filter": "gpu"},
    # An exhaustive search for the best convolution would run again for every new length of text;
    # an arena that doubles would take memory that the desktop needs.
    "cuda": {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested"},
    # The older format runs most of our operators on the CPU.
    "coreml": {"ModelFormat": "MLProgram"},
}
NAMES = {"auto": "Auto", "cpu": "CPU", "directml": "DirectML", "cuda": "CUDA", "coreml": "CoreML", "openvino": "OpenVINO"}


def available_backends() -> list[str]:
    """Backends that the installed ONNX Runtime offers, the CPU last."""
    offered = set(ort.get_available_providers())
    return [name for name, provider in PROVIDERS.items() if provider in offered and name != "cpu"] + ["cpu"]


def check_backend(backend: str) -> str:
    """The backend's key for a name in any case; an unknown one is refused with the known ones named."""
    key = backend.lower()
    if key not in NAMES:
        raise BackendError(
            say(f"バックエンド「{backend}」はありません。", f'There is no backend "{backend}".'),
            say("選べるもの: ", "Choose one of: ") + ", ".join(["auto", *available_backends()]),
        )
    return key


def intra_threads() -> int:
    """Physical cores, less one for the window and the sound card where there are more than two."""
    cores = psutil.cpu_count(logical=False) or 1
    return max(1, cores - 1 if cores > 2 else cores)


def _session_options(backend: str) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4  # what fails is told by our own messages; a windowed program has no stderr at all
    options.intra_op_num_threads = intra_threads()
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL  # DirectML demands it; our graphs have no parallel branches to gain from
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    # Several sessions take turns; threads that spin after one graph's end would steal cores from the next.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if backend == "directml":
        options.enable_mem_pattern = False  # required by DirectML
    return options


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session and where it really runs.

    Attributes:
        backend: the backend in use.
        fallback: why it is not the one asked for, in the language of the user; None when it is.
    """

    session: GraphSession
    backend: str
    fallback: str | None


class GraphSession:
    """An InferenceSession that is fed by name and can be stopped from another thread.

    Attributes:
        inputs: declared name → (numpy dtype, rank).
        outputs: declared names, in order.
    """

    def __init__(self, session: ort.InferenceSession, name: str) -> None:
        self._session = session
        self._name = name
        self._lock = threading.Lock()
        self._running: ort.RunOptions | None = None
        self.inputs = {item.name: (_dtype(item.type), len(item.shape)) for item in session.get_inputs()}
        self.outputs = [item.name for item in session.get_outputs()]

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Feeds the inputs the graph declares, in its dtype and rank; raises VoiceError for one we cannot supply.

        Args:
            values: every value we have, by name; those the graph does not declare are left out.
            outputs: names to compute, in order; all by default.
        """
        feed = {name: _fit(name, values.get(name), dtype, rank) for name, (dtype, rank) in self.inputs.items()}
        options = ort.RunOptions()
        with self._lock:
            self._running = options
        try:
            return self._session.run(outputs, feed, options)  # type: ignore[no-any-return]
        except Exception as exc:  # ONNX Runtime raises a dozen types without a common base
            raise BackendError(
                say(f"音声モデルの計算に失敗しました({self._name})。", f"Running the model failed ({self._name})."),
                say(
                    f"バックエンドを CPU にして試してください。詳細: {_without_source(exc)}",
                    f"Try the CPU backend. Details: {_without_source(exc)}",
                ),
            ) from exc
        finally:
            with self._lock:
                self._running = None

    def terminate(self) -> None:
        """Stops the run in progress, if any; the session stays usable."""
        with self._lock:
            if self._running is not None:
                self._running.terminate = True


def open_session(model: Path | bytes, backend: str, name: str) -> OpenedSession:
    """Opens a graph on a backend, or on the CPU when the backend refuses it, and says so.

    Args:
        model: file or serialised model.
        backend: key of NAMES; "auto" is the CPU until a probe has measured something faster.
        name: what the graph is called in messages.
    """
    wanted = "cpu" if backend == "auto" else backend
    fallback = None
    if wanted != "cpu":
        reason = _refusal(wanted)
        if reason is None:
            try:
                return OpenedSession(GraphSession(_create(model, wanted, name), name), wanted, None)
            except BackendError as exc:
                reason = exc.hint
        fallback = say(
            f"{NAMES[wanted]} を使えないため CPU で動作します: {reason}", f"Running on the CPU, {NAMES[wanted]} is not usable: {reason}"
        )
    return OpenedSession(GraphSession(_create(model, "cpu", name), name), "cpu", fallback)


def _refusal(backend: str) -> str | None:
    if backend in available_backends():
        return None
    return say("この ONNX Runtime には含まれていません", "this ONNX Runtime does not contain it")


def _create(model: Path | bytes, backend: str, name: str) -> ort.InferenceSession:
    source: Any = model if isinstance(model, bytes) else str(model)
    provider = PROVIDERS[backend]
    try:
        # enable_fallback=0: ONNX Runtime would otherwise move to the CPU by itself, telling only a console that may not exist
        session = ort.InferenceSession(
            source, _session_options(backend), providers=[(provider, PROVIDER_OPTIONS.get(backend, {}))], enable_fallback=0
        )
    except Exception as exc:  # no common base, and DirectML raises a bare RuntimeError
        if backend == "cpu":
            raise VoiceError(
                say(f"音声モデルを開けません({name})。", f"The model cannot be opened ({name})."),
                say(
                    f"ファイルが壊れている可能性があります。詳細: {_without_source(exc)}",
                    f"The file may be damaged. Details: {_without_source(exc)}",
                ),
            ) from exc
        raise BackendError(say(f"{NAMES[backend]} を開始できません。", f"{NAMES[backend]} cannot start."), _without_source(exc)) from exc
    if session.get_providers()[0] != provider:
        raise BackendError(
            say(f"{NAMES[backend]} が選ばれませんでした。", f"{NAMES[backend]} was not taken."), str(session.get_providers())
        )
    return session


def _without_source(exc: Exception) -> str:
    """ONNX Runtime's words without the source files of its build machine."""
    return re.sub(r"\S*[\\/]\S*\.(?:cc|cpp|h)\S*\s*", "", str(exc)).strip()


_DTYPES = {"float": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}


def _dtype(declared: str) -> np.dtype[Any]:
    """`tensor(int64)` → int64."""
    try:
        return np.dtype(_DTYPES[declared.removeprefix("tensor(").removesuffix(")")])
    except KeyError as exc:
        raise VoiceError(
            say(
                f"この音声モデルは未対応の入力型 {declared} を使っています。",
                f"This model has an input of the unsupported type {declared}.",
            ),
            say("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        ) from exc


def _fit(name: str, value: Any, dtype: np.dtype[Any], rank: int) -> np.ndarray:
    if value is None:
        raise VoiceError(
            say(f"この音声モデルは未知の入力「{name}」を必要とします。", f'This model needs an input "{name}" that is not known.'),
            say("Style-Bert-VITS2 の声を選んでください。", "Choose a Style-Bert-VITS2 voice."),
        )
    array = np.asarray(value, dtype)
    while array.ndim < rank:
        array = array[np.newaxis]
    while array.ndim > rank and array.shape[0] == 1:
        array = array[0]
    return array
