"""A row a graph and backend: what has a kernel there, what has none, how often that costs a copy, and whether it is worth it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.adapters.ort.backends import BACKENDS, backend_of, name_of
from app.adapters.ort.providers import available_backends
from app.lab.place.confined import looks
from app.lab.place.forms import Given, given
from app.lab.place.kernels import kernels_of
from app.lab.place.look import Look, look
from app.lab.place.verdict import verdict
from app.lab.rows import Row
from app.lab.subject import Subject
from app.progress import Report, part


def place_rows(subject: Subject, places: Sequence[str], report: Report) -> Iterator[Row]:
    """What a stranger wrote is looked at in a child; the graphs that we made of it, here.

    Args:
        places: backends, or devices of them; what is not there yet is judged by its table.

    Raises:
        VoiceError: a graph cannot be read, or asks for too much.
    """
    known = looks(subject, places, part(report, 0.0, 0.5))
    for number, place in enumerate(places):
        with given(subject, backend_of(place)) as graphs:
            for index, item in enumerate(graphs):
                report("checking", 0.5 + 0.5 * (number + index / len(graphs)) / len(places))
                yield _row(item, place, known[place, item.graph] if item.form == "source" else _look(item, place))


def known_places() -> list[str]:
    """The backends that have a table or are there."""
    return [key for key in BACKENDS if kernels_of(key) is not None or key in available_backends()]


def _look(item: Given, place: str) -> Look:
    return look(item.model, item.graph, place, item.free)


def _row(item: Given, place: str, found: Look) -> Row:
    kernels, lacking = kernels_of(backend_of(place)), found.lacking
    return {
        "type": "place",
        "graph": item.graph,
        "form": item.form,
        "backend": place,
        "kernels": kernels.runtime if kernels is not None else None,
        "nodes": found.nodes,
        "supported": None if lacking is None else found.nodes - sum(one.count for one in lacking),
        "unsupported": None
        if lacking is None
        else [{"op": one.op, "version": one.version, "types": list(one.types), "count": one.count} for one in lacking],
        "boundaries": None if lacking is None else found.boundaries,
        "boundaries_in_a_row": None if lacking is None else found.in_a_row,
        "assigned": found.assigned,
        "verdict": verdict(item, name_of(backend_of(place)), found),
    }
