"""The events of ONNX Runtime's profile: the operators of every run of a graph, with the shapes of their arrays and their times."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

KERNEL_TIME_SUFFIX = "_kernel_time"
CONTROL_FLOW_OPERATORS = ("Loop", "If", "Scan")
Events = list[dict[str, Any]]
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperatorRun:
    """One run of one operator.

    Attributes:
        name: of the node, or `KIND_NUMBER` where the graph gives it none; ONNX Runtime names what it makes of several.
        start_us: since the profile began.
        duration_us: in the kernel, without what lies between two operators.
        own_us: of that, what no operator inside it took: a loop holds others.
        output_bytes: size of its results.
        in_use_bytes, held_bytes: what the session has handed out of its memory, and holds, after it; None where this ONNX Runtime does not say so.
        inputs, outputs: shapes, in order; inputs that are left out, and weights that were packed, are missing here.
    """

    name: str
    operator: str
    provider: str
    start_us: int
    duration_us: int
    own_us: int
    output_bytes: int
    in_use_bytes: int | None
    held_bytes: int | None
    inputs: tuple[Shape, ...] = ()
    outputs: tuple[Shape, ...] = ()

    @property
    def own_ms(self) -> float:
        """Return `own_us` in milliseconds."""
        return self.own_us / 1000


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """One run of a graph by the profile's clock; its operators in order."""

    start_us: int
    duration_us: int
    operators: tuple[OperatorRun, ...]


def parse_profiled_runs(events: Events) -> list[ProfiledRun]:
    """Return all runs in order, but those of which ONNX Runtime kept no record: it stops at a million events.

    Each ends with an event of its own, which may be written before or after those of its operators: their times decide.
    """
    spans = sorted((event["ts"], event["dur"]) for event in events if event.get("name") == "model_run")
    ends = [began + took for began, took in spans]
    found: list[list[OperatorRun]] = [[] for _ in spans]
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith(KERNEL_TIME_SUFFIX):
            place = bisect.bisect_left(ends, event["ts"])
            # Else the profile was full before this run ended.
            if place < len(found):
                found[place].append(_parse_operator_run(event))
    return [ProfiledRun(*span, tuple(_compute_own_times(inside))) for span, inside in zip(spans, found, strict=True)]


def _parse_operator_run(event: dict[str, Any]) -> OperatorRun:
    details = event["args"]
    in_use, held = details.get("mem_bytes_in_use"), details.get("mem_arena_held")
    return OperatorRun(
        name=event["name"].removesuffix(KERNEL_TIME_SUFFIX),
        operator=details["op_name"],
        provider=details.get("provider", ""),
        start_us=event["ts"],
        duration_us=event["dur"],
        own_us=event["dur"],
        output_bytes=int(details.get("output_size") or 0),
        in_use_bytes=None if in_use is None else int(in_use),
        held_bytes=None if held is None else int(held),
        inputs=_parse_shapes(details.get("input_type_shape", [])),
        outputs=_parse_shapes(details.get("output_type_shape", [])),
    )


def _compute_own_times(operators: list[OperatorRun]) -> Iterator[OperatorRun]:
    """Yield operators with their own times, in order; an operator that contains others begins before them and ends after them."""
    found = sorted(operators, key=lambda item: (item.start_us, item.operator not in CONTROL_FLOW_OPERATORS, -item.duration_us))
    inside, around = Counter[int](), list[int]()
    for index, item in enumerate(found):
        while around and found[around[-1]].start_us + found[around[-1]].duration_us < item.start_us + item.duration_us:
            around.pop()
        if around:
            inside[around[-1]] += item.duration_us
        if item.operator in CONTROL_FLOW_OPERATORS:
            around.append(index)
    for index, item in enumerate(found):
        yield replace(item, own_us=max(0, item.duration_us - inside[index])) if inside[index] else item


def _parse_shapes(type_shapes: list[dict[str, list[int]]]) -> tuple[Shape, ...]:
    return tuple(tuple(shape) for item in type_shapes for shape in item.values())
