"""Presets: sets of settings under names of the user's choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core.limits import BOUNDS
from app.core.script import CAST_FIELDS, LineSettings
from app.core.script_data import settings_from_data, settings_to_data
from app.core.tolerance import Lose, TooManyError, tolerating
from app.json_text import LARGEST_TEXT_CHARACTERS, short_text

PARTS = (*BOUNDS, "pauses")  # what a preset sets, and CAST_FIELDS if it was kept with them; seed and assist text stay the line's own
STANDARD = LineSettings()
MOST_PRESETS = 2000  # that are passed on at once


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings under a name.

    Attributes:
        settings: all that is no part of it has its default.
        character: voice, speaker and style are part of it.
    """

    settings: LineSettings = STANDARD
    character: bool = False

    @classmethod
    def of(cls, settings: LineSettings, *, character: bool = False) -> Preset:
        """What of a line's settings belongs into a preset."""
        names = (*PARTS, *CAST_FIELDS) if character else PARTS
        return cls(replace(STANDARD, **{name: getattr(settings, name) for name in names}), character)

    @property
    def values(self) -> dict[str, Any]:
        """What it sets, by name of the setting."""
        return {name: getattr(self.settings, name) for name in ((*PARTS, *CAST_FIELDS) if self.character else PARTS)}


Presets = Mapping[str, Preset]


def presets_to_data(presets: Presets) -> dict[str, Any]:
    """What the functions below read."""
    return {name: settings_to_data(item.settings) | ({"character": True} if item.character else {}) for name, item in presets.items()}


def presets_from_data(data: Mapping[str, Any]) -> dict[str, Preset]:
    """Those of the user; ValueError for what no version has written."""
    return {name: _from_data(item) for name, item in data.items()}


def strange_presets_from_data(data: object, lose: Lose | None = None) -> dict[str, Preset]:
    """Those of somebody else: not too many, with names that can be shown, and nothing in them that is no part of a preset.

    Raises ValueError as `presets_from_data`; with `lose` one that cannot be read costs itself.
    """
    if not isinstance(data, dict):
        raise ValueError("presets")
    if len(data) > MOST_PRESETS:
        raise TooManyError("presets")
    found: dict[str, Preset] = {}
    for name, item in data.items():
        with tolerating(lose, "presets"):
            found[short_text(name)] = _tidy(_from_data(item))
    return {name: preset for name, preset in found.items() if name}


def _tidy(preset: Preset) -> Preset:
    settings = preset.settings
    if any(len(getattr(settings, name)) > LARGEST_TEXT_CHARACTERS for name in CAST_FIELDS):
        raise ValueError("a name")
    voice, speaker, style = short_text(settings.voice), short_text(settings.speaker), short_text(settings.style)
    return Preset.of(replace(settings, voice=voice, speaker=speaker, style=style), character=preset.character)


def _from_data(data: Any) -> Preset:
    settings = settings_from_data(data)
    if not isinstance(character := data.get("character", False), bool):
        raise ValueError("character")
    return Preset(settings, character)
