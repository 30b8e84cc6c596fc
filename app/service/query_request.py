"""From a query to what the pipeline is asked for."""

from __future__ import annotations

from dataclasses import replace

from app.core.types import SynthesisRequest
from app.interchange.vvproj_fields import convert_tempo
from app.service.query import AudioQuery


def request_of(query: AudioQuery, base: SynthesisRequest) -> SynthesisRequest:
    """What the pipeline is asked for."""
    tempo = base.sdp_ratio if query.tempo is None else convert_tempo(query.tempo)
    return replace(
        base,
        speed=query.speed,
        pitch=12 * query.pitch,
        intonation=query.intonation,
        volume=query.volume,
        sdp_ratio=tempo,
        seed=query.seed,
    )
