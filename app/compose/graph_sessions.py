"""Opens the graphs of a voice where they were put, each in the form that its place needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.adapters.ort.device_memory import find_memory_limit
from app.adapters.ort.device_openings import DeviceOpenings, NoFixedShapeGraphError
from app.adapters.ort.failed_devices import FailedDevices
from app.adapters.ort.failover_session import FailoverSession
from app.adapters.ort.fixed_shape_graph import FixedShapeGraph
from app.adapters.ort.fixed_shape_session import DeviceOpening, FixedShapeSession
from app.adapters.ort.fixed_shape_store import find_or_make_fixed_shape_graph
from app.adapters.ort.graph_session import OpenedSession, RunnableSession, explain_unusable, open_session
from app.adapters.ort.optimized_graphs import compute_graph_identity
from app.adapters.ort.ort_synthesizer import OrtSingleGraphSynthesizer, OrtSynthesizer
from app.adapters.ort.session_errors import describe_staying_on_cpu
from app.common.language import localize
from app.compose.auto_placement import STARTER
from app.compose.disk_stores import open_fixed_shape_store, open_graph_store
from app.compose.speaker_plan import SpeakerPlan
from app.compose.stored_features import is_slow_bert
from app.voices.prepared_voice import Voice

# Of an adapter's memory: the other graphs, which are smaller and more of the work, have room as well.
BERT_SHARE = 0.5


def open_sessions(plan: SpeakerPlan, same_bert: FailoverSession | None, failures: FailedDevices) -> dict[str, FailoverSession]:
    """Open the sessions by graph; they share the list of devices that failed."""
    openings = DeviceOpenings()
    if same_bert is None:
        same_bert = _open_session("bert", "BERT", plan.bert_graph, plan, failures, openings, is_small=not is_slow_bert(plan.bert))
    info = plan.voice.manifest
    graphs = {
        name: _open_session(name, f"{info.name}: {name}", graph, plan, failures, openings, is_small=info.format == STARTER)
        for name, graph in plan.voice.graphs.items()
    }
    openings.start_opening()
    return {"bert": same_bert} | graphs


def _open_session(
    graph: str, name: str, model: Path | bytes, plan: SpeakerPlan, failures: FailedDevices, openings: DeviceOpenings, *, is_small: bool
) -> FailoverSession:
    """Open a session on its device, in the few sizes of its fixed-shape graph if it has one.

    Args:
        openings: get what is to be opened in the background.
        is_small: fixed sizes would gain nothing.
    """
    store, identity, place = open_graph_store(), compute_graph_identity(model), plan.placement.find_place(graph)
    formed = isinstance(model, Path) and graph != "whole" and not is_small
    away = place in ("cpu", "auto") or failures.find_reason(place) or explain_unusable(place)
    if away or (not formed and (plan.is_measured or BACKENDS[parse_backend(place)].takes_any_size)):
        opened = failures.open_session(lambda where: open_session(model, where, name, store), place, identity)
        return FailoverSession(graph, opened, place, lambda: open_session(model, "cpu", name, store).session, failures, identity)
    cpu = open_session(model, "cpu", name, store).session
    unfit = _describe_missing_graph(place) if not formed else _describe_int8(place) if model == plan.bert.graphs.get("int8") else None
    if unfit:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", unfit, has_failed=False), place, lambda: cpu, failures, identity)
    room = int(find_memory_limit(place) * (BERT_SHARE if graph == "bert" else 1))
    opening = DeviceOpening(graph, identity, place, failures, room)
    find = partial(find_or_make_fixed_shape_graph, open_fixed_shape_store(), graph, cast(Path, model), may_make=plan.should_convert)
    sized = FixedShapeSession(cpu, name, opening)
    if not plan.should_convert and not _has_fixed_shape_graph(find, is_exact=sized.needs_exact):
        return FailoverSession(graph, OpenedSession(cpu, "cpu", None), place, lambda: cpu, failures, identity)
    openings.add_session(graph, sized, lambda exact: find(is_exact=exact))
    return FailoverSession(graph, sized, place, lambda: cpu, failures, identity)


def _has_fixed_shape_graph(find: Callable[..., FixedShapeGraph], *, is_exact: bool) -> bool:
    try:
        find(is_exact=is_exact)
    except NoFixedShapeGraphError:
        return False
    return True


def _describe_missing_graph(device: str) -> str:
    return localize(
        f"このモデルは {format_device_name(device)} 用の形式に変換できないため、CPU で動作します。",
        f"This model has no form for {format_device_name(device)}; it runs on the CPU.",
    )


def _describe_int8(place_id: str) -> str:
    device = format_device_name(place_id)
    reason = localize(
        f"int8 は CPU 用です。{device} で動かすには、BERT の精度を自動か float32 にしてください。",
        f"int8 is for the CPU. To run it on {device}, set the precision of the BERT to Auto or float32.",
    )
    return describe_staying_on_cpu("BERT", place_id, reason)


def build_synthesizer(voice: Voice, graphs: Mapping[str, RunnableSession]) -> OrtSynthesizer | OrtSingleGraphSynthesizer:
    """Return what runs the graphs of a voice."""
    if voice.manifest.is_single_graph:
        return OrtSingleGraphSynthesizer(graphs["whole"])
    return OrtSynthesizer(graphs["prosody"], graphs.get("flow"), graphs["decoder"], voice.manifest.multilingual)
