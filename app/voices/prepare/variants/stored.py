"""A changed copy of a graph on the disk, and the files that a graph lies in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx

from app.errors import VoiceError
from app.language import localized
from app.voices.prepare.links import UnknownGraphError
from app.voices.prepare.store import load_graph, store_graph

ONNX_SUFFIX = ".onnx"


def changed_copy(source: Path | bytes, folder: Path, name: str, change: Callable[[onnx.ModelProto], object]) -> Path:
    """Writes a graph that was changed in place; VoiceError where it is not built as the change needs it."""
    model = load_graph(source)
    try:
        change(model)
    except (UnknownGraphError, ValueError, KeyError, StopIteration) as exc:
        raise VoiceError(
            localized("このグラフには適用できません。", "This does not apply to this graph."),
            localized(f"詳細: {exc}", f"Details: {exc}"),
        ) from exc
    return folder / store_graph(model, folder, name)


def weights_of(graph: Path) -> list[Path]:
    """Files beside a graph that hold weights of it."""
    if graph.suffix != ONNX_SUFFIX:
        return []
    model = onnx.load(str(graph), load_external_data=False)
    names = {entry.value for item in model.graph.initializer for entry in item.external_data if entry.key == "location"}
    return [graph.parent / name for name in sorted(names)]
