"""Finds operators that a backend has kernels for, in a table that `packaging/build.py kernel-tables` has read from ONNX Runtime itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from app.common.files import paths
from app.common.files.untrusted_json import parse_object

if TYPE_CHECKING:
    # And onnx, which is slow to import.
    from app.voices.prepare.graph_operators import GraphOperator


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel.

    Attributes:
        first, last: versions of the operator; no last one where it was written for the version `first` and is the newest.
        types: allowed ones by the name of the type in the operator's definition.
    """

    first: int
    last: int | None
    types: Mapping[str, frozenset[str]]

    def may_compute(self, operator: GraphOperator) -> bool:
        """Return whether the backend may compute an operator; a type that is not known does not exclude it."""
        fits = operator.version == self.first if self.last is None else self.first <= operator.version <= self.last
        return fits and all(operator.types.get(name, "") in allowed | {""} for name, allowed in self.types.items())


@dataclass(frozen=True, slots=True)
class KernelTable:
    """All kernels of one backend.

    Attributes:
        runtime: the package that has them, with its version.
    """

    runtime: str
    _found: Mapping[tuple[str, str], tuple[Kernel, ...]]

    def has_kernel(self, operator: GraphOperator) -> bool:
        """Return whether the backend has a kernel for an operator, or nothing is left to compute of it once the graph is open."""
        return operator.fixed or any(kernel.may_compute(operator) for kernel in self._found.get((operator.domain, operator.kind), ()))

    def has_body_kernels(self, operator: GraphOperator) -> bool:
        """Return whether the backend has kernels for the body of an operator."""
        return bool(operator.body) and all(("", kind) in self._found for kind in operator.body)


@cache
def read_kernel_table(backend: str) -> KernelTable | None:
    """Return the table of a backend's kernels, or None if there is none: then coverage is known only once a session opens."""
    file = paths.find_resources_dir() / "kernels" / f"{backend}.json"
    if not file.is_file():
        return None
    table = parse_object(file.read_bytes())
    found: dict[tuple[str, str], list[Kernel]] = defaultdict(list)
    for domain, kind, first, last, types in table["kernels"]:
        found[domain, kind].append(Kernel(first, last, {name: frozenset(allowed) for name, allowed in types.items()}))
    return KernelTable(table["runtime"], {key: tuple(kernels) for key, kernels in found.items()})
