"""Sessions to compare ours with: as the closest product opens them on a CPU, and as ONNX Runtime does when it is left to itself."""

from __future__ import annotations

from pathlib import Path

import onnxruntime as ort

from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import GraphSession, create_session


def open_as_reference(model: Path | bytes, name: str, *, arena: bool) -> GraphSession:
    """Nothing optimised; `arena` is off for the reference's BERT."""
    options = _options()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_cpu_mem_arena = arena
    return GraphSession(create_session(model, "cpu", name, options), name)


def open_as_exported(model: Path, name: str) -> GraphSession:
    """Everything optimised that ONNX Runtime can, and all else by default."""
    return GraphSession(create_session(model, "cpu", name, _options()), name)


def _options() -> ort.SessionOptions:
    """As many threads as ours have."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = intra_threads()
    return options
