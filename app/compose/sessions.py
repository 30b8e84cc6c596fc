"""Opens the graphs of a voice where they were put, each in the form that its place needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from app.adapters.ort.backends import BACKENDS, backend_of, place_name
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.device_form import DeviceForm
from app.adapters.ort.device_graphs import device_form
from app.adapters.ort.device_memory import memory_of
from app.adapters.ort.device_openings import NoFormError, Openings
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.optimized_graphs import identity_of
from app.adapters.ort.session import OpenedSession, Session, open_session, unusable
from app.adapters.ort.session_errors import stays_on_cpu
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
    openings = Openings()
    if same_bert is None:
        same_bert = _open("bert", "BERT", chosen.bert_graph, chosen, failures, openings, small=not is_slow(chosen.bert))
    info = chosen.voice.manifest
    graphs = {
        name: _open(name, f"{info.name}: {name}", graph, chosen, failures, openings, small=info.format == STARTER)
        for name, graph in chosen.voice.graphs.items()
    }
    openings.start()
    return {"bert": same_bert} | graphs


def _open(
    graph: str, name: str, model: Path | bytes, chosen: Chosen, failures: DeviceFailures, openings: Openings, *, small: bool
) -> FailoverSession:
    """A session on its place; in the few sizes of its device form where it has one.

    Args:
        openings: get what is to be opened in the background.
        small: fixed sizes would gain nothing.
    """
    store, identity, place = graph_store(), identity_of(model), chosen.placement.of(graph)
    formed = isinstance(model, Path) and graph != "whole" and not small
    away = place in ("cpu", "auto") or failures.reason(place) or unusable(place)
    if away or (not formed and (chosen.measured or BACKENDS[backend_of(place)].any_size)):
        opened = failures.opened(lambda where: open_session(model, where, name, store), place, identity)
        return FailoverSession(graph, opened, place, lambda: open_session(model, "cpu", name, store).session, failures, identity)
    cpu = open_session(model, "cpu", name, store).session
    unfit = _has_no_form(place) if not formed else _int8_words(place) if model == chosen.bert.graphs.get("int8") else None
    if unfit:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", unfit, failed=False), place, lambda: cpu, failures, identity)
    room = int(memory_of(place) * (BERT_SHARE if graph == "bert" else 1))
    opening = Opening(graph, identity, place, failures, room)
    find = partial(device_form, forms(), graph, cast(Path, model), make=chosen.convert)
    sized = SizedSession(cpu, name, opening)
    if not chosen.convert and not _has_form(find, exact=sized.exact):
        return FailoverSession(graph, OpenedSession(cpu, "cpu", None), place, lambda: cpu, failures, identity)
    openings.add(graph, sized, lambda exact: find(exact=exact))
    return FailoverSession(graph, sized, place, lambda: cpu, failures, identity)


def _has_form(find: Callable[..., DeviceForm], *, exact: bool) -> bool:
    try:
        find(exact=exact)
    except NoFormError:
        return False
    return True


def _has_no_form(place: str) -> str:
    return localized(
        f"このモデルは {place_name(place)} 用の形式に変換できないため、CPU で動作します。",
        f"This model has no form for {place_name(place)}; it runs on the CPU.",
    )


def _int8_words(place: str) -> str:
    device = place_name(place)
    reason = localized(
        f"int8 は CPU 用です。{device} で動かすには、BERT の精度を自動か float32 にしてください。",
        f"int8 is for the CPU. To run it on {device}, set the precision of the BERT to Auto or float32.",
    )
    return stays_on_cpu("BERT", place, reason)


def synthesizer_of(voice: Voice, graphs: Mapping[str, Session]) -> OrtSynthesizer | OrtOpaqueSynthesizer:
    """What runs the graphs of a voice."""
    if voice.manifest.opaque:
        return OrtOpaqueSynthesizer(graphs["whole"])
    return OrtSynthesizer(graphs["prosody"], graphs.get("flow"), graphs["decoder"], voice.manifest.multilingual)
