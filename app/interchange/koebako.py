"""Our own project files, `.koebako`: JSON, whole at every moment."""

from __future__ import annotations

import hashlib
import math
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.project import PROJECT_SUFFIX, Project
from app.core.project_data import VERSION, project_from_data, project_to_data
from app.core.tidy_project import tidy
from app.data_file import FAULTS, PRIVATE, read_patiently, save_bytes, script_bytes
from app.errors import InputError
from app.interchange.embedded import MOST_WRITTEN_BYTES, sounds_from_data, sounds_to_data, written_bytes
from app.interchange.file_bytes import LARGEST_PROJECT_BYTES, read_bytes, too_large
from app.interchange.limits import Allowance
from app.interchange.project_losses import ProjectLosses
from app.json_text import parse_json
from app.language import localized

SUFFIX = PROJECT_SUFFIX
LARGEST_BYTES = LARGEST_PROJECT_BYTES + MOST_WRITTEN_BYTES  # the second for sounds alone
MOST_VALUES = 3_000_000
"""30,000 lines with edits take a fifth of that."""


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """A project as its file holds it.

    Attributes:
        digest: of the very bytes that said so.
        dropped: what could not be read, a sentence each.
    """

    project: Project
    digest: str
    dropped: tuple[str, ...] = ()


def read_project(path: Path) -> Project:
    """What can be read of it. Raises InputError as `open_project`."""
    return open_project(path).project


def open_project(path: Path) -> OpenedProject:
    """What cannot be read costs its value or its line. Raises InputError where there is no file, or none that this version understands."""
    content = read_bytes(path, LARGEST_BYTES)
    try:
        data = _parsed(content.decode("utf-8-sig", "surrogatepass"))
    except FAULTS as exc:
        raise _damaged(path) from exc
    losses = ProjectLosses()
    project = _checked(path, data, losses)
    sounds = data["sounds"] if project.embeds else {}
    if len(content) - written_bytes(sounds) > LARGEST_PROJECT_BYTES:
        raise too_large(path, LARGEST_PROJECT_BYTES)
    return OpenedProject(replace(project, sounds=sounds_from_data(sounds)), _digest(content), losses.sentences())


def write_project(path: Path, project: Project) -> str:
    """Writes it at once and returns the digest of the file; the old one stays until the new one is complete. Raises OutputFileError."""
    data = project_to_data(project)
    content = script_bytes(data | {"sounds": sounds_to_data(project.sounds)} if project.embeds else data)
    failed = localized("プロジェクトを保存できません", "The project could not be saved")
    save_bytes(path, content, failed, _mode_of(path))
    return _digest(content)


def digest_of_file(path: Path) -> str:
    """Of what a file holds now; empty where there is none, a word of its own for one that cannot be read."""
    try:
        return _digest(read_patiently(path, LARGEST_BYTES))
    except FileNotFoundError:
        return ""
    except OSError:
        return "unreadable"


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _mode_of(path: Path) -> int:
    """Who may read the file that is replaced; a new one is the user's own."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o666
    except (OSError, ValueError):
        return PRIVATE


def _parsed(text: str) -> Any:
    """With None for numbers that are none."""
    try:
        return parse_json(text, most_values=MOST_VALUES)
    except ValueError:
        return _finite(parse_json(text, most_values=MOST_VALUES, forgiving=True))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _checked(path: Path, data: object, losses: ProjectLosses) -> Project:
    if isinstance(data, dict) and isinstance(version := data.get("version"), int) and version > VERSION:
        raise _unusable(path, localized("新しいバージョンの Koebako で開いてください。", "Open it with a newer version of Koebako."))
    _check_size(path.name, data)
    try:
        project = project_from_data(data, losses.lose)
    except FAULTS as exc:
        raise _damaged(path) from exc
    return tidy(project)


def _check_size(name: str, data: object) -> None:
    """Raises InputError for more than a script can have, before lines are made of it."""
    script = data.get("script") if isinstance(data, dict) else None
    lines = script.get("lines") if isinstance(script, dict) else None
    allowance = Allowance(name)
    for line in lines if isinstance(lines, list) else ():
        text = line.get("text") if isinstance(line, dict) else None
        allowance.take_lines(1)
        allowance.take_text(len(text) if isinstance(text, str) else 0)


def _damaged(path: Path) -> InputError:
    return _unusable(path, localized("Koebako のプロジェクトではないか、壊れています。", "It is not a Koebako project, or it is damaged."))


def _unusable(path: Path, hint: str) -> InputError:
    return InputError(localized(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."), hint)
