"""Projects on the disk, for the background: what reads and writes them is imported there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.core.project import Project
from app.core.script import Script
from app.ui.script.autosave import autosave_path

if TYPE_CHECKING:
    from app.interchange.koebako import OpenedProject

Fate = Literal["same", "other", "gone"]


@dataclass(frozen=True, slots=True)
class Found:
    """A project as its file holds it now.

    Attributes:
        project: None where it was not read.
        fate: of the file since it was read last.
        dropped: what could not be read, a sentence each.
    """

    fate: Fate
    project: Project | None = None
    digest: str = ""
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A project in its file.

    Attributes:
        left_out: sounds that did not fit.
    """

    digest: str
    left_out: int = 0


def read(path: Path) -> OpenedProject:
    """The project; the sounds that its file holds lie where takes are played from. Raises InputError."""
    from app.interchange.koebako import open_project

    opened = open_project(path)
    return replace(opened, project=_unpacked(opened.project, path))


def write(path: Path, project: Project, expected: str | None, before: Path | None = None) -> Written | None:
    """The new file, beside which all sounds lie before it names them; None, and nothing is written, where the old one is not as expected.

    Raises OutputFileError.

    Args:
        expected: digest of what may be replaced; None replaces anything.
        before: the file that the project had until now.
    """
    from app.interchange.koebako import digest_of_file, write_project

    if expected is not None and digest_of_file(path) not in ("", expected):
        return None
    left_out = 0
    if project.takes or project.tests:
        from app.audition.embedding import packed, put_beside

        if project.embeds:
            project, left_out = packed(project, (path, before, None))
        put_beside(project, path, before)
    return Written(write_project(path, project), left_out)


def clean(path: Path, needed: Collection[str]) -> None:
    """Removes the sounds beside a project that nobody names any more, `needed` being what the window names."""
    from app.audition import sound_upkeep

    sound_upkeep.clean(path, autosave_path(), needed)


def look(path: Path, digest: str, parts: Project) -> Found:
    """What a file holds now; sounds that are only in it any more come out of it."""
    from app.errors import InputError
    from app.interchange.koebako import digest_of_file

    now = digest_of_file(path)
    if now == digest and not (parts.embeds and _lacks_sounds(parts, path)):
        return Found("same")
    try:
        opened = read(path)
        return Found("same") if now == digest else Found("other", opened.project, opened.digest, opened.dropped)
    except InputError:  # gone, or no project any more
        return Found("gone" if not now else "other")


def _unpacked(project: Project, path: Path) -> Project:
    if not project.sounds:
        return project
    from app.audition.embedding import unpacked

    return unpacked(project, path)


def _lacks_sounds(parts: Project, path: Path) -> bool:
    from app.audition.embedding import lacks_sounds

    return lacks_sounds(parts, path)


def holds(project: Project, script: Script, parts: Project) -> bool:
    """Whether a file has all that is shown; names of voices are not edited."""
    same = project.script.lines == script.lines
    return same and replace(project, script=Script(), current="", voices=()) == replace(parts, script=Script(), current="", voices=())
