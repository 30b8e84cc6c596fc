"""The results of a voice's graphs on the CPU, kept for the children that try its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """One run of a graph."""

    graph: str
    values: dict[str, np.ndarray]
    results: dict[str, np.ndarray]


def save_reference_runs(runs: list[ReferenceRun], file: Path) -> None:
    """Keep calls in a file of arrays."""
    arrays: dict[str, np.ndarray] = {}
    for index, call in enumerate(runs):
        arrays |= {f"{index}|{call.graph}|in|{name}": value for name, value in call.values.items()}
        arrays |= {f"{index}|{call.graph}|out|{name}": value for name, value in call.results.items()}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def load_reference_runs(file: Path) -> list[ReferenceRun]:
    """Return what `save_reference_runs` kept."""
    calls: dict[str, ReferenceRun] = {}
    with np.load(file) as arrays:
        content: Mapping[str, np.ndarray] = arrays
        for key in content:
            index, graph, side, name = key.split("|", 3)
            call = calls.setdefault(index, ReferenceRun(graph, {}, {}))
            (call.values if side == "in" else call.results)[name] = content[key]
    return list(calls.values())
