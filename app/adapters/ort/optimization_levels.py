"""Sessions for the lab and to compare ours with: at each level of optimisation, as the closest product opens them, as ONNX Runtime does by default."""

from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.graph_session import GraphSession, create_cpu_session
from app.adapters.ort.session_options import count_intra_threads, create_session_options

OPTIMIZATION_LEVELS = {
    "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def open_at_level(model: Path | bytes, level: str, name: str, *, place: str = "cpu", weights: Path | None = None) -> GraphSession:
    """Open a session as for speaking, but with another level of optimisation; raise VoiceError if the CPU cannot open it, BackendError for another place."""
    options = create_session_options(OPTIMIZATION_LEVELS[level], weights=weights)
    return GraphSession(create_session(model, place, name, options), name, place)


def list_batch_inputs(model: Path, name: str) -> list[str]:
    """Return the inputs whose first axis is open and that have further axes, or take one number a row: the batch axis; empty if sizes are fixed."""
    session = create_session(model, "cpu", name, create_session_options(OPTIMIZATION_LEVELS["none"]))
    first = [(item.name, item.shape[0] if item.shape else None, len(item.shape)) for item in session.get_inputs()]
    named = {size for _, size, rank in first if rank > 1 and isinstance(size, str)}
    return [name for name, size, _ in first if size in named]


def open_like_reference(model: Path | bytes, name: str, *, has_arena: bool) -> GraphSession:
    """Open a graph without optimisation; `has_arena` is off for the reference's BERT."""
    options = _create_options()
    options.graph_optimization_level = OPTIMIZATION_LEVELS["none"]
    options.enable_cpu_mem_arena = has_arena
    return GraphSession(create_cpu_session(model, name, options), name)


def open_with_ort_defaults(model: Path, name: str) -> GraphSession:
    """Open a graph with all of ONNX Runtime's optimisations and all else by default."""
    return GraphSession(create_cpu_session(model, name, _create_options()), name)


def _create_options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = count_intra_threads()
    return options
