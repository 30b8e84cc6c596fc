"""Whether a session takes every node of a graph, and where it puts them."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.ort.assigned import assigned_nodes
from app.adapters.ort.placement import Placement
from app.errors import AppError
from app.lab.check.finding import finding
from app.lab.rows import Row
from app.lab.subject import Subject
from app.language import localized


def placements(subject: Subject, wanted: Placement) -> Iterator[Row]:
    """A row a graph; it fails where the graph does not open there, or nothing of it runs there. `value` is the share of nodes that do."""
    for name, graph in subject.prepared.items():
        place = place_of(name, wanted)
        try:
            assigned = assigned_nodes(graph, place, name)
        except AppError as error:
            yield finding("placement", name, place, passed=False, detail=f"{error.message} {error.hint}")
            continue
        if assigned is None:
            yield finding(
                "placement",
                name,
                place,
                passed=True,
                detail=localized("この ONNX Runtime は割り当てを報告しません", "this ONNX Runtime reports no placement"),
            )
            continue
        share = assigned.here / max(1, assigned.here + sum(assigned.elsewhere.values()))
        left = ", ".join(f"{kind} ×{count}" for kind, count in assigned.elsewhere.items())
        yield finding(
            "placement",
            name,
            place,
            passed=assigned.here > 0,
            value=share,
            detail=left and localized(f"CPU で動作: {left}", f"on the CPU: {left}"),
        )


def place_of(graph: str, wanted: Placement) -> str:
    """Where a graph is to be tried; what is left open goes to the CPU."""
    place = wanted.of(graph.removesuffix("_int8"))
    return "cpu" if place == "auto" else place
