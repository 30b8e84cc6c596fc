"""A catalogue of the speakers and styles that the service offers, under the numbers that AivisSpeech gives them."""

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.common.errors import VoiceError
from app.common.language import localize
from app.interchange.character_assignment import compute_style_id
from app.service.request_fields import create_unknown_style_refusal
from app.voices.file_fact_cache import compute_content_digest, compute_file_digests
from app.voices.prepared_voice import NamedId, Voice
from app.voices.voice_card_data import SpeakerCard, VoiceCardData, read_card
from app.voices.voice_labels import STYLE_NAMES_JA, list_speaker_names

_SPEAKER_NAMESPACE = uuid.UUID("2d5a1a3c-6a8e-5f0f-9c55-6b7b0e6f7a21")  # of speakers whose voice names no UUID
SHIPPED_FORMAT = "starter"


def find_speaker_card(card: VoiceCardData, speaker: int) -> SpeakerCard | None:
    return next((item for item in card.speakers if item.id == speaker), None)


def compute_speaker_uuid(voice: Voice, card: VoiceCardData, speaker: NamedId) -> str:
    """Return the speaker's own UUID, or one computed from the voice's file, after every start and update the same; the shipped voice keeps its own."""
    speaker_card = find_speaker_card(card, speaker.id)
    if speaker_card is not None and speaker_card.uuid:
        return speaker_card.uuid
    source = voice.manifest.id if voice.manifest.format == SHIPPED_FORMAT else card.source_sha256
    if not source:
        try:
            source = compute_content_digest(compute_file_digests([graph for graph in voice.graphs.values() if isinstance(graph, Path)]))
        except VoiceError:
            source = voice.manifest.id
    return str(uuid.uuid5(_SPEAKER_NAMESPACE, f"{source}/{speaker.id}"))


UNKNOWN_VOICE_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class ServedStyle:
    """A style as clients call it: a number of its own in all of the service."""

    id: int
    name: str
    voice: str
    speaker: int
    style: int
    is_blend: bool = False  # it is between speakers, and each of them has it


@dataclass(frozen=True, slots=True)
class ServedSpeaker:
    """A speaker of a voice."""

    uuid: str
    name: str
    plain_name: str  # without what sets it apart from another voice's
    voice: str  # name of its voice
    version: str
    styles: tuple[ServedStyle, ...]
    terms: str
    card: SpeakerCard | None
    media: Path  # the voice's folder, where it has pictures and recordings; `card` names them

    def convert_to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "speaker_uuid": self.uuid,
            "styles": [{"name": style.name, "id": style.id, "type": "talk"} for style in self.styles],
            "version": self.version,
            "supported_features": {"permitted_synthesis_morphing": "NOTHING"},
        }


@dataclass(frozen=True, slots=True)
class StyleCatalogue:
    """All that is offered."""

    speakers: tuple[ServedSpeaker, ...]
    left_out: tuple[str, ...] = ()  # why some style is not, in the language of the user
    _by_id: Mapping[int, ServedStyle] = field(default_factory=dict)

    def require_style(self, number: int) -> ServedStyle:
        """Return the style of a number; raise RefusalError if there is none."""
        if (style := self._by_id.get(number)) is None:
            raise create_unknown_style_refusal(number)
        return style

    def find_speaker(self, speaker_uuid: str) -> ServedSpeaker | None:
        return next((speaker for speaker in self.speakers if speaker.uuid == speaker_uuid), None)

    def find_owner(self, style: ServedStyle) -> ServedSpeaker:
        """Return who speaks in a style of this catalogue."""
        return next(speaker for speaker in self.speakers if style in speaker.styles)

    @property
    def first_style(self) -> ServedStyle | None:
        """Return the style used if a client names none."""
        return next((style for _, style in self._iterate_styles()), None)

    def find_first_style(self, voice: str, speaker: int) -> ServedStyle | None:
        """Return the first style of a speaker by the id of its voice and its number there, or None."""
        return next((style for _, style in self._iterate_styles() if (style.voice, style.speaker) == (voice, speaker)), None)

    def find_style(self, name: str, speaker: str = "", style: str = "") -> ServedStyle | None:
        """Return the first style by its number, the name of its speaker, or the name or id of its voice, each with /style or without.

        Args:
            speaker, style: name or number within the voice; empty is any.
        """
        for served, item in self._iterate_styles():
            voices = (served.name, served.voice, item.voice, *list_speaker_names(served.name))
            names = (item.name, STYLE_NAMES_JA.get(item.name, item.name))
            if (
                _is_one_of(name, *voices, *(f"{voice}/{style_name}" for voice in voices for style_name in names), str(item.id))
                and _is_one_of(speaker, served.name, str(item.speaker), *list_speaker_names(served.plain_name))
                and _is_one_of(style, *names, str(item.style))
            ):
                return item
        return None

    def _iterate_styles(self) -> Iterator[tuple[ServedSpeaker, ServedStyle]]:
        return ((speaker, style) for speaker in self.speakers for style in speaker.styles)


def _is_one_of(name: str, *names: str) -> bool:
    """Return whether a name is among these, or empty."""
    key = name.strip().casefold()
    return not key or key in (item.casefold() for item in names)


def build_catalogue(voices: Sequence[Voice]) -> StyleCatalogue:
    """Build the catalogue of these voices, in their order; of two styles with one number the first is offered."""
    speakers, left_out, by_id = [], [], dict[int, ServedStyle]()
    shared = Counter(item.name for voice in voices for item in voice.manifest.speakers)
    for voice in voices:
        card = read_card(voice.path)
        for speaker in voice.manifest.speakers:
            name = speaker.name if shared[speaker.name] == 1 else f"{speaker.name} ({voice.manifest.name})"
            styles = []
            for style, reason in _build_styles(voice, card, speaker):
                if style is not None and by_id.setdefault(style.id, style) is style:
                    styles.append(style)
                    continue
                collision = "" if style is None else f"{name} {style.name} ({style.id})"
                english = f"The style “{collision}” has the same ID as another style and was skipped."
                left_out.append(reason or localize(f"スタイル「{collision}」は、番号がほかのスタイルと重なるため使えません。", english))
            if styles:
                terms, version = voice.manifest.licence or voice.manifest.name, card.version or UNKNOWN_VOICE_VERSION
                names, speaker_card = (name, speaker.name, voice.manifest.name), find_speaker_card(card, speaker.id)
                speaker_uuid = compute_speaker_uuid(voice, card, speaker)
                speakers.append(ServedSpeaker(speaker_uuid, *names, version, tuple(styles), terms, speaker_card, voice.path))
    return StyleCatalogue(tuple(speakers), tuple(left_out), by_id)


def _build_styles(voice: Voice, card: VoiceCardData, speaker: NamedId) -> Iterator[tuple[ServedStyle | None, str]]:
    speaker_uuid = compute_speaker_uuid(voice, card, speaker)
    for style in voice.manifest.styles:
        number = compute_style_id(speaker_uuid, style.id)
        if number is not None:
            yield ServedStyle(number, style.name, voice.manifest.id, speaker.id, style.id, style.name in voice.manifest.blends), ""
            continue
        reason = localize(
            f"スタイル「{speaker.name} {style.name}」は 33 番目以降のため、サービスでは使えません。",
            f"The style “{speaker.name} {style.name}” is beyond the 32 that the service can number.",
        )
        yield None, reason
