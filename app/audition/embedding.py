"""Sounds of takes on their way between a project's file and the folder that they are played from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.audition.take_store import TakeStore, folder_of
from app.core.project import Project
from app.core.takes import sounds_in
from app.errors import InputError, OutputFileError
from app.interchange.embedded import MOST_SOUND_BYTES
from app.interchange.koebako import read_project


def packed(project: Project, places: Iterable[Path | None]) -> tuple[Project, int]:
    """The project with its sounds, and how many did not fit: those of tests come first, then starred takes, then the newest.

    Args:
        places: project files beside which the sounds may lie, or which hold them; None is a script without a name.
    """
    places = tuple(dict.fromkeys(places))
    sounds: dict[str, bytes] = {}
    room, left_out = MOST_SOUND_BYTES, 0
    for name, content in _found(_wanted(project), places):
        if len(content) <= room:
            sounds[name] = content
            room -= len(content)
        else:
            left_out += 1
    return replace(project, sounds=sounds), left_out


def unpacked(project: Project, path: Path) -> Project:
    """The project without its sounds, which lie beside it then; where nothing can be written there, in the data folder.

    Where there is no room either, the project opens all the same, and the takes say that their sounds are missing.
    """
    stores = TakeStore(folder_of(path)), TakeStore(folder_of(None))
    for name in _wanted(project):
        if name in project.sounds:
            _put(stores, name, project.sounds[name])
    return replace(project, sounds={})


def put_beside(project: Project, path: Path, before: Path | None) -> None:
    """Puts the sounds that a project names beside the file that is about to be written, from wherever they are; those that are gone stay gone.

    Raises OutputFileError: the file must not be written then. Sounds that the file holds itself may lie in the data folder as well.

    Args:
        before: the file that the project had until now.
    """
    folder, held = TakeStore(folder_of(path)), TakeStore(folder_of(None))
    for name, content in project.sounds.items():
        _put((folder, held), name, content)
    names = [name for name in _wanted(project) if name not in project.sounds]
    for store in (held, *([TakeStore(folder_of(before))] if before not in (None, path) else ())):
        folder.adopt(store, names)
    missing = [name for name in names if not folder.has(name)]
    inside = _inside((path, before)) if missing else {}
    for name in filter(inside.__contains__, missing):
        folder.put(name, inside[name])
    folder.sync()


def lacks_sounds(project: Project, path: Path) -> bool:
    """The folder beside the file is not there any more, or not all that takes need is in it."""
    store = TakeStore(folder_of(path))
    return not all(map(store.has, _wanted(project)))


def _wanted(project: Project) -> list[str]:
    newest = project.takes[::-1]
    takes = sorted(newest, key=lambda take: not take.starred)
    names = (*sorted(sounds_in(project.tests)), *(take.sound for take in takes))
    return list(dict.fromkeys(filter(None, names)))


def _put(stores: Iterable[TakeStore], name: str, content: bytes) -> None:
    for store in stores:
        with suppress(OutputFileError):
            store.put(name, content)
            return


def _found(names: Iterable[str], places: tuple[Path | None, ...]) -> Iterator[tuple[str, bytes]]:
    """Those that are anywhere. A file is read only where a folder lacks something: somebody has removed it, as the file alone is enough."""
    stores = [TakeStore(folder_of(place)) for place in places]
    inside: dict[str, bytes] | None = None
    for name in names:
        content = next(filter(None, (_content(store, name) for store in stores)), b"")
        if not content:
            inside = _inside(places) if inside is None else inside
            content = inside.get(name, b"")
        if content:
            yield name, content


def _content(store: TakeStore, name: str) -> bytes:
    try:
        return store.content(name)
    except InputError:
        return b""


def _inside(places: tuple[Path | None, ...]) -> dict[str, bytes]:
    sounds: dict[str, bytes] = {}
    for place in filter(None, places):
        with suppress(InputError):
            sounds |= read_project(place).sounds
    return sounds
