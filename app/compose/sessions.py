"""Opens the graphs of a voice where they were put, each in the form that its place needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from app.adapters.ort.backends import BACKENDS, backend_of, place_name
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.device_graphs import device_form
from app.adapters.ort.device_memory import memory_of
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.optimized_graphs import identity_of
from app.adapters.ort.session import OpenedSession, Session, open_session, unusable
from app.adapters.ort.sized_session import Opening, SizedSession
from app.adapters.ort.synthesizer import OrtOpaqueSynthesizer, OrtSynthesizer
from app.compose.auto import STARTER
from app.compose.chosen import Chosen
from app.compose.features import is_slow
from app.compose.stores import forms, graph_store
from app.language import localized
from app.voices.voice import Voice

BERT_SHARE = 0.5  # of an adapter's memory: the other graphs, which are smaller and more of the work, have room as well


def open_sessions(chosen: Chosen, same_bert: FailoverSession | None, failures: DeviceFailures) -> dict[str, FailoverSession]:
    """Sessions by graph; they share what they know of devices that fail."""
    if same_bert is None:
        same_bert = _open("bert", "BERT", chosen.bert_graph, chosen, failures, small=not is_slow(chosen.bert))
    info = chosen.voice.manifest
    graphs = {
        name: _open(name, f"{info.name}: {name}", graph, chosen, failures, small=info.format == STARTER)
        for name, graph in chosen.voice.graphs.items()
    }
    return {"bert": same_bert} | graphs


def _open(graph: str, name: str, model: Path | bytes, chosen: Chosen, failures: DeviceFailures, *, small: bool) -> FailoverSession:
    """A session on its place; in the few sizes of its device form where it has one.

    Args:
        small: fixed sizes would gain nothing.
    """
    store, identity, place = graph_store(), identity_of(model), chosen.placement.of(graph)
    formed = isinstance(model, Path) and graph != "whole" and not small
    away = place in ("cpu", "auto") or failures.reason(place) or unusable(place)
    if away or (not formed and (chosen.measured or BACKENDS[backend_of(place)].any_size)):
        opened = failures.opened(lambda where: open_session(model, where, name, store), place, identity)
        return FailoverSession(graph, opened, place, lambda: open_session(model, "cpu", name, store).session, failures, identity)
    cpu = open_session(model, "cpu", name, store).session
    if not formed:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", _has_no_form(place)), place, lambda: cpu, failures, identity)
    room = int(memory_of(place) * (BERT_SHARE if graph == "bert" else 1))
    opening = Opening(graph, identity, place, failures, room)
    find = partial(device_form, forms(), graph, cast(Path, model))
    if not chosen.convert and (form := find(make=False)) is None:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", None), place, lambda: cpu, failures, identity)
    sized = SizedSession(cpu, name, opening, find if chosen.convert else lambda: form)
    return FailoverSession(graph, sized, place, lambda: cpu, failures, identity)


def _has_no_form(place: str) -> str:
    return localized(
        f"このモデルは {place_name(place)} 用の形式に変換できないため、CPU で動作します。",
        f"This model has no form for {place_name(place)}; it runs on the CPU.",
    )


def synthesizer_of(voice: Voice, graphs: Mapping[str, Session]) -> OrtSynthesizer | OrtOpaqueSynthesizer:
    """What runs the graphs of a voice."""
    if voice.manifest.opaque:
        return OrtOpaqueSynthesizer(graphs["whole"])
    return OrtSynthesizer(graphs["prosody"], graphs.get("flow"), graphs["decoder"], voice.manifest.multilingual)
