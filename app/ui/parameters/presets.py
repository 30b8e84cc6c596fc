"""Presets: sets of settings under names of the user's choice, in a file of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.limits import BOUNDS
from app.core.script import LineSettings
from app.core.script_data import settings_from_data, settings_to_data
from app.data_file import load_data, save_data, versioned
from app.errors import AppError
from app.language import localized
from app.paths import data_dir

VERSION = 1
PARTS = (*BOUNDS, "pauses")  # what a preset sets; voice, speaker, style, seed and assist text stay the line's own
STANDARD = LineSettings()

Presets = dict[str, LineSettings]


def presets_path() -> Path:
    """Where they are kept."""
    return data_dir() / "presets.json"


def standard_name() -> str:
    """The preset that is always there: everything at its default."""
    return localized("標準", "Default")


def preset_of(settings: LineSettings) -> LineSettings:
    """What of a line's settings belongs into a preset."""
    return replace(STANDARD, **{name: getattr(settings, name) for name in PARTS})


def load_presets() -> tuple[Presets, AppError | None]:
    """The presets by name; what cannot be read is kept in a copy and reported."""
    presets, error = load_data(presets_path(), _read, localized("プリセットを読み込めませんでした。", "The presets could not be read."))
    return presets or {}, error


def save_presets(presets: Presets) -> None:
    """Writes all of them; OutputFileError where that fails."""
    data = {"version": VERSION, "presets": {name: settings_to_data(item) for name, item in presets.items()}}
    save_data(presets_path(), data, localized("プリセットを保存できません", "The presets could not be saved"))


def _read(data: Any) -> Presets:
    return {name: settings_from_data(item) for name, item in versioned(data, VERSION, "presets").items()}
