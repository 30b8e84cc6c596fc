"""UUIDs of speakers: clients keep the numbers that follow from them."""

from __future__ import annotations

import uuid
from pathlib import Path

from app.common.errors import VoiceError
from app.voices.content_digest import compute_content_digest, compute_file_digests
from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import SpeakerCard, VoiceCardData
from app.voices.voice_manifest import NamedId

# Of speakers whose voice names no UUID.
_SPEAKER_NAMESPACE = uuid.UUID("2d5a1a3c-6a8e-5f0f-9c55-6b7b0e6f7a21")
SHIPPED_FORMAT = "starter"


def find_speaker_card(card: VoiceCardData, speaker: int) -> SpeakerCard | None:
    """Return the entry of a speaker in a card."""
    return next((item for item in card.speakers if item.id == speaker), None)


def compute_speaker_uuid(voice: Voice, card: VoiceCardData, speaker: NamedId) -> str:
    """The speaker's own, or one that the content of the file decides that the voice came from: the same after every start, after an
    update of the program, and where the file is added again. The voice that we ship keeps its own, whatever its graphs become.
    """
    own = find_speaker_card(card, speaker.id)
    if own is not None and own.uuid:
        return own.uuid
    source = voice.manifest.id if voice.manifest.format == SHIPPED_FORMAT else card.source_sha256 or _compute_digest(voice)
    return str(uuid.uuid5(_SPEAKER_NAMESPACE, f"{source}/{speaker.id}"))


def _compute_digest(voice: Voice) -> str:
    files = [graph for graph in voice.graphs.values() if isinstance(graph, Path)]
    try:
        return compute_content_digest(compute_file_digests(files))
    except VoiceError:
        return voice.manifest.id
