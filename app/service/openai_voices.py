"""The names of OpenAI's voices, which its clients send without asking: each stands for a speaker of ours who sounds like a man or a woman as it does."""

from __future__ import annotations

from dataclasses import dataclass

from app.service.http_errors import RefusalError
from app.service.speak_request import require_named_style
from app.service.style_catalogue import ServedStyle, StyleCatalogue
from app.voices.installed_voices import find_shipped_voice_id
from app.voices.voice_labels import NATURAL_VOICE_ID


@dataclass(frozen=True, slots=True)
class OpenAIVoice:
    """The speakers that a name stands for, by their numbers: of the natural voice, and of the light one where that is all there is."""

    natural: int
    light: int


_MAN = OpenAIVoice(4, 2)
OPENAI_VOICES = {
    "alloy": OpenAIVoice(0, 0),
    "ash": _MAN,
    "ballad": _MAN,
    "cedar": _MAN,
    "coral": OpenAIVoice(1, 1),
    "echo": _MAN,
    "fable": _MAN,
    "marin": OpenAIVoice(0, 0),
    "nova": OpenAIVoice(2, 1),
    "onyx": _MAN,
    "sage": OpenAIVoice(3, 0),
    "shimmer": OpenAIVoice(1, 1),
    "verse": _MAN,
}


def require_openai_style(catalogue: StyleCatalogue, name: str) -> ServedStyle:
    """Return the style of a name of ours, as another route knows it, else that of a name of OpenAI's; raise RefusalError for any other."""
    try:
        return require_named_style(catalogue, name)
    except RefusalError:
        found = _find_openai_style(catalogue, name.strip().casefold())
        if found is None:
            raise
        return found


def _find_openai_style(catalogue: StyleCatalogue, name: str) -> ServedStyle | None:
    """Return the first style of the speaker that a name of OpenAI's stands for; None where it is no such name, or neither voice is offered."""
    known = OPENAI_VOICES.get(name)
    if known is None:
        return None
    return catalogue.find_first_style(NATURAL_VOICE_ID, known.natural) or catalogue.find_first_style(
        find_shipped_voice_id() or "", known.light
    )
