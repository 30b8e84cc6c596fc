"""Records the inputs of a voice's graphs while it speaks, so that they can be run again: real inputs, no random ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.compose.speaker import Speaker
from app.core.synthesis_types import SynthesisRequest


@dataclass(frozen=True, slots=True)
class RecordedGraphRun:
    """One run of one graph.

    Attributes:
        request: name of what was spoken.
        values: by input name, in the dtype and rank of the pipeline; what the graph does not declare is missing.
    """

    request: str
    values: dict[str, np.ndarray]


def record_runs(speaker: Speaker, requests: Mapping[str, SynthesisRequest]) -> dict[str, list[RecordedGraphRun]]:
    """Speak with empty caches and return a copy of every graph's inputs: graph name → calls, in order."""
    calls: dict[str, list[RecordedGraphRun]] = defaultdict(list)
    for name, request in requests.items():
        _record_request(speaker, name, request, calls)
    return calls


def _record_request(speaker: Speaker, name: str, request: SynthesisRequest, runs: dict[str, list[RecordedGraphRun]]) -> None:
    def keep_run(graph: str, values: dict[str, Any], _names: list[str], _results: list[np.ndarray]) -> None:
        declared = speaker.sessions[graph].inputs
        runs[graph].append(RecordedGraphRun(name, {item: np.array(value) for item, value in values.items() if item in declared}))

    speaker.pipeline.caches.clear()
    for session in speaker.sessions.values():
        session.observer = keep_run
    try:
        for _chunk in speaker.pipeline.synthesize(request):
            pass
    finally:
        for session in speaker.sessions.values():
            session.observer = None
