"""Voice and delivery of a comment, in our own terms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from app.core.request_limits import BOUNDS
from app.core.script.line_requests import build_request
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import SynthesisRequest
from app.service.chat.bouyomi_protocol import ChatTalk
from app.service.style_catalogue import ServedSpeaker, ServedStyle, StyleCatalogue

_WHOLE_PERCENT = 100
# What clients may send; numbers outside count as the nearest one.
SPEED_PERCENT, TONE_PERCENT, VOLUME_PERCENT = (50, 300), (50, 200), (0, 100)
SEMITONES_OF_OCTAVE = 12


def build_chat_request(talk: ChatTalk, name: str, settings: LineSettings | None = None) -> SynthesisRequest:
    """Return the request for a comment, with the settings of its character, if any; speaker and style are left out, `name` is its id."""
    numbers: dict[str, float] = {}
    if talk.speed >= 0:
        numbers["speed"] = _clamp_percent(talk.speed, SPEED_PERCENT)
    if talk.tone >= 0:
        numbers["pitch"] = SEMITONES_OF_OCTAVE * math.log2(_clamp_percent(talk.tone, TONE_PERCENT))
    if talk.volume >= 0:
        numbers["volume"] = _clamp_percent(talk.volume, VOLUME_PERCENT)
    within = {key: min(max(value, BOUNDS[key].low), BOUNDS[key].high) for key, value in numbers.items()}
    usual = SynthesisRequest(talk.text) if settings is None else build_request(Line(talk.text, settings))
    return replace(usual, id=name, **within)  # type: ignore[arg-type]  # the names are those of its numbers


def _clamp_percent(value: int, bounds: tuple[int, int]) -> float:
    return min(max(value, bounds[0]), bounds[1]) / _WHOLE_PERCENT


def list_chat_names(talk: ChatTalk, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the names of those whom the user chose for the writer of a comment and for its voice number, in the order in which they count."""
    return tuple(filter(None, (talk.voice_name, names.get(talk.voice, ""))))


def find_chat_style(talk: ChatTalk, names: Mapping[int, str], catalogue: StyleCatalogue) -> tuple[ServedSpeaker, ServedStyle] | None:
    """Return who reads a comment: whom the user named for its writer or its number, for another number a speaker by turns; None leaves it to the reader."""
    number = talk.voice
    wanted = next((style for name in list_chat_names(talk, names) if (style := catalogue.find_style(name)) is not None), None)
    if wanted is None and number > 0 and number not in names and catalogue.speakers:
        wanted = catalogue.speakers[(number - 1) % len(catalogue.speakers)].styles[0]
    if wanted is None:
        return None
    owner = next((speaker for speaker in catalogue.speakers if wanted in speaker.styles), None)
    return None if owner is None else (owner, wanted)
