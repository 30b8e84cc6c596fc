"""Whether every sound is there that anything on the disk names: what a kill at this moment would leave."""

import hashlib
from collections.abc import Collection
from functools import cache
from pathlib import Path

from app.audition.take_store import find_sound_folder
from app.core.script.project import Project, find_sounds, list_sounds
from app.interchange.koebako_files import read_project
from app.ui.script.autosave import load_autosave


def losses(folder: Path, expected: Collection[str]) -> list[str]:
    """What is missing, for people.

    Args:
        folder: of the projects.
        expected: ids of takes that were reported as kept, and that nobody deleted.
    """
    found: list[str] = []
    there: set[str] = set()
    for file in sorted(folder.rglob("*.koebako")):
        takes, named, inside = _content(file, _stamp(file))
        there |= takes
        found += [f"{file.name} names {name}" for name in named - inside if not _is_whole(file, name)]
    kept = load_autosave()
    if kept.error is not None:
        found.append(f"the recovery cannot be read: {kept.error.message}")
    there |= {take.id for take in kept.origin.parts.takes}
    file = Path(kept.origin.file) if kept.origin.file else None
    places = [None, file] if file is None or file.exists() else [None, *folder.rglob("*.koebako")]  # the user has moved it
    found += [f"the recovery names {name}" for name in _named(kept.origin.parts) if not any(_is_whole(place, name) for place in places)]
    return found + [f"the take {take} is nowhere" for take in sorted(set(expected) - there)]


def move_project(path: Path, target: Path) -> None:
    """As a file manager does, with the folder beside it."""
    if find_sound_folder(path).exists():
        find_sound_folder(path).rename(find_sound_folder(target))
    path.rename(target)


def _stamp(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


@cache
def _content(file: Path, _stamp: tuple[int, ...]) -> tuple[set[str], frozenset[str], frozenset[str]]:
    """Ids of the takes of a project, the sounds that it names, and those in it."""
    project = read_project(file)
    return {take.id for take in project.takes}, _named(project), frozenset(project.sounds)


def _named(project: Project) -> frozenset[str]:
    return list_sounds(project.takes) | find_sounds(project.tests)


def _is_whole(file: Path | None, name: str) -> bool:
    path = find_sound_folder(file) / name
    try:
        return _digest(path, _stamp(path)) == name
    except OSError:
        return False


@cache
def _digest(path: Path, _stamp: tuple[int, ...]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
