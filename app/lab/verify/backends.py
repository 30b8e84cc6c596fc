"""Each backend against the CPU, on the sessions with which it would speak: on devices of fixed sizes in the form that they get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from app.adapters.ort.backends import BACKENDS, backend_of
from app.adapters.ort.failover import FailoverSession
from app.errors import AppError
from app.lab.rows import Row
from app.lab.spoken import Calls, open_subject
from app.lab.subject import Subject
from app.lab.verify.comparison import Comparison, Given, failed_row, row_of
from app.lab.verify.figures import device_limit, figures_of
from app.lab.verify.pairs import outputs_of
from app.lab.verify.sides import Pair, Side


def backend_rows(subject: Subject, places: Sequence[str], files: Mapping[str, Path], calls: Calls) -> Iterator[Row]:
    """A row a place, graph and sentence."""
    for place in places:
        if subject.bert is not None or BACKENDS[backend_of(place)].any_size:
            yield from _as_written(subject, place, files, calls)
        else:
            yield from _as_spoken(subject, place, files, calls)


def _as_written(subject: Subject, place: str, files: Mapping[str, Path], calls: Calls) -> Iterator[Row]:
    """The graph itself on the backend, where a difference can be looked for."""
    for name, file in files.items():
        pair = Pair(name, Side(file), Side(file, place=place), device_limit(name, half=False), outputs_of(name, file))
        given = [Given(call.request, call.values, call.values) for call in calls[name.removesuffix("_int8")]]
        yield from Comparison(place, pair, given, subject.voice.manifest if subject.voice else None).rows()


def _as_spoken(subject: Subject, place: str, files: Mapping[str, Path], calls: Calls) -> Iterator[Row]:
    speaker = open_subject(subject, place)
    speaker.wait_for_devices()
    for name, session in speaker.sessions.items():
        if name in files:
            yield from _session_rows(name, place, session, files[name], calls)


def _session_rows(name: str, place: str, session: FailoverSession, file: Path, calls: Calls) -> Iterator[Row]:
    outputs, exact = list(outputs_of(name, file)), Side(file).open()
    for call in calls[name]:
        limit, case = device_limit(name, half=session.half), f"{place}: {call.request}"
        try:
            expected, found = exact.run(dict(call.values), outputs), session.run(dict(call.values), outputs)
        except AppError as error:
            yield failed_row(name, case, limit, error)
            continue
        figures = figures_of(name, expected, found)
        row = row_of(name, case, figures, limit, ok=limit.holds(figures))
        yield row | {"error": session.fallback} if session.ran_on != backend_of(place) else row
