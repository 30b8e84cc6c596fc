"""The operators of a graph that a backend has kernels for, and those that ONNX Runtime gives it: plain values, for a child may find them.

Kernels are read from a table that `packaging/build.py kernel-tables` has read from ONNX Runtime itself; what has none costs copies, which are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.ort_devices import has_device, list_backends
from app.common.errors import AppError
from app.common.files import paths
from app.common.files.untrusted_json import parse_object, require_int, sanitise_short_text

if TYPE_CHECKING:
    # And onnx, which is slow to import.
    from app.voices.prepare.graph_facts import GraphOperator

USUAL_SIZES = {"n": 64, "T": 256, "F": 512, "W": 64}
"""For opening a device form, by the name of its size: where nodes are placed does not depend on it."""
MOST_KINDS, MOST_NODES = 500, 10_000_000
SIZE_READERS = {"Shape", "Size"}
SIZE_ARITHMETIC = {
    "Gather", "Slice", "Concat", "Unsqueeze", "Squeeze", "Cast", "Reshape", "Identity",
    "Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Neg", "Abs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeviceCopies:
    """Copies of one run but those of its own inputs and outputs: in all, and those that wait for each other, the most on one way through the graph."""

    total: int
    in_a_row: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel for versions of an operator (no last one: for `first`, the newest) and types by their name in its definition."""

    first: int
    last: int | None
    types: Mapping[str, frozenset[str]]

    def may_compute(self, operator: GraphOperator) -> bool:
        """Return whether the backend may compute an operator; a type that is not known does not exclude it."""
        fits = operator.version == self.first if self.last is None else self.first <= operator.version <= self.last
        return fits and all(operator.types.get(name, "") in allowed | {""} for name, allowed in self.types.items())


@dataclass(frozen=True, slots=True)
class KernelTable:
    """All kernels of one backend, from a package of this name and version."""

    runtime: str
    _found: Mapping[tuple[str, str], tuple[Kernel, ...]]

    def has_kernel(self, operator: GraphOperator) -> bool:
        """Return whether the backend has a kernel for an operator, or nothing is left to compute of it once the graph is open."""
        return operator.fixed or any(kernel.may_compute(operator) for kernel in self._found.get((operator.domain, operator.kind), ()))

    def has_body_kernels(self, operator: GraphOperator) -> bool:
        """Return whether the backend has kernels for the body of an operator."""
        return bool(operator.body) and all(("", kind) in self._found for kind in operator.body)


@dataclass(frozen=True, slots=True)
class MissingKernel:
    """Operators that have no kernel; the domain is before the name where it is not ONNX's own, and the version is their opset's."""

    op: str
    version: int
    types: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class KernelCoverage:
    """One graph on one backend; what lacks is None without a table, nodes by backend are None where ONNX Runtime does not say."""

    nodes: int
    lacking: tuple[MissingKernel, ...] | None
    boundaries: int
    in_a_row: int
    assigned: dict[str, int] | None


def parse_coverage(values: dict[str, Any]) -> KernelCoverage:
    """Parse a child's findings in a graph. Raises LookupError, TypeError or ValueError where they make no sense."""
    listed, assigned = values["lacking"], values["assigned"]
    return KernelCoverage(
        _parse_count(values["nodes"]),
        None
        if listed is None
        else tuple(
            MissingKernel(
                sanitise_short_text(item["op"]),
                _parse_count(item["version"]),
                tuple(map(sanitise_short_text, item["types"])),
                _parse_count(item["count"]),
            )
            for item in listed[:MOST_KINDS]
        ),
        _parse_count(values["boundaries"]),
        _parse_count(values["in_a_row"]),
        None
        if assigned is None
        else {sanitise_short_text(name): _parse_count(count) for name, count in list(assigned.items())[: len(BACKENDS)]},
    )


def find_coverage(model: Path, graph: str, device: str, free: str = "", *, should_open: bool = True) -> KernelCoverage:
    """Look up every operator and, if `should_open`, open a session where the backend is there; `free` is a device form's size. Raise VoiceError if it cannot be read."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_facts import list_operators

    operators, kernels = list_operators(model), read_kernel_table(parse_backend(device))
    assigned = _find_assignment(model, graph, device, {free: USUAL_SIZES[free]} if free else {}) if should_open else None
    if kernels is None:
        return KernelCoverage(len(operators), None, 0, 0, assigned)
    # ONNX Runtime takes an operator apart only if the CPU has no kernel for it either.
    cpu = read_kernel_table("cpu")
    missing = [
        number
        for number, operator in enumerate(operators)
        if not kernels.has_kernel(operator) and (not kernels.has_body_kernels(operator) or (cpu is not None and cpu.has_kernel(operator)))
    ]
    counts = Counter(
        (item.domain, item.kind, item.version, tuple(sorted(set(item.types.values())))) for item in map(operators.__getitem__, missing)
    )
    lacking = tuple(
        MissingKernel(f"{domain}.{kind}" if domain else kind, version, types, count)
        for (domain, kind, version, types), count in counts.most_common(MOST_KINDS)
    )
    copied = count_copies(operators, set(missing))
    return KernelCoverage(len(operators), lacking, copied.total, copied.in_a_row, assigned)


def _find_assignment(model: Path, graph: str, device: str, free: dict[str, int]) -> dict[str, int] | None:
    if parse_backend(device) not in list_backends() or not has_device(device):
        return None
    from app.adapters.ort.profiled_session import count_assigned_nodes

    try:
        counts = count_assigned_nodes(model, device, graph, free)
    except AppError:
        return None
    names = {backend.provider: key for key, backend in BACKENDS.items()}
    if counts is None:
        return None
    return {names.get(name, name): nodes.total() for name, nodes in sorted(counts.items(), key=lambda item: -item[1].total())}


def _parse_count(value: Any) -> int:
    return require_int(value, 0, MOST_NODES)


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
    size_values: set[str] = set()
    computed_values = {value for item in operators for value in item.writes}
    for item in operators:
        are_inputs_sizes = all(value in size_values or value not in computed_values for value in item.reads)
        from_sizes = any(value in size_values for value in item.reads)
        if item.fixed or item.kind in SIZE_READERS or (item.kind in SIZE_ARITHMETIC and are_inputs_sizes and from_sizes):
            size_values.update(item.writes)
    return size_values


@cache
def read_kernel_table(backend: str) -> KernelTable | None:
    """Return the table of a backend's kernels, or None if there is none: then coverage is known only once a session opens."""
    file = paths.find_resources_dir() / "kernels" / f"{backend}.json"
    if not file.is_file():
        return None
    table = parse_object(file.read_bytes())
    kernels_by_operator: dict[tuple[str, str], list[Kernel]] = defaultdict(list)
    for domain, kind, first, last, types in table["kernels"]:
        kernels_by_operator[domain, kind].append(Kernel(first, last, {name: frozenset(allowed) for name, allowed in types.items()}))
    return KernelTable(table["runtime"], {key: tuple(kernels) for key, kernels in kernels_by_operator.items()})
