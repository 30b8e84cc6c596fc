"""A graph that could stand for another one, and what it takes to compare the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.voices.bert_models import VOCABULARY_NAME

PREPARED, AS_IT_CAME, INSTALLED = "prepared", "as-it-came", "int8"
MakeCandidate = Callable[[Path], Path]
"""Writes a graph and all that belongs to it into an empty folder; gives the graph's file. Raises an AppError where it cannot be made."""


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A candidate that is measured beside a prepared graph.

    Attributes:
        name: unique among those of a graph.
        make: one that gives a file outside its folder has nothing to make.
        note: what else is to be said of it, in the language of the user.
    """

    name: str
    make: MakeCandidate
    note: str = ""


@dataclass(frozen=True, slots=True)
class CandidateFiles:
    """A candidate on the disk.

    Attributes:
        graph: inside the folder, unless it was there before.
    """

    graph: Path
    folder: Path

    @property
    def vocabulary(self) -> Path | None:
        """Return the vocabulary of a BERT with other tokens; None if they are the same."""
        own = self.folder / VOCABULARY_NAME
        return own if own.is_file() else None

    @property
    def size_bytes(self) -> int:
        """Return the size of graph and weights in bytes."""
        return measure_graph_bytes(self.graph)


def measure_graph_bytes(graph: Path | bytes) -> int:
    """Return the bytes of a graph and of the weights beside it."""
    if isinstance(graph, bytes):
        return len(graph)
    # Onnx is slow to import.
    from app.voices.prepare.variants.graph_variants import list_weight_files

    return graph.stat().st_size + sum(path.stat().st_size for path in list_weight_files(graph))
