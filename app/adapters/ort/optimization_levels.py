"""Sessions as the lab asks for them: each level of optimisation, graphs in ONNX Runtime's own format, graphs whose weights lie elsewhere."""

from __future__ import annotations

from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.graph_session import GraphSession
from app.adapters.ort.ort_model_file import WEIGHTS_FOLDER_OPTION
from app.adapters.ort.session_options import create_session_options

OPTIMIZATION_LEVELS = {
    "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def open_at_level(model: Path | bytes, level: str, name: str, *, place: str = "cpu", weights: Path | None = None) -> GraphSession:
    """Open a session as for speaking, but with another level of optimisation.

    Args:
        level: one of LEVELS.
        weights: folder of the weights of a serialised model.

    Raises:
        VoiceError: the CPU cannot open it.
        BackendError: another place cannot.
    """
    options = create_session_options()
    options.graph_optimization_level = OPTIMIZATION_LEVELS[level]
    if weights is not None:
        options.add_session_config_entry(WEIGHTS_FOLDER_OPTION, str(weights))
    return GraphSession(create_session(model, place, name, options), name, place)


def list_batch_inputs(model: Path, name: str) -> list[str]:
    """Return the inputs whose first axis is open and that have further axes, or take one number a row: the batch axis; empty if sizes are fixed."""
    session = create_session(model, "cpu", name, _create_unoptimised_options())
    first = [(item.name, item.shape[0] if item.shape else None, len(item.shape)) for item in session.get_inputs()]
    named = {size for _, size, rank in first if rank > 1 and isinstance(size, str)}
    return [name for name, size, _ in first if size in named]


def _create_unoptimised_options() -> ort.SessionOptions:
    options = create_session_options()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options
