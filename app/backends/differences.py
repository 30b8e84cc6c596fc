"""How far a device is from the CPU, graph by graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app import paths
from app.adapters.ort.equality import distance
from app.adapters.ort.placement import GROUP_OF_GRAPH, Placement
from app.adapters.ort.session import Session, open_as_it_is, open_session
from app.backends.kept_calls import Call
from app.compose.speaker import Speaker
from app.voices.library import find_voice


class Models:
    """The graphs of a voice; those that a speaker keeps no longer are read again."""

    def __init__(self, wanted: str | None, speaker: Speaker) -> None:
        self._wanted = wanted
        self._files: dict[str, Path] = speaker.models

    def of(self, graph: str) -> Path | bytes:
        """File or bytes of a graph."""
        return self._files.get(graph) or find_voice(self._wanted, paths.voice_dirs()).graphs[graph]

    def quiet(self, place: str) -> Session:
        """A voice in one graph draws its own noise; this copy draws none, so that it can be compared."""
        from app.voices.prepare.quiet import quiet_copy  # onnx, which speaking does not need, is slow to import

        copy, _ = quiet_copy(self.of("whole"))
        return open_as_it_is(copy, "whole") if place == "cpu" else open_session(copy, place, "whole").session


def differences_of(speaker: Speaker, models: Models, places: Placement, calls: list[Call]) -> dict[str, float]:
    """Group → largest difference of its graphs from what was kept."""
    sessions: dict[str, Session] = dict(speaker.sessions)
    if any(call.graph == "whole" for call in calls):
        sessions["whole"] = models.quiet(places.of("whole"))
    found: dict[str, float] = {}
    for call in calls:
        group = GROUP_OF_GRAPH[call.graph]
        found[group] = max(_difference(call, sessions[call.graph]), found.get(group, 0.0))
    return found


def _difference(call: Call, session: Session) -> float:
    return distance(call.graph, session.run(dict(call.values), list(call.results)), list(call.results.values()))


def silenced(models: Models, calls: list[Call]) -> list[Call]:
    """The calls of a voice in one graph with what its quiet copy makes of them; those of other voices as they are."""
    if not any(call.graph == "whole" for call in calls):
        return calls
    session = models.quiet("cpu")
    return [_answered(call, session) if call.graph == "whole" else call for call in calls]


def _answered(call: Call, session: Session) -> Call:
    results = session.run(dict(call.values), list(call.results))
    return replace(call, results=dict(zip(call.results, results, strict=True)))
