"""Graphs as they came, looked at in a child that keeps to limits (`app.lab.child`): anybody may have made them."""

from __future__ import annotations

from collections.abc import Sequence

from app.adapters.confined.child import ConfinedChild
from app.install.proof_limits import limits_for
from app.lab.confined import believing, kind_of, said_by
from app.lab.handed_over import file_of
from app.lab.place.look import Look, look_of
from app.lab.scratch import scratch_folder
from app.lab.subject import Subject
from app.progress import Report

Looks = dict[tuple[str, str], Look]


def looks(subject: Subject, places: Sequence[str], report: Report) -> Looks:
    """By place and graph of the source. VoiceError where one cannot be read, UnsafeError where it asks for too much, or what is said of it makes no sense."""
    graphs, kind = subject.source, kind_of(subject)
    if not graphs:
        return {}
    with scratch_folder() as folder:
        files = [[name, str(file_of(graph, folder / f"{number}.onnx"))] for number, (name, graph) in enumerate(graphs.items())]
        keys = [(place, name) for place in places for name in graphs]
        with ConfinedChild("--lab", "look", [files, [*places]], limits_for(kind), folder) as child, believing(subject):
            said = said_by(child, kind, limits_for(kind), report)
            return {key: look_of(found) for key, found in zip(keys, said, strict=True)}
