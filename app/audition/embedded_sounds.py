"""Sounds of takes on their way between a project's file and the folder that they are played from."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.audition.take_store import TakeStore, find_sound_folder
from app.common.errors import InputError, OutputFileError
from app.core.script.project import Project, find_sounds
from app.interchange.koebako_files import MAX_EMBEDDED_SOUND_BYTES, read_project


def pack_sounds(project: Project, project_paths: Iterable[Path | None]) -> tuple[Project, int]:
    """Return the project with its sounds, and how many did not fit: those of tests come first, then starred takes, then the newest.

    Args:
        project_paths: project files that the sounds may be next to, or that include them; None is a script without a name.
    """
    project_paths = tuple(dict.fromkeys(project_paths))
    sounds: dict[str, bytes] = {}
    room, left_out = MAX_EMBEDDED_SOUND_BYTES, 0
    for name, content in _read_sounds(_list_wanted_sounds(project), project_paths):
        if len(content) <= room:
            sounds[name] = content
            room -= len(content)
        else:
            left_out += 1
    return replace(project, sounds=sounds), left_out


def unpack_sounds(project: Project, path: Path) -> Project:
    """Move the sounds next to the project's file, or into the data folder if that fails, and return the project without them.

    Where there is no room either, the project opens all the same, and the takes say that their sounds are missing.
    """
    stores = TakeStore(find_sound_folder(path)), TakeStore(find_sound_folder(None))
    for name in _list_wanted_sounds(project):
        if name in project.sounds:
            _store_sound(stores, name, project.sounds[name])
    return replace(project, sounds={})


def copy_sounds_beside(project: Project, path: Path, previous_path: Path | None) -> None:
    """Copy the sounds that a project names next to the file that is about to be written; missing ones stay missing.

    Raises OutputFileError: the file must not be written then. Sounds that the file includes may be in the data folder as well.

    Args:
        previous_path: the file that the project had until now.
    """
    folder, held_store = TakeStore(find_sound_folder(path)), TakeStore(find_sound_folder(None))
    for name, content in project.sounds.items():
        _store_sound((folder, held_store), name, content)
    names = [name for name in _list_wanted_sounds(project) if name not in project.sounds]
    for store in (held_store, *([TakeStore(find_sound_folder(previous_path))] if previous_path not in (None, path) else ())):
        folder.take_over_sounds(store, names)
    missing = [name for name in names if not folder.has_sound(name)]
    inside = _read_embedded_sounds((path, previous_path)) if missing else {}
    for name in filter(inside.__contains__, missing):
        folder.write_content(name, inside[name])
    folder.sync_folder()


def hold_sounds(names: Iterable[str], path: Path) -> None:
    """Copy sounds that are next to a project into the data folder, where every file of the script finds them; raise OutputFileError."""
    TakeStore(find_sound_folder(None)).take_over_sounds(TakeStore(find_sound_folder(path)), names)


def is_missing_sounds(project: Project, path: Path) -> bool:
    """Return whether the folder next to the file is gone, or lacks sounds that takes need."""
    return not all(map(TakeStore(find_sound_folder(path)).has_sound, _list_wanted_sounds(project)))


def _list_wanted_sounds(project: Project) -> list[str]:
    newest = project.takes[::-1]
    takes = sorted(newest, key=lambda take: not take.starred)
    names = (*sorted(find_sounds(project.tests)), *(take.sound for take in takes))
    return list(dict.fromkeys(filter(None, names)))


def _store_sound(stores: Iterable[TakeStore], name: str, content: bytes) -> None:
    for store in stores:
        with suppress(OutputFileError):
            store.write_content(name, content)
            return


def _read_sounds(names: Iterable[str], project_paths: tuple[Path | None, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the sounds that exist anywhere. A file is read only if a folder lacks something: users may remove the folder, as the file alone is enough."""
    stores = [TakeStore(find_sound_folder(path)) for path in project_paths]
    inside: dict[str, bytes] | None = None
    for name in names:
        content = b""
        for store in stores:
            with suppress(InputError):
                content = store.read_content(name)
                break
        if not content:
            inside = _read_embedded_sounds(project_paths) if inside is None else inside
            content = inside.get(name, b"")
        if content:
            yield name, content


def _read_embedded_sounds(project_paths: tuple[Path | None, ...]) -> dict[str, bytes]:
    sounds: dict[str, bytes] = {}
    for path in filter(None, project_paths):
        with suppress(InputError):
            sounds |= read_project(path).sounds
    return sounds
