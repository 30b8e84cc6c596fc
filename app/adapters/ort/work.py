"""Which operators a graph really runs, on arrays of which shapes: what ONNX Runtime's profile says of a run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.options import session_options
from app.adapters.ort.session import GraphSession, create_session

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One run of one node.

    Attributes:
        inputs, outputs: shapes, in order; inputs that are left out are missing here.
    """

    operator: str
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]


def profiled_runs(model: Path, calls: Iterable[dict[str, np.ndarray]]) -> list[list[NodeRun]]:
    """Runs a graph on the CPU as it is written, for each call the nodes that ran."""
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        options = session_options()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.disable_prepacking", "1")  # weights that were packed are not listed
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        bare = create_session(model, "cpu", model.name, options)
        session = GraphSession(bare, model.name)
        for values in calls:
            session.run(dict(values))
        events = json.loads(Path(bare.end_profiling()).read_text(encoding="utf-8"))
    return list(_by_run(events))


def _by_run(events: list[dict[str, Any]]) -> Iterator[list[NodeRun]]:
    """Every run of the model ends with an event of its own, which may be written before or after those of its nodes: their times decide."""
    ends = sorted(event["ts"] + event["dur"] for event in events if event.get("name") == "model_run")
    runs: list[list[NodeRun]] = [[] for _ in ends]
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            place = next(index for index, end in enumerate(ends) if event["ts"] <= end)
            details = event["args"]
            runs[place].append(NodeRun(details["op_name"], _shapes(details["input_type_shape"]), _shapes(details["output_type_shape"])))
    yield from runs


def _shapes(listed: list[dict[str, list[int]]]) -> tuple[Shape, ...]:
    return tuple(tuple(shape) for item in listed for shape in item.values())
