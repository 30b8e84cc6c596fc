"""Presets: sets of settings under names of the user's choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.common.files.untrusted_json import MAX_SHORT_TEXT_CHARS, sanitise_short_text
from app.core.lenient_parsing import ReportLoss, TooManyError, UnreadableSkipper
from app.core.request_limits import BOUNDS
from app.core.script.script import CAST_FIELDS, LineSettings
from app.core.script.script_data import convert_settings_to_data, parse_settings

# Seed and assist text stay the line's own; `CAST_FIELDS` belong to a preset only if it was kept with them.
PRESET_SETTINGS = (*BOUNDS, "pauses")
STANDARD_SETTINGS = LineSettings()
MOST_PRESETS = 2000  # highest number of presets that a file may pass on at once


@dataclass(frozen=True, slots=True)
class LinePreset:
    """A set of line settings that the user named."""

    settings: LineSettings = STANDARD_SETTINGS  # everything that is not part of the preset has its default
    character: bool = False  # true if voice, speaker and style are part of the preset

    @classmethod
    def from_settings(cls, settings: LineSettings, *, character: bool = False) -> LinePreset:
        """Return a preset with those of a line's settings that belong in one."""
        names = (*PRESET_SETTINGS, *CAST_FIELDS) if character else PRESET_SETTINGS
        return cls(replace(STANDARD_SETTINGS, **{name: getattr(settings, name) for name in names}), character)

    @property
    def values(self) -> dict[str, Any]:
        """Return the values that the preset sets, by name of the setting."""
        return {name: getattr(self.settings, name) for name in ((*PRESET_SETTINGS, *CAST_FIELDS) if self.character else PRESET_SETTINGS)}


Presets = Mapping[str, LinePreset]


def convert_presets_to_data(presets: Presets) -> dict[str, Any]:
    """Return the data that `parse_presets` and `parse_untrusted_presets` read."""
    return {
        name: convert_settings_to_data(item.settings) | ({"character": True} if item.character else {}) for name, item in presets.items()
    }


def parse_presets(data: Mapping[str, Any]) -> dict[str, LinePreset]:
    """Return the presets in the user's own data. Raises ValueError for data that no version has written."""
    return {name: _parse_preset(item) for name, item in data.items()}


def parse_untrusted_presets(data: object, lose: ReportLoss | None = None) -> dict[str, LinePreset]:
    """Return the presets in a stranger's data: not too many, with displayable names, and with nothing that is no part of a preset.

    Raises ValueError as `parse_presets`; with `lose` only the unreadable preset is left out.
    """
    if not isinstance(data, dict):
        raise ValueError("presets")
    if len(data) > MOST_PRESETS:
        raise TooManyError("presets")
    presets: dict[str, LinePreset] = {}
    for name, item in data.items():
        with UnreadableSkipper(lose, "presets"):
            presets[sanitise_short_text(name)] = _sanitise_preset(_parse_preset(item))
    return {name: preset for name, preset in presets.items() if name}


def _sanitise_preset(preset: LinePreset) -> LinePreset:
    settings = preset.settings
    if any(len(getattr(settings, name)) > MAX_SHORT_TEXT_CHARS for name in CAST_FIELDS):
        raise ValueError("a name")
    names: dict[str, Any] = {name: sanitise_short_text(getattr(settings, name)) for name in CAST_FIELDS}
    return LinePreset.from_settings(replace(settings, **names), character=preset.character)


def _parse_preset(data: Any) -> LinePreset:
    settings = parse_settings(data)
    if not isinstance(character := data.get("character", False), bool):
        raise ValueError("character")
    return LinePreset(settings, character)
