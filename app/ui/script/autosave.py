"""The script on the disk, a moment after each change: a crash costs seconds, not work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from app.core.script import Script
from app.core.script_data import script_from_data, script_to_data
from app.data_file import load_data, save_data
from app.errors import AppError
from app.language import localized
from app.paths import data_dir
from app.ui.kept_file import KeptFile
from app.ui.script.document import ScriptDocument
from app.ui.script.take_seeds import TakeSeeds

SAVE_AFTER_MS = 2000  # from the first change on, however many follow: never more than this is lost


def autosave_path() -> Path:
    """Where the script is kept between starts."""
    return data_dir() / "autosave.json"


def load_autosave() -> tuple[Script | None, str, AppError | None]:
    """The script, the id of its current line, and the error to show; None where there is none or it cannot be read."""
    failed = localized("前回の台本を読み込めませんでした。", "The previous script could not be read.")
    found, error = load_data(autosave_path(), _read, failed)
    return (*(found or (None, "")), error)


def write_autosave(script: Script, current: str) -> None:
    """Writes the script at once. Raises OutputFileError."""
    data = script_to_data(script) | {"current": current}
    save_data(autosave_path(), data, localized("台本を自動保存できません", "The script could not be saved automatically"), indent=None)


def _read(data: Any) -> tuple[Script, str]:
    return script_from_data(data), str(data.get("current", ""))


class Autosave(KeptFile):
    """The script.

    Args:
        seeds: what lines were rendered with last, which is kept as well.
        current: id of the line that the user is at.
    """

    def __init__(self, document: ScriptDocument, seeds: TakeSeeds, current: Callable[[], str]) -> None:
        super().__init__(document, "autosave", lambda: partial(write_autosave, seeds.applied_to(document.script), current()), SAVE_AFTER_MS)
        document.changed.connect(self.changed)
        seeds.changed.connect(self.changed)
