"""Which UUID a speaker has: clients keep the numbers that follow from it."""

from __future__ import annotations

import uuid
from pathlib import Path

from app.errors import VoiceError
from app.voices.card import Card, SpeakerCard
from app.voices.digest import content_digest, file_digests
from app.voices.manifest import Named
from app.voices.voice import Voice

_NAMESPACE = uuid.UUID("2d5a1a3c-6a8e-5f0f-9c55-6b7b0e6f7a21")  # of speakers whose voice names no UUID
SHIPPED_FORMAT = "starter"


def card_of(card: Card, speaker: int) -> SpeakerCard | None:
    """What a card says of a speaker."""
    return next((item for item in card.speakers if item.id == speaker), None)


def uuid_of(voice: Voice, card: Card, speaker: Named) -> str:
    """The speaker's own, or one that the content of the file decides that the voice came from: the same after every start, after an
    update of the program, and where the file is added again. The voice that we ship keeps its own, whatever its graphs become.
    """
    own = card_of(card, speaker.id)
    if own is not None and own.uuid:
        return own.uuid
    source = voice.manifest.id if voice.manifest.format == SHIPPED_FORMAT else card.source_sha256 or _digest(voice)
    return str(uuid.uuid5(_NAMESPACE, f"{source}/{speaker.id}"))


def _digest(voice: Voice) -> str:
    files = [graph for graph in voice.graphs.values() if isinstance(graph, Path)]
    try:
        return content_digest(file_digests(files))
    except VoiceError:
        return voice.manifest.id
