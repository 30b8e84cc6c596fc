"""The script on the disk, a moment after each change: a crash costs seconds, not work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from app.core.script import Script
from app.core.script_data import script_from_data, script_to_data
from app.data_file import load_data, save_bytes, script_bytes
from app.errors import AppError
from app.language import localized
from app.paths import data_dir
from app.ui.kept_file import KeptFile
from app.ui.script.document import ScriptDocument
from app.ui.script.origin import Origin, origin_from_data, origin_to_data
from app.ui.script.take_seeds import TakeSeeds

SAVE_AFTER_MS = 2000  # from the first change on, however many follow: never more than this is lost


class Kept(NamedTuple):
    """What the window held last.

    Attributes:
        script: None where there is none, or it cannot be read.
        current: id of the line that the user was at.
        origin: where the script belongs.
        error: to be shown.
    """

    script: Script | None
    current: str
    origin: Origin
    error: AppError | None


def autosave_path() -> Path:
    """Where the script is kept between starts."""
    return data_dir() / "autosave.json"


def load_autosave() -> Kept:
    """What was written last."""
    failed = localized("前回の台本を読み込めませんでした。", "The previous script could not be read.")
    found, error = load_data(autosave_path(), _read, failed)
    script, current, origin = found or (None, "", Origin())
    return Kept(script, current, origin, error)


def write_autosave(script: Script, current: str, origin: Origin | None = None) -> None:
    """Writes the script at once. Raises OutputFileError."""
    project = origin_to_data(origin or Origin())
    data = script_to_data(script) | {"current": current} | ({"project": project} if project else {})
    save_bytes(autosave_path(), script_bytes(data), localized("台本を自動保存できません", "The script could not be saved automatically"))


def _read(data: Any) -> tuple[Script, str, Origin]:
    return script_from_data(data), str(data.get("current", "")), origin_from_data(data.get("project"))


class Autosave(KeptFile):
    """The script.

    Args:
        seeds: what lines were rendered with last, which is kept as well.
        current: id of the line that the user is at.
        origin: where the script belongs.
    """

    def __init__(self, document: ScriptDocument, seeds: TakeSeeds, current: Callable[[], str], origin: Callable[[], Origin]) -> None:
        def snapshot() -> Callable[[], None]:
            return partial(write_autosave, seeds.applied_to(document.script), current(), origin())

        super().__init__(document, "autosave", snapshot, SAVE_AFTER_MS)
        document.changed.connect(self.changed)
        seeds.changed.connect(self.changed)
