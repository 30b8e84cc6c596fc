"""Counts the multiply-adds of a graph by the shapes of what runs, once and as it is written. Only in a confined child."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.profiled_session import OperatorRun, measure_operator_runs
from app.bench.multiply_adds import count_multiply_adds, find_operator_kind
from app.lab.synthetic_inputs import InputSizes, build_inputs
from app.voices.prepare.graph_facts import GraphFacts, parse_node_number, rename_nodes_by_number

MAX_LENGTH_SCALE = 64.0


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """The operations counted in a run."""

    kinds: dict[str, int]  # multiply-adds by kind of operator
    by_node: dict[int, int]  # multiply-adds by index of the node; of nodes that ONNX Runtime added, -1
    operators: dict[str, int]  # multiply-adds by operator
    values: dict[str, np.ndarray]  # what it was given
    frames: int | None  # of sound that came out, of a voice in one graph; else None

    @property
    def macs(self) -> int:
        """Return the multiply-adds of floats and of bytes."""
        return sum(self.kinds.values())

    @property
    def int8_macs(self) -> int:
        """Return the multiply-adds of bytes."""
        return sum(count for kind, count in self.kinds.items() if kind.endswith("int8"))


def count_operations(model: Any, facts: GraphFacts, folder: Path, sizes: InputSizes, form: str, name: str) -> OperationCounts:
    """Run a graph and count its operations.

    Args:
        model: its protobuf, weights outside not read; its nodes lose their names.
        folder: where weights outside are.
        form, name: of the graph. Sizes that a prepared one leaves open are ours by name; the durations of a source in one graph are
            stretched until `sizes.frames` are nearly met.
    """
    content = rename_nodes_by_number(model)
    maker = next((index for index, step in enumerate(facts.steps) if facts.outputs and facts.outputs[0].name in step.outputs), -1)
    ours = form == "prepared"
    values = build_inputs(facts.inputs, sizes, is_prepared=ours)
    (nodes,) = measure_operator_runs(content, [values], weights=folder)
    if name != "whole":
        return _sum_operations(nodes, values, None)
    frames = _count_frames(nodes, maker, sizes.hop)
    if frames and "length_scale" in values and frames != sizes.frames:
        stretched = replace(sizes, length_scale=min(sizes.frames / frames, MAX_LENGTH_SCALE))
        values = build_inputs(facts.inputs, stretched, is_prepared=ours)
        (nodes,) = measure_operator_runs(content, [values], weights=folder)
        frames = _count_frames(nodes, maker, sizes.hop)
    return _sum_operations(nodes, values, frames)


def _sum_operations(nodes: Sequence[OperatorRun], values: dict[str, np.ndarray], frames: int | None) -> OperationCounts:
    kinds: Counter[str] = Counter()
    by_node: Counter[int] = Counter()
    operators: Counter[str] = Counter()
    for node in nodes:
        kind = find_operator_kind(node.operator)
        if kind is not None:
            work, index = count_multiply_adds(node), parse_node_number(node.name)
            for counts, key in ((kinds, kind), (by_node, -1 if index is None else index), (operators, node.operator)):
                counts[key] += work.floats + work.bytes  # type: ignore[index]
    return OperationCounts(dict(kinds), dict(by_node), dict(operators), values, frames)


def _count_frames(nodes: Sequence[OperatorRun], maker: int, hop: int) -> int:
    shapes = [node.outputs[0] for node in nodes if parse_node_number(node.name) == maker and node.outputs]
    return math.prod(shapes[-1]) // hop if shapes else 0
