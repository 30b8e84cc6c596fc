"""The script on the disk, a moment after each change: a crash costs seconds, not work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from app.common.errors import AppError
from app.common.files.atomic_write import encode_readable_json, load_data, save_bytes
from app.common.files.paths import find_data_dir
from app.common.language import localize
from app.core.script.script import Script
from app.core.script.script_data import convert_script_to_data, parse_script
from app.ui.autosaved_file import AutosavedFile
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_origin import ScriptOrigin, dump_script_origin, parse_script_origin

AUTOSAVE_DELAY_MS = 2000  # from the first change on, however many follow: never more than this is lost


class AutosaveState(NamedTuple):
    """The last content of the window.

    Attributes:
        script: None where there is none, or it cannot be read.
        current: id of the line that the user was at.
        origin: where the script belongs.
        error: to be shown.
    """

    script: Script | None
    current: str
    origin: ScriptOrigin
    error: AppError | None


def locate_autosave_file() -> Path:
    """Return where the script is kept between starts."""
    return find_data_dir() / "autosave.json"


def load_autosave() -> AutosaveState:
    """Return what was written last."""
    failed = localize("前回の台本を読み込めませんでした。", "The previous script could not be read.")
    found, error = load_data(locate_autosave_file(), _parse_autosave, failed)
    script, current, origin = found or (None, "", ScriptOrigin())
    return AutosaveState(script, current, origin, error)


def write_autosave(script: Script, current: str, origin: ScriptOrigin | None = None) -> None:
    """Write the script at once; raise OutputFileError if the disk refuses it."""
    project = dump_script_origin(origin or ScriptOrigin())
    data = convert_script_to_data(script) | {"current": current} | ({"project": project} if project else {})
    save_bytes(
        locate_autosave_file(),
        encode_readable_json(data),
        localize("台本を自動保存できません", "The script could not be saved automatically"),
    )


def _parse_autosave(data: Any) -> tuple[Script, str, ScriptOrigin]:
    own = {name: value for name, value in data.items() if name not in ("current", "project")}
    script, origin = parse_script(own), parse_script_origin(data.get("project"))
    if cast := origin.parts.script.cast:
        from app.core.script.project_data import cast_named_voices  # needed once, after a version that kept the names beside the script

        script, origin = cast_named_voices(script, cast), replace(origin, parts=replace(origin.parts, script=Script(), assignments=()))
    return script, str(data.get("current", "")), origin


class Autosave(AutosavedFile):
    """The script.

    Args:
        seeds: what lines were rendered with last, which is kept as well.
        current: id of the line that the user is at.
        origin: where the script belongs.
    """

    def __init__(self, document: ScriptDocument, seeds: LineSeeds, current: Callable[[], str], origin: Callable[[], ScriptOrigin]) -> None:
        def take_snapshot() -> Callable[[], None]:
            return partial(write_autosave, seeds.apply_last_seeds(document.script), current(), origin())

        super().__init__(document, "autosave", take_snapshot, AUTOSAVE_DELAY_MS)
        document.changed.connect(self.schedule_save)
        seeds.changed.connect(self.schedule_save)
