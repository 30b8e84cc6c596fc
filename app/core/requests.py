"""From a line to what the pipeline is asked for: names become the ids of the voice that speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.delivery import dump_delivery
from app.core.script import Line
from app.core.types import SynthesisRequest
from app.core.voice import VoiceTraits


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks a request: the voice by id, speaker and style by name; empty is the first, and so is a name the voice does not have."""

    voice: str = ""
    speaker: str = ""
    style: str = ""


def request_of(line: Line) -> SynthesisRequest:
    """The request for a line; who speaks it is decided by `cast_of`, for only an open voice knows its ids."""
    settings = line.settings
    return SynthesisRequest(
        line.text,
        pauses=MappingProxyType(dict(settings.pauses)),
        seed=settings.seed,
        memos=settings.memos,
        overrides=line.overrides,
        **dump_delivery(settings),
    )


def cast_of(line: Line) -> Cast:
    """Who speaks a line."""
    return Cast(line.settings.voice, line.settings.speaker, line.settings.style)


def cast_for(request: SynthesisRequest, cast: Cast, voice: VoiceTraits) -> SynthesisRequest:
    """The request with the ids of the voice that speaks it."""
    return replace(request, speaker=_id_of(cast.speaker, voice.speakers), style=_id_of(cast.style, voice.styles))


def ids_of(line: Line, voice: VoiceTraits) -> tuple[int, int]:
    """Numbers of the speaker and the style of a line, as it is heard."""
    return _id_of(line.settings.speaker, voice.speakers), _id_of(line.settings.style, voice.styles)


def _id_of(name: str, items: Mapping[int, str]) -> int:
    return next((number for number, known in items.items() if known == name), next(iter(items), 0))
