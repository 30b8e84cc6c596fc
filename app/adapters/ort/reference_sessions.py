"""Sessions to compare ours with: as the closest product opens them on a CPU, and as ONNX Runtime does when it is left to itself."""

from __future__ import annotations

from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.graph_session import GraphSession, create_cpu_session
from app.adapters.ort.session_options import count_intra_threads


def open_like_reference(model: Path | bytes, name: str, *, has_arena: bool) -> GraphSession:
    """Open a graph without optimisation; `has_arena` is off for the reference's BERT."""
    options = _create_options()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_cpu_mem_arena = has_arena
    return GraphSession(create_cpu_session(model, name, options), name)


def open_with_ort_defaults(model: Path, name: str) -> GraphSession:
    """Open a graph with all of ONNX Runtime's optimisations and all else by default."""
    return GraphSession(create_cpu_session(model, name, _create_options()), name)


def _create_options() -> ort.SessionOptions:
    """Return session options with as many threads as ours have."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = count_intra_threads()
    return options
