"""The operators of a graph that a backend has kernels for, and those that ONNX Runtime gives it: plain values, for a child may find them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.devices.ort_devices import list_backends
from app.common.errors import AppError
from app.common.files.untrusted_json import require_int, sanitise_short_text
from app.lab.place.device_copies import count_copies
from app.lab.place.kernel_table import KernelTable, read_kernel_table

if TYPE_CHECKING:
    # And onnx, which is slow to import.
    from app.voices.prepare.graph_operators import GraphOperator

USUAL_SIZES = {"n": 64, "T": 256, "F": 512, "W": 64}
"""For opening a device form, by the name of its size: where nodes are placed does not depend on it."""
MOST_KINDS, MOST_NODES = 500, 10_000_000


@dataclass(frozen=True, slots=True)
class MissingKernel:
    """Operators that have no kernel.

    Attributes:
        op: with the domain before it where it is not ONNX's own.
        version: since which opset it is as it is.
        types: of its tensors.
    """

    op: str
    version: int
    types: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class KernelCoverage:
    """One graph on one backend.

    Attributes:
        lacking: the most frequent first; None where there is no table.
        boundaries, in_a_row: see `app.lab.place.device_copies`.
        assigned: backend → nodes; None where no session can be opened, or ONNX Runtime does not say.
    """

    nodes: int
    lacking: tuple[MissingKernel, ...] | None
    boundaries: int
    in_a_row: int
    assigned: dict[str, int] | None

    def convert_to_dict(self) -> dict[str, Any]:
        """Return the coverage as JSON."""
        return asdict(self)


def parse_coverage(values: dict[str, Any]) -> KernelCoverage:
    """Parse a child's findings in a graph. Raises LookupError, TypeError or ValueError where they make no sense."""
    listed, assigned = values["lacking"], values["assigned"]
    return KernelCoverage(
        _parse_count(values["nodes"]),
        None if listed is None else tuple(_parse_missing_kernel(item) for item in listed[:MOST_KINDS]),
        _parse_count(values["boundaries"]),
        _parse_count(values["in_a_row"]),
        None
        if assigned is None
        else {sanitise_short_text(name): _parse_count(count) for name, count in list(assigned.items())[: len(BACKENDS)]},
    )


def find_coverage(model: Path, graph: str, place: str, free: str = "", *, should_open: bool = True) -> KernelCoverage:
    """Look up every operator and open a session if the backend is available; raise VoiceError if the graph cannot be read.

    Args:
        free: the size that is fixed, of a device form.
        should_open: False opens none.
    """
    # Onnx is slow to import.
    from app.voices.prepare.graph_operators import list_operators

    operators, kernels = list_operators(model), read_kernel_table(parse_backend(place))
    assigned = _find_assignment(model, graph, place, {free: USUAL_SIZES[free]} if free else {}) if should_open else None
    if kernels is None:
        return KernelCoverage(len(operators), None, 0, 0, assigned)
    missing = [number for number, one in enumerate(operators) if not _has_kernel(kernels, one)]
    copied = count_copies(operators, set(missing))
    return KernelCoverage(
        len(operators), tuple(_count_missing([operators[number] for number in missing])), copied.total, copied.in_a_row, assigned
    )


def _has_kernel(kernels: KernelTable, operator: GraphOperator) -> bool:
    """Return whether there is a kernel; ONNX Runtime takes an operator apart only if the CPU has no kernel for it either."""
    cpu = read_kernel_table("cpu")
    return kernels.has_kernel(operator) or (kernels.has_body_kernels(operator) and not (cpu is not None and cpu.has_kernel(operator)))


def _count_missing(missing: list[GraphOperator]) -> list[MissingKernel]:
    found = Counter((item.domain, item.kind, item.version, tuple(sorted(set(item.types.values())))) for item in missing)
    return [
        MissingKernel(f"{domain}.{kind}" if domain else kind, version, types, count)
        for (domain, kind, version, types), count in found.most_common(MOST_KINDS)
    ]


def _find_assignment(model: Path, graph: str, place: str, free: dict[str, int]) -> dict[str, int] | None:
    if parse_backend(place) not in list_backends():
        return None
    from app.adapters.ort.devices.ep_assignment import count_nodes_by_provider

    try:
        found = count_nodes_by_provider(model, place, graph, free)
    except AppError:
        return None
    names = {backend.provider: key for key, backend in BACKENDS.items()}
    return None if found is None else {names.get(name, name): count for name, count in found.items()}


def _parse_missing_kernel(item: dict[str, Any]) -> MissingKernel:
    return MissingKernel(
        sanitise_short_text(item["op"]),
        _parse_count(item["version"]),
        tuple(map(sanitise_short_text, item["types"])),
        _parse_count(item["count"]),
    )


def _parse_count(value: Any) -> int:
    return require_int(value, 0, MOST_NODES)
