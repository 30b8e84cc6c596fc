"""Reads and writes preset files: the user's own, and those that are imported and exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.common.errors import AppError, InputError
from app.common.files.atomic_write import PARSE_FAULTS, check_version, load_data, read_with_retry, save_data
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import parse_json
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.script.presets import MOST_PRESETS, LinePreset, Presets, convert_presets_to_data, parse_presets, parse_untrusted_presets

PRESETS_VERSION = 1
LARGEST_BYTES, MOST_VALUES = 4 << 20, 50 * MOST_PRESETS
"""Limits (bytes, values) of an imported file; a preset has some 500 bytes."""


def locate_presets_file() -> Path:
    """Return the path of the user's presets."""
    return find_data_dir() / "presets.json"


def describe_default_preset() -> str:
    """Return the name of the built-in preset, which has every value at its default."""
    return localize("標準", "Default")


def load_presets() -> tuple[dict[str, LinePreset], AppError | None]:
    """Return the user's presets by name; a file that cannot be read is copied aside and reported."""
    presets, error = load_data(
        locate_presets_file(), _parse_presets, localize("プリセットを読み込めませんでした。", "The presets could not be read.")
    )
    return presets or {}, error


def save_presets(presets: Presets, path: Path | None = None) -> None:
    """Write all presets, to the user's own file or to an exported one. Raise OutputFileError where that fails."""
    data = {"version": PRESETS_VERSION, "presets": convert_presets_to_data(presets)}
    save_data(path or locate_presets_file(), data, localize("プリセットを保存できません", "The presets could not be saved"))


def read_presets(path: Path) -> dict[str, LinePreset]:
    """Return the presets of an imported file. Raise InputError where it is not a preset file."""
    try:
        data = parse_json(read_with_retry(path, LARGEST_BYTES), most_values=MOST_VALUES)
        return parse_untrusted_presets(check_version(data, PRESETS_VERSION, "presets"))
    except PARSE_FAULTS as exc:
        hint = localize("Koebako から書き出したプリセットのファイルを選んでください。", "Choose a preset file that Koebako exported.")
        details = f"{hint}（{describe_reason(exc)}）" if isinstance(exc, OSError) else hint
        raise InputError(localize(f"「{path.name}」を読み込めません。", f"“{path.name}” cannot be read."), details) from exc


def merge_presets(presets: Presets, added: Presets) -> dict[str, LinePreset]:
    """Return both sets of presets; an added one whose name is taken by a different preset gets a number."""
    result = dict(presets)
    for name, preset in added.items():
        result[choose_free_name(result, name, preset)] = preset
    return result


def choose_free_name(presets: Presets, name: str, preset: LinePreset) -> str:
    """Return the name for an added preset: its own, or one with a number where that belongs to a different preset."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(presets) + 3)))
    return next(name for name in names if (name not in presets and name != describe_default_preset()) or presets.get(name) == preset)


def _parse_presets(data: Any) -> dict[str, LinePreset]:
    return parse_presets(check_version(data, PRESETS_VERSION, "presets"))
