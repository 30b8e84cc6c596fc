"""Measures the difference between a device and the CPU, graph by graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.adapters.ort.device_placement import GROUP_OF_GRAPH, DevicePlacement
from app.adapters.ort.graph_session import RunnableSession, open_session, open_unoptimized
from app.adapters.ort.output_difference import measure_output_difference
from app.backends.reference_runs import ReferenceRun
from app.common.files import paths
from app.compose.speaker import Speaker
from app.voices.installed_voices import find_voice


class VoiceGraphs:
    """The graphs of a voice; those that a speaker keeps no longer are read again."""

    def __init__(self, voice_name: str | None, speaker: Speaker) -> None:
        self._wanted = voice_name
        self._files: dict[str, Path] = speaker.models

    def find_graph(self, graph: str) -> Path | bytes:
        """Return file or bytes of a graph."""
        return self._files.get(graph) or find_voice(self._wanted, paths.list_voice_dirs()).graphs[graph]

    def open_zero_noise_session(self, place: str) -> RunnableSession:
        """Open a copy of a graph without noise: a single-graph voice draws its own, which could not be compared."""
        # Onnx, which speaking does not need, is slow to import.
        from app.voices.prepare.zero_noise import build_noiseless_graph

        copy, _ = build_noiseless_graph(self.find_graph("whole"))
        return open_unoptimized(copy, "whole") if place == "cpu" else open_session(copy, place, "whole").session


def measure_differences(speaker: Speaker, graphs: VoiceGraphs, placement: DevicePlacement, runs: list[ReferenceRun]) -> dict[str, float]:
    """Group → largest difference of its graphs from what was kept."""
    sessions: dict[str, RunnableSession] = dict(speaker.sessions)
    if any(call.graph == "whole" for call in runs):
        sessions["whole"] = graphs.open_zero_noise_session(placement.find_place("whole"))
    found: dict[str, float] = {}
    for call in runs:
        group = GROUP_OF_GRAPH[call.graph]
        found[group] = max(_measure_difference(call, sessions[call.graph]), found.get(group, 0.0))
    return found


def _measure_difference(run: ReferenceRun, session: RunnableSession) -> float:
    return measure_output_difference(run.graph, session.run_graph(dict(run.values), list(run.results)), list(run.results.values()))


def replace_with_zero_noise(graphs: VoiceGraphs, runs: list[ReferenceRun]) -> list[ReferenceRun]:
    """Return the calls of a single-graph voice with the results of its noiseless copy; those of other voices unchanged."""
    if not any(call.graph == "whole" for call in runs):
        return runs
    session = graphs.open_zero_noise_session("cpu")
    return [_replace_results(call, session) if call.graph == "whole" else call for call in runs]


def _replace_results(run: ReferenceRun, session: RunnableSession) -> ReferenceRun:
    results = session.run_graph(dict(run.values), list(run.results))
    return replace(run, results=dict(zip(run.results, results, strict=True)))
