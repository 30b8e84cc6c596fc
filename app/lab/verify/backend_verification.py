"""Each backend against the CPU, on the sessions with which it would speak: on devices of fixed sizes in the form that they get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.cpu_session import SpeakerSession
from app.common.errors import AppError
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph, open_subject
from app.lab.report_rows import Row
from app.lab.verify.comparison_pairs import map_outputs
from app.lab.verify.graph_comparison import GraphCase, GraphComparison, build_failed_row, build_verify_row
from app.lab.verify.graph_pair import GraphPair, GraphSide
from app.lab.verify.verify_limits import choose_device_limit, compute_figures


def verify_backends(subject: LabSubject, places: Sequence[str], files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Yield a row for each place, graph and sentence."""
    for place in places:
        if subject.bert is not None or BACKENDS[parse_backend(place)].takes_any_size:
            yield from _verify_as_written(subject, place, files, calls)
        else:
            yield from _verify_as_spoken(subject, place, files, calls)


def _verify_as_written(subject: LabSubject, place: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Compare the graph itself on the backend, so that the place of a difference can be found."""
    for name, file in files.items():
        pair = GraphPair(
            name, GraphSide(file), GraphSide(file, place=place), choose_device_limit(name, is_half=False), map_outputs(name, file)
        )
        given = [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix("_int8")]]
        yield from GraphComparison(place, pair, given, subject.voice.manifest if subject.voice else None).build_rows()


def _verify_as_spoken(subject: LabSubject, place: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    speaker = open_subject(subject, place)
    speaker.wait_for_devices()
    for name, session in speaker.sessions.items():
        if name in files:
            yield from _verify_session(name, place, session, files[name], calls)


def _verify_session(name: str, place: str, session: SpeakerSession, file: Path, calls: CallsByGraph) -> Iterator[Row]:
    outputs, exact = list(map_outputs(name, file)), GraphSide(file).open_session()
    for call in calls[name]:
        limit, case = choose_device_limit(name, is_half=session.is_half_precision), f"{place}: {call.request}"
        try:
            expected, found = exact.run_graph(dict(call.values), outputs), session.run_graph(dict(call.values), outputs)
        except AppError as error:
            yield build_failed_row(name, case, limit, error)
            continue
        figures = compute_figures(name, expected, found)
        row = build_verify_row(name, case, figures, limit, ok=limit.is_met(figures))
        yield row | {"error": session.fallback_reason} if session.ran_on != parse_backend(place) else row
