"""Presets: sets of settings under names of the user's choice, in a file of their own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from app.core.limits import BOUNDS
from app.core.script import LineSettings
from app.core.script_data import settings_from_data, settings_to_data
from app.data_file import keep_copy, write_whole
from app.errors import AppError, InputError, OutputFileError
from app.language import say
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
    return say("標準", "Standard")


def preset_of(settings: LineSettings) -> LineSettings:
    """What of a line's settings belongs into a preset."""
    return replace(STANDARD, **{name: getattr(settings, name) for name in PARTS})


def load_presets() -> tuple[Presets, AppError | None]:
    """The presets by name; what cannot be read is kept in a copy and told."""
    path = presets_path()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("presets"), dict):
            raise ValueError("no presets")
        return {str(name): settings_from_data(item) for name, item in data["presets"].items()}, None
    except FileNotFoundError:
        return {}, None
    except (OSError, ValueError, RecursionError) as exc:
        copy = keep_copy(path)
        message = say(f"プリセットを読めませんでした。（{exc}）", f"The presets could not be read. ({exc})")
        return {}, InputError(message, say(f"元のファイルは {copy} に残してあります。", f"The file is kept as {copy}.") if copy else "")


def save_presets(presets: Presets) -> None:
    """Writes all of them; OutputFileError where that fails."""
    path = presets_path()
    data = {"version": VERSION, "presets": {name: settings_to_data(item) for name, item in presets.items()}}
    try:
        write_whole(path, json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"))
    except OSError as exc:
        raise OutputFileError(
            say(f"プリセットを保存できません: {path}", f"The presets cannot be saved: {path}"),
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc
