"""From a query to what the pipeline is asked for."""

from __future__ import annotations

from dataclasses import replace

from app.core.types import SynthesisRequest
from app.service.query import AudioQuery


def request_of(query: AudioQuery, base: SynthesisRequest) -> SynthesisRequest:
    """What the pipeline is asked for."""
    tempo = base.sdp_ratio if query.tempo is None else _ratio(query.tempo)
    return replace(
        base,
        speed=query.speed,
        pitch=12 * query.pitch,
        intonation=query.intonation,
        volume=query.volume,
        sdp_ratio=tempo,
        seed=query.seed,
    )


def _ratio(tempo: float) -> float:
    """AivisSpeech's 0 … 1 … 2 is a ratio of 0 … 0.2 … 1."""
    return 0.2 * tempo if tempo <= 1 else 0.2 + 0.8 * (tempo - 1)
