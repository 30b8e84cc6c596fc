"""Counts how often values are copied between the CPU and a device within one run, where some operators have no kernel there."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # And onnx, which is slow to import.
    from app.voices.prepare.graph_operators import GraphOperator

SIZE_READERS = {"Shape", "Size"}
SIZE_ARITHMETIC = {
    "Gather", "Slice", "Concat", "Unsqueeze", "Squeeze", "Cast", "Reshape", "Identity",
    "Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Neg", "Abs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeviceCopies:
    """Copies of one run; without those of the graph's own inputs and outputs.

    Attributes:
        total: values that one side has and the other one reads.
        in_a_row: those that wait for each other: the most on one way through the graph.
    """

    total: int
    in_a_row: int


def count_copies(operators: Sequence[GraphOperator], unsupported: Set[int]) -> DeviceCopies:
    """Count the copies between the device and the CPU; `unsupported` are the indices of the operators that run on the CPU."""
    sizes = _find_size_values(operators)
    made_by = {value: index for index, item in enumerate(operators) for value in item.writes}
    copied: set[tuple[str, bool]] = set()
    depth = [0] * len(operators)
    for index, item in enumerate(operators):
        on_cpu = index in unsupported
        for value in item.reads:
            source = made_by.get(value)
            # An input, a weight, or what a loop hands on.
            if source is None or source >= index:
                continue
            crosses = value not in sizes and (source in unsupported) != on_cpu
            depth[index] = max(depth[index], depth[source] + crosses)
            if crosses:
                copied.add((value, on_cpu))
    return DeviceCopies(len(copied), max(depth, default=0))


def _find_size_values(operators: Sequence[GraphOperator]) -> set[str]:
    """Return the values that are known beforehand, or only state sizes: ONNX Runtime computes them on the CPU wherever the rest runs, and both sides take them from there."""
    found: set[str] = set()
    made = {value for item in operators for value in item.writes}
    for item in operators:
        known = all(value in found or value not in made for value in item.reads)
        from_sizes = any(value in found for value in item.reads)
        if item.fixed or item.kind in SIZE_READERS or (item.kind in SIZE_ARITHMETIC and known and from_sizes):
            found.update(item.writes)
    return found
