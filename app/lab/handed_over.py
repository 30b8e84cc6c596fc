"""A subject as plain values, for a child that opens what a stranger wrote: it reads the same files itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.lab.subject import Subject, of_bert, of_voice
from app.voices.bert import read_bert
from app.voices.containers.sources import read_source


def values_of(subject: Subject, scratch: Path) -> dict[str, Any]:
    """What JSON can hold.

    Args:
        scratch: for graphs that are in memory only; the caller removes it.
    """
    return {
        "name": subject.name,
        "source": {name: str(file_of(graph, scratch / f"source-{name}.onnx")) for name, graph in subject.source.items()},
        "voice": str(subject.voice.path.absolute()) if subject.voice is not None else None,
        "bert": str(subject.bert.folder.absolute()) if subject.bert is not None else None,
        "reason": subject.reason,
        "weights": str(subject.weights.absolute()) if subject.weights is not None else None,
        "installed": subject.installed,
    }


def subject_from(values: Mapping[str, Any]) -> Subject:
    """The subject again. VoiceError where its files have changed meanwhile."""
    found = Subject(values["name"])
    if values["voice"] is not None:
        found = of_voice(read_source(Path(values["voice"])), {})
    elif values["bert"] is not None:
        found = of_bert(read_bert(Path(values["bert"])))
    weights = Path(values["weights"]) if values["weights"] is not None else None
    source: dict[str, Path | bytes] = {name: Path(file) for name, file in values["source"].items()}
    return replace(found, name=values["name"], source=source, reason=values["reason"], weights=weights, installed=values["installed"])


def file_of(graph: Path | bytes, scratch: Path) -> Path:
    """A graph as a file: its own, or one that is written now."""
    if isinstance(graph, Path):
        return graph.absolute()
    scratch.write_bytes(graph)
    return scratch
