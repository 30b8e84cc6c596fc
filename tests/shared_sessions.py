"""Sessions of small graphs, such as those that we ship, opened once a process: one of ONNX Runtime holds nothing between runs."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xxhash

from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import ignore_cancellation

MOST, LARGEST_BYTES = 32, 32 << 20
OPENED: dict[tuple[str, int, int], Any] = {}
CONTENTS: dict[str, str] = {}  # by place, size and time of change
WARM: dict[tuple[int, ...], set[str]] = {}  # stages that have run, by sessions
EXTERNAL = b"location"  # how ONNX names the file of weights
MODULE = "app.adapters.ort.graph_session"


def share_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on and in this test; nothing to do where the module that opens them has not been imported."""
    if MODULE not in sys.modules:
        return
    module: Any = sys.modules[MODULE]
    open_for_target = module.open_for_target

    def once(model: Path | bytes, options: Any) -> Any:
        content = _content(model) if isinstance(model, Path) else _content_of_bytes(model)
        if not content:
            return open_for_target(model, options)
        key = (content, options.intra_op_num_threads, int(options.graph_optimization_level))
        OPENED[key] = OPENED.pop(key, None) or open_for_target(model, options)  # the one used last is the last
        if len(OPENED) > MOST:
            del OPENED[next(iter(OPENED))]
            WARM.clear()
        return OPENED[key]

    monkeypatch.setattr(module, "open_for_target", once)


def _content(model: Path) -> str:
    """The same for copies of a graph and its weights; empty for a large one, for one whose weights lie elsewhere, and for one that cannot be read."""
    from app.adapters.ort.optimized_graphs import compute_graph_identity, list_graph_files, measure_graph_bytes

    try:
        identity = compute_graph_identity(model)
        if identity not in CONTENTS:
            files = list_graph_files(model)
            parts = [file.read_bytes() for file in files] if measure_graph_bytes(model) <= LARGEST_BYTES else []
            CONTENTS[identity] = "" if not _is_all_there(parts) else "".join(xxhash.xxh3_128_hexdigest(part) for part in parts)
        return CONTENTS[identity]
    except OSError:
        return ""


def _content_of_bytes(model: bytes) -> str:
    return xxhash.xxh3_128_hexdigest(model) if len(model) <= LARGEST_BYTES and EXTERNAL not in model else ""


def _is_all_there(parts: list[bytes]) -> bool:
    """Whether what was read is a graph with all its weights; on Windows an open session keeps files of weights from being deleted."""
    if not parts or EXTERNAL not in parts[0]:
        return bool(parts)
    return len(parts) > 1 and sys.platform != "win32"


def warm_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a warm-up of shared sessions has run has run for all voices that are opened with them; any others warm up as ever."""
    warm_up = Pipeline.warm_up

    def once(pipeline: Pipeline, cancelled: Callable[[], bool] = ignore_cancellation) -> None:
        sessions = _sessions(pipeline)
        if sessions not in WARM:
            warm_up(pipeline, cancelled)
            if sessions and not cancelled():
                WARM[sessions] = set(pipeline.warm)
        pipeline.warm |= WARM.get(sessions, set())

    monkeypatch.setattr(Pipeline, "warm_up", once)


def _sessions(pipeline: Pipeline) -> tuple[int, ...]:
    """Names of the sessions of a voice; none where one of them is its own."""
    shared = {id(session) for session in OPENED.values()}
    runners: tuple[Any, ...] = (pipeline.bert, pipeline.synthesizer)
    graphs = [graph for runner in runners for name, graph in vars(runner).items() if name in ("_session", "_prosody", "_flow", "_decoder")]
    found = tuple(id(getattr(getattr(graph, "_session", None), "_session", None)) for graph in graphs if graph is not None)
    return found if shared.issuperset(found) else ()
