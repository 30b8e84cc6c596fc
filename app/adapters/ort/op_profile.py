"""The operators that a graph really runs, with the shapes of their arrays and their times, from ONNX Runtime's profile of a run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort

from app.adapters.ort.graph_session import GraphSession, create_cpu_session
from app.adapters.ort.ort_model_file import WEIGHTS_FOLDER_OPTION
from app.adapters.ort.profile_events import OperatorRun, parse_profiled_runs
from app.adapters.ort.session_options import create_session_options


def measure_operator_runs(
    model: Path | bytes, calls: Iterable[dict[str, np.ndarray]], *, is_optimised: bool = False, weights: Path | None = None
) -> list[Sequence[OperatorRun]]:
    """Run a graph on the CPU and return, for each call, the nodes that ran.

    Args:
        is_optimised: as it runs for a user, where some nodes are one and packed weights are not among the inputs; else as it is written.
        weights: folder of the weights that a serialised model keeps outside.
    """
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        options = create_session_options()
        if not is_optimised:
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            # Weights that were packed are not listed.
            options.add_session_config_entry("session.disable_prepacking", "1")
        if weights is not None:
            options.add_session_config_entry(WEIGHTS_FOLDER_OPTION, str(weights))
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        name = model.name if isinstance(model, Path) else "graph"
        bare = create_cpu_session(model, name, options)
        session = GraphSession(bare, name)
        for values in calls:
            session.run_graph(dict(values))
        events = json.loads(Path(bare.end_profiling()).read_text(encoding="utf-8"))
    return [run.operators for run in parse_profiled_runs(events)]
