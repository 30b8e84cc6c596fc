"""Records the inputs of a voice's graphs while it speaks, so that they can be run again: real inputs, no random ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.compose.speaker import Speaker
from app.compose.speaker_opening import record_speaker
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
    """Speak each request with empty caches; return what every graph was given, by graph name and in order."""
    calls: dict[str, list[RecordedGraphRun]] = defaultdict(list)
    recorded, sessions = record_speaker(speaker)
    for name, request in requests.items():
        recorded.pipeline.caches.clear()
        for _chunk in recorded.pipeline.synthesize(request):
            pass
        for graph, session in sessions.items():
            calls[graph] += (RecordedGraphRun(name, run.values) for run in session.runs)
            session.runs.clear()
    return calls
