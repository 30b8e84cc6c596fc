"""The files of presets: that of the user, and those that are passed on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.presets import MOST_PRESETS, Preset, Presets, presets_from_data, presets_to_data, strange_presets_from_data
from app.data_file import FAULTS, load_data, read_patiently, save_data, versioned
from app.errors import AppError, InputError
from app.json_text import parse_json
from app.language import localized
from app.paths import data_dir
from app.system_errors import reason_of

VERSION = 1
LARGEST_BYTES, MOST_VALUES = 4 << 20, 50 * MOST_PRESETS
"""Of a file that somebody passed on: a preset has some 500 bytes."""


def presets_path() -> Path:
    """Where they are kept."""
    return data_dir() / "presets.json"


def standard_name() -> str:
    """The preset that is always there: everything at its default."""
    return localized("標準", "Default")


def load_presets() -> tuple[dict[str, Preset], AppError | None]:
    """The presets by name; what cannot be read is kept in a copy and reported."""
    presets, error = load_data(presets_path(), _read, localized("プリセットを読み込めませんでした。", "The presets could not be read."))
    return presets or {}, error


def save_presets(presets: Presets, path: Path | None = None) -> None:
    """Writes all of them, where they are kept or into a file to be passed on; OutputFileError where that fails."""
    data = {"version": VERSION, "presets": presets_to_data(presets)}
    save_data(path or presets_path(), data, localized("プリセットを保存できません", "The presets could not be saved"))


def read_presets(path: Path) -> dict[str, Preset]:
    """Those of a file that was passed on; InputError where it is none."""
    try:
        data = parse_json(read_patiently(path, LARGEST_BYTES), most_values=MOST_VALUES)
        return strange_presets_from_data(versioned(data, VERSION, "presets"))
    except FAULTS as exc:
        hint = localized("Koebako から書き出したプリセットのファイルを選んでください。", "Choose a preset file that Koebako exported.")
        details = f"{hint}（{reason_of(exc)}）" if isinstance(exc, OSError) else hint
        raise InputError(localized(f"「{path.name}」を読み込めません。", f"“{path.name}” cannot be read."), details) from exc


def merged(presets: Presets, added: Presets) -> dict[str, Preset]:
    """All of both; an added one whose name stands for something else gets a number."""
    result = dict(presets)
    for name, preset in added.items():
        result[free_name(result, name, preset)] = preset
    return result


def free_name(presets: Presets, name: str, preset: Preset) -> str:
    """The name under which a preset joins others: its own, or with a number where that stands for something else."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(presets) + 3)))
    return next(name for name in names if (name not in presets and name != standard_name()) or presets.get(name) == preset)


def _read(data: Any) -> dict[str, Preset]:
    return presets_from_data(versioned(data, VERSION, "presets"))
