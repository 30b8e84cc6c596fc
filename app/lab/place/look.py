"""What a backend has kernels for in one graph, and what ONNX Runtime gives it: plain values, for a child may find them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.ort.backends import BACKENDS, backend_of
from app.adapters.ort.providers import available_backends
from app.errors import AppError
from app.json_text import short_text, whole
from app.lab.place.copies import copies
from app.lab.place.kernels import Kernels, kernels_of

if TYPE_CHECKING:
    from app.voices.prepare.operators import Operator  # and onnx, which is slow to import

USUAL_SIZES = {"n": 64, "T": 256, "F": 512, "W": 64}
"""For opening a device form, by the name of its size: where nodes are placed does not depend on it."""
MOST_KINDS, MOST_NODES = 500, 10_000_000


@dataclass(frozen=True, slots=True)
class Lacking:
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
class Look:
    """One graph on one backend.

    Attributes:
        lacking: the most frequent first; None where there is no table.
        boundaries, in_a_row: see `app.lab.place.copies`.
        assigned: backend → nodes; None where no session can be opened, or ONNX Runtime does not say.
    """

    nodes: int
    lacking: tuple[Lacking, ...] | None
    boundaries: int
    in_a_row: int
    assigned: dict[str, int] | None

    def values(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def look_of(values: dict[str, Any]) -> Look:
    """What a child says of a graph. Raises LookupError, TypeError or ValueError where it makes no sense."""
    listed, assigned = values["lacking"], values["assigned"]
    return Look(
        _count(values["nodes"]),
        None if listed is None else tuple(_lacking(item) for item in listed[:MOST_KINDS]),
        _count(values["boundaries"]),
        _count(values["in_a_row"]),
        None if assigned is None else {short_text(name): _count(count) for name, count in list(assigned.items())[: len(BACKENDS)]},
    )


def look(model: Path, graph: str, place: str, free: str = "", *, opens: bool = True) -> Look:
    """Looks up every operator and opens a session where the backend is there. VoiceError where the graph cannot be read.

    Args:
        free: the size that is fixed, of a device form.
        opens: False opens none.
    """
    from app.voices.prepare.operators import operators_of  # onnx is slow to import

    operators, kernels = operators_of(model), kernels_of(backend_of(place))
    assigned = _assigned(model, graph, place, {free: USUAL_SIZES[free]} if free else {}) if opens else None
    if kernels is None:
        return Look(len(operators), None, 0, 0, assigned)
    missing = [number for number, one in enumerate(operators) if not _takes(kernels, one)]
    copied = copies(operators, set(missing))
    return Look(len(operators), tuple(_listed([operators[number] for number in missing])), copied.total, copied.in_a_row, assigned)


def _takes(kernels: Kernels, operator: Operator) -> bool:
    """ONNX Runtime takes an operator apart only where the CPU has no kernel for it either."""
    cpu = kernels_of("cpu")
    return kernels.take(operator) or (kernels.take_body(operator) and not (cpu is not None and cpu.take(operator)))


def _listed(missing: list[Operator]) -> list[Lacking]:
    found = Counter((item.domain, item.kind, item.version, tuple(sorted(set(item.types.values())))) for item in missing)
    return [
        Lacking(f"{domain}.{kind}" if domain else kind, version, types, count)
        for (domain, kind, version, types), count in found.most_common(MOST_KINDS)
    ]


def _assigned(model: Path, graph: str, place: str, free: dict[str, int]) -> dict[str, int] | None:
    if backend_of(place) not in available_backends():
        return None
    from app.adapters.ort.assignment import assigned_nodes

    try:
        found = assigned_nodes(model, place, graph, free)
    except AppError:
        return None
    names = {backend.provider: key for key, backend in BACKENDS.items()}
    return None if found is None else {names.get(name, name): count for name, count in found.items()}


def _lacking(item: dict[str, Any]) -> Lacking:
    return Lacking(short_text(item["op"]), _count(item["version"]), tuple(map(short_text, item["types"])), _count(item["count"]))


def _count(value: Any) -> int:
    return whole(value, 0, MOST_NODES)
