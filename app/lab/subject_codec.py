"""A subject as plain values, for a child that opens what a stranger wrote: it reads the same files itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.lab.lab_subject import LabSubject, create_bert_subject, create_voice_subject
from app.voices.bert_models import read_bert
from app.voices.containers.voice_sources import read_voice_source


def dump_subject(subject: LabSubject, scratch: Path) -> dict[str, Any]:
    """Return the subject as values that JSON can hold.

    Args:
        scratch: for graphs that are in memory only; the caller removes it.
    """
    return {
        "name": subject.name,
        "source": {name: str(ensure_file(graph, scratch / f"source-{name}.onnx")) for name, graph in subject.source.items()},
        "voice": str(subject.voice.path.absolute()) if subject.voice is not None else None,
        "bert": str(subject.bert.folder.absolute()) if subject.bert is not None else None,
        "reason": subject.reason,
        "weights": str(subject.weights.absolute()) if subject.weights is not None else None,
        "installed": subject.installed,
    }


def load_subject(values: Mapping[str, Any]) -> LabSubject:
    """Return the subject from its values; raise VoiceError if its files have changed meanwhile."""
    found = LabSubject(values["name"])
    if values["voice"] is not None:
        found = create_voice_subject(read_voice_source(Path(values["voice"])), {})
    elif values["bert"] is not None:
        found = create_bert_subject(read_bert(Path(values["bert"])))
    weights = Path(values["weights"]) if values["weights"] is not None else None
    source: dict[str, Path | bytes] = {name: Path(file) for name, file in values["source"].items()}
    return replace(found, name=values["name"], source=source, reason=values["reason"], weights=weights, installed=values["installed"])


def ensure_file(graph: Path | bytes, scratch: Path) -> Path:
    """Return a graph as a file: its own, or one written now."""
    if isinstance(graph, Path):
        return graph.absolute()
    scratch.write_bytes(graph)
    return scratch
