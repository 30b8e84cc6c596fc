"""The origin of the script on the screen: its project file, the other content of that file, and whether the file holds all of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from app.common.files.atomic_write import PARSE_FAULTS
from app.core.script.project import Project
from app.core.script.script import Script


@dataclass(frozen=True, slots=True)
class ScriptOrigin:
    """The facts kept beside the script while it is edited.

    Attributes:
        file: of the project; empty for a script without a name.
        digest: of what the file held when it was read or written here.
        is_changed: there is something that the file does not hold.
        parts: the project without its script.
    """

    file: str = ""
    digest: str = ""
    is_changed: bool = False
    parts: Project = field(default_factory=Project)


def dump_script_origin(origin: ScriptOrigin) -> dict[str, Any]:
    """Return what `parse_script_origin` reads; empty for a script that belongs to nothing."""
    if origin == ScriptOrigin(is_changed=origin.is_changed):
        return {}
    from app.core.script.project_data import convert_project_to_data  # scripts without a project start without it

    parts = convert_project_to_data(replace(origin.parts, script=Script()))
    return {"file": origin.file, "digest": origin.digest, "is_changed": origin.is_changed, "parts": parts}


def parse_script_origin(data: object) -> ScriptOrigin:
    """Return the origin, or None if no version has written such data: the script is worth more than its name."""
    if not data:
        return ScriptOrigin()
    from app.core.script.project_data import parse_project

    try:
        if not isinstance(data, dict):
            raise ValueError("no project")
        file, digest = data["file"], data["digest"]
        if not all(isinstance(text, str) and "\0" not in text for text in (file, digest)):
            raise ValueError("no name")
        return ScriptOrigin(file, digest, is_changed=data["is_changed"] is True, parts=parse_project(data["parts"]))
    except PARSE_FAULTS:
        return ScriptOrigin()
