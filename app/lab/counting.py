"""Counts the multiply-adds of a graph by the shapes of what runs, once and as it is written. Only in a confined child."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.profile_events import OperatorRun
from app.adapters.ort.work import profiled_runs
from app.bench.work import kind_of, multiply_adds
from app.lab.given import Sizes, given
from app.voices.prepare.graph_facts import GraphFacts, number_of, numbered

LONGEST_SCALE = 64.0


@dataclass(frozen=True, slots=True)
class Counted:
    """What a run showed.

    Attributes:
        kinds: multiply-adds by kind of operator.
        by_node: multiply-adds by index of the node; of nodes that ONNX Runtime added, -1.
        operators: multiply-adds by operator.
        values: what it was given.
        frames: of sound that came out, of a voice in one graph; else None.
    """

    kinds: dict[str, int]
    by_node: dict[int, int]
    operators: dict[str, int]
    values: dict[str, np.ndarray]
    frames: int | None

    @property
    def macs(self) -> int:
        """Multiply-adds, of floats and of bytes."""
        return sum(self.kinds.values())

    @property
    def int8(self) -> int:
        """Those of bytes."""
        return sum(count for kind, count in self.kinds.items() if kind.endswith("int8"))


def counted(model: Any, facts: GraphFacts, folder: Path, sizes: Sizes, form: str, name: str) -> Counted:
    """Runs a graph.

    Args:
        model: its protobuf, weights outside not read; its nodes lose their names.
        folder: where weights outside are.
        form, name: of the graph. Sizes that a prepared one leaves open are ours by name; the durations of a source in one graph are
            stretched until `sizes.frames` are nearly met.
    """
    content = numbered(model)
    maker = next((index for index, step in enumerate(facts.steps) if facts.outputs and facts.outputs[0].name in step.outputs), -1)
    ours = form == "prepared"
    values = given(facts.inputs, sizes, ours=ours)
    (nodes,) = profiled_runs(content, [values], weights=folder)
    if name != "whole":
        return _counted(nodes, values, None)
    frames = _frames(nodes, maker, sizes.hop)
    if frames and "length_scale" in values and frames != sizes.frames:
        stretched = replace(sizes, length_scale=min(sizes.frames / frames, LONGEST_SCALE))
        values = given(facts.inputs, stretched, ours=ours)
        (nodes,) = profiled_runs(content, [values], weights=folder)
        frames = _frames(nodes, maker, sizes.hop)
    return _counted(nodes, values, frames)


def _counted(nodes: Sequence[OperatorRun], values: dict[str, np.ndarray], frames: int | None) -> Counted:
    kinds: Counter[str] = Counter()
    by_node: Counter[int] = Counter()
    operators: Counter[str] = Counter()
    for node in nodes:
        kind = kind_of(node.operator)
        if kind is not None:
            work, index = multiply_adds(node), number_of(node.name)
            for counts, key in ((kinds, kind), (by_node, -1 if index is None else index), (operators, node.operator)):
                counts[key] += work.floats + work.bytes  # type: ignore[index]
    return Counted(dict(kinds), dict(by_node), dict(operators), values, frames)


def _frames(nodes: Sequence[OperatorRun], maker: int, hop: int) -> int:
    shapes = [node.outputs[0] for node in nodes if number_of(node.name) == maker and node.outputs]
    return math.prod(shapes[-1]) // hop if shapes else 0
