"""Checks that a session takes every node of a graph, and on which device it puts them."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.ort.device_placement import DevicePlacement
from app.adapters.ort.devices.ep_assignment import read_ep_assignment
from app.common.errors import AppError
from app.common.language import localize
from app.lab.check.check_row import build_check_row
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row


def check_placements(subject: LabSubject, wanted: DevicePlacement) -> Iterator[Row]:
    """Yield a row for each graph, failed if the graph does not open there or no node of it runs there; `value` is the share of nodes that do."""
    for name, graph in subject.prepared.items():
        place = choose_device(name, wanted)
        try:
            assigned = read_ep_assignment(graph, place, name)
        except AppError as error:
            yield build_check_row("placement", name, place, passed=False, detail=f"{error.message} {error.hint}")
            continue
        if assigned is None:
            yield build_check_row(
                "placement",
                name,
                place,
                passed=True,
                detail=localize("この ONNX Runtime は割り当てを報告しません", "this ONNX Runtime reports no placement"),
            )
            continue
        share = assigned.own_nodes / max(1, assigned.own_nodes + sum(assigned.other_nodes.values()))
        left = ", ".join(f"{kind} ×{count}" for kind, count in assigned.other_nodes.items())
        yield build_check_row(
            "placement",
            name,
            place,
            passed=assigned.own_nodes > 0,
            value=share,
            detail=left and localize(f"CPU で動作: {left}", f"on the CPU: {left}"),
        )


def choose_device(graph: str, wanted: DevicePlacement) -> str:
    """Return the device on which to try a graph: the CPU where none is chosen."""
    place = wanted.find_place(graph.removesuffix("_int8"))
    return "cpu" if place == "auto" else place
