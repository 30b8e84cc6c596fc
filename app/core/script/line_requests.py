"""Conversion of a line to a request for the pipeline: names become the ids of the voice that speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.delivery import dump_delivery
from app.core.script.script import Line
from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import SynthesisRequest


@dataclass(frozen=True, slots=True)
class LineCast:
    """The voice of a request by id, its speaker and style by name; an empty or unknown name means the voice's first one."""

    voice: str = ""
    speaker: str = ""
    style: str = ""


def build_request(line: Line) -> SynthesisRequest:
    """Return the request for a line, without the ids of speaker and style."""
    # Only an open voice knows its ids, so `find_cast` and `apply_cast` add them later.
    settings = line.settings
    return SynthesisRequest(
        line.text,
        pauses=MappingProxyType(dict(settings.pauses)),
        seed=settings.seed,
        memos=settings.memos,
        overrides=line.overrides,
        **dump_delivery(settings),
    )


def find_cast(line: Line) -> LineCast:
    """Return the voice, speaker and style of a line."""
    return LineCast(line.settings.voice, line.settings.speaker, line.settings.style)


def apply_cast(request: SynthesisRequest, cast: LineCast, voice: VoiceTraits) -> SynthesisRequest:
    """Return the request with the ids of the voice that speaks it."""
    return replace(request, speaker=_find_id(cast.speaker, voice.speakers), style=_find_id(cast.style, voice.styles))


def find_cast_ids(line: Line, voice: VoiceTraits) -> tuple[int, int]:
    """Return the ids of a line's speaker and style in this voice."""
    return _find_id(line.settings.speaker, voice.speakers), _find_id(line.settings.style, voice.styles)


def choose_known_name(name: str, voice_names: Sequence[str]) -> str:
    """Return the speaker or style that is heard for a name: the first one where the voice has none of it; the name itself where none is known."""
    return name if not voice_names or name in voice_names else voice_names[0]


def _find_id(name: str, items: Mapping[int, str]) -> int:
    # An unknown name falls back to the first one: a line must stay playable with another voice.
    return next((number for number, item_name in items.items() if item_name == name), next(iter(items), 0))
