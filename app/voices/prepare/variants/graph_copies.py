"""A changed copy of a graph on the disk, and the files that a graph lies in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx

from app.common.errors import VoiceError
from app.common.language import localize
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.graph_walk import UnknownGraphError

ONNX_SUFFIX = ".onnx"


def write_changed_copy(source: Path | bytes, folder: Path, name: str, change: Callable[[onnx.ModelProto], object]) -> Path:
    """Write a copy of a graph that `change` has changed in place; raise VoiceError if the graph is not built as the change needs it."""
    model = load_graph(source)
    try:
        change(model)
    except (UnknownGraphError, ValueError, KeyError, StopIteration) as exc:
        raise VoiceError(
            localize("このグラフには適用できません。", "This does not apply to this graph."),
            localize(f"詳細: {exc}", f"Details: {exc}"),
        ) from exc
    return folder / store_graph(model, folder, name)


def list_weight_files(graph: Path) -> list[Path]:
    """Return the files beside a graph that hold its weights."""
    if graph.suffix != ONNX_SUFFIX:
        return []
    model = onnx.load(str(graph), load_external_data=False)
    names = {entry.value for item in model.graph.initializer for entry in item.external_data if entry.key == "location"}
    return [graph.parent / name for name in sorted(names)]
