"""From a query to what the pipeline is asked for."""

from __future__ import annotations

from dataclasses import replace

from app.core.synthesis_types import SynthesisRequest
from app.interchange.voicevox_query_fields import convert_tempo
from app.service.voicevox_query import AudioQuery


def build_synthesis_request(query: AudioQuery, base: SynthesisRequest) -> SynthesisRequest:
    """Build the request to the pipeline."""
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
