"""The voice that each agent chose last, by the name under which the agent introduces itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.adapters.shared_settings import change_settings
from app.common.files.untrusted_json import sanitise_short_text
from app.settings.user_settings import MOST_AGENT_VOICES, Settings, load_usable_settings

_SEPARATOR = "="


def find_agent_voice(agent: str) -> str:
    """Return what this agent chose last, or an empty text."""
    return _parse_choices(load_usable_settings().agent_voices).get(_sanitise_name(agent), "")


def remember_agent_voice(agent: str, voice: str) -> None:
    """Remember the choice of an agent; raise OutputFileError."""
    name = _sanitise_name(agent)
    if not name or find_agent_voice(agent) == voice:
        return

    def add_choice(settings: Settings) -> Settings:
        choices = {key: value for key, value in _parse_choices(settings.agent_voices).items() if key != name} | {name: voice}
        lines = tuple(f"{key}{_SEPARATOR}{value}" for key, value in choices.items())
        return replace(settings, agent_voices=lines[-MOST_AGENT_VOICES:])

    change_settings(add_choice)


def _sanitise_name(agent: str) -> str:
    return sanitise_short_text(agent).replace(_SEPARATOR, " ").strip()


def _parse_choices(lines: Sequence[str]) -> dict[str, str]:
    pairs = (line.partition(_SEPARATOR) for line in lines)
    return {name: voice for name, separator, voice in pairs if separator}
