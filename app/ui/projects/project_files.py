"""Projects on the disk, for the background: what reads and writes them is imported there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project
from app.core.script.script import Script
from app.ui.script.autosave import locate_autosave_file

if TYPE_CHECKING:
    from app.interchange.koebako_files import ProjectFileContent

FileFate = Literal["same", "other", "gone"]


@dataclass(frozen=True, slots=True)
class ProjectFileState:
    """A project as its file holds it now."""

    fate: FileFate  # of the file since it was read last
    project: Project | None = None  # None where it was not read
    digest: str = ""
    dropped: tuple[str, ...] = ()  # what could not be read, a sentence each


@dataclass(frozen=True, slots=True)
class ProjectWriteResult:
    """A project in its file; `left_out` counts the sounds that did not fit."""

    digest: str
    left_out: int = 0


def read_project_file(path: Path) -> ProjectFileContent:
    """Return the project, with the sounds in its file put where takes are played from; raise InputError if it cannot be read."""
    from app.interchange.koebako_files import open_project

    opened = open_project(path)
    if not opened.project.sounds:
        return opened
    from app.audition.embedded_sounds import unpack_sounds

    return replace(opened, project=unpack_sounds(opened.project, path))


def write_project_file(
    path: Path, project: Project, expected_digest: str | None, previous_path: Path | None = None, restorable: Collection[str] = ()
) -> ProjectWriteResult | None:
    """Write the file after storing all sounds next to it; return None and write nothing if the old file is not the expected one.

    Raises OutputFileError.

    Args:
        expected_digest: digest of what may be replaced; None replaces anything.
        previous_path: the file that the project had until now.
        restorable: sounds that no take names, such as those of deleted takes that can be put back.
    """
    from app.adapters.files.file_lock import lock_user_file
    from app.interchange.koebako_files import compute_file_digest, write_project

    left_out = 0
    # Of two windows that save at the same time the second one has to see what the first one wrote.
    with lock_user_file(path):
        if expected_digest is not None and compute_file_digest(path) not in ("", expected_digest):
            return None
        if project.takes or project.tests:
            from app.audition.embedded_sounds import copy_sounds_beside, pack_sounds

            if project.embeds:
                project, left_out = pack_sounds(project, (path, previous_path, None))
            copy_sounds_beside(project, path, previous_path)
        if restorable and previous_path not in (None, path):
            from app.audition.embedded_sounds import hold_sounds

            hold_sounds(restorable, previous_path)
        return ProjectWriteResult(write_project(path, project), left_out)


def remove_unneeded_sounds(path: Path, needed: Collection[str]) -> None:
    """Remove the stored sounds that neither the project's file nor the window names; `needed` are the window's."""
    from app.audition import take_store

    take_store.remove_unneeded_sounds(path, locate_autosave_file(), needed)


def compare_project_file(path: Path, digest: str, parts: Project) -> ProjectFileState:
    """Return what a file holds now; sounds that are only in it any more come out of it."""
    from app.common.errors import InputError
    from app.interchange.koebako_files import compute_file_digest

    file_digest = compute_file_digest(path)
    if file_digest == digest and not (parts.embeds and _is_missing_sounds(parts, path)):
        return ProjectFileState("same")
    try:
        opened = read_project_file(path)
    except InputError:  # gone, or no project any more
        return ProjectFileState("other" if file_digest else "gone")
    return ProjectFileState("same") if file_digest == digest else ProjectFileState("other", opened.project, opened.digest, opened.losses)


def _is_missing_sounds(parts: Project, path: Path) -> bool:
    from app.audition.embedded_sounds import is_missing_sounds

    return is_missing_sounds(parts, path)


def is_equal_project(project: Project, script: Script, parts: Project) -> bool:
    """Return whether a file has all that is shown; names of voices are not edited."""
    in_file, in_window = (replace(item, script=Script(), current="", voices=()) for item in (project, parts))
    return project.script.lines == script.lines and in_file == in_window


def build_project_filter() -> str:
    """Return the filter of dialogs that ask for project files."""
    return localize("Koebako のプロジェクト", "Koebako projects") + f" (*{PROJECT_SUFFIX})"
