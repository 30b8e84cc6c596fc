"""A project as plain data for JSON. The schema is described in the help page `project-file`; a project may be a stranger's, so all of it is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, TypeVar

from app.core.dictionary_data import from_data as dictionary_from_data
from app.core.dictionary_data import to_data as dictionary_to_data
from app.core.presets import presets_to_data, strange_presets_from_data
from app.core.project import Character, Project, VoiceReference
from app.core.script_data import script_from_data, script_to_data
from app.core.takes_data import takes_from_data, takes_to_data
from app.core.tolerance import Lose, LoseAt, TooManyError, tolerating
from app.json_text import long_text, short_text

FORMAT, VERSION = "koebako-project", 1
MOST_VOICES, MOST_CHARACTERS, MOST_TESTS = 10_000, 10_000, 1_000  # lines of an imported script name as many voices as it has characters
LONGEST_ADDRESS = 2_000
_KNOWN = ("format", "version", "script", "current", "voices", "characters", "dictionary", "export", "takes", "presets", "tests", "sounds")
Value = TypeVar("Value")


def project_to_data(project: Project) -> dict[str, Any]:
    """What `project_from_data` reads; what is empty is left out, and so are the sounds: `app.interchange.koebako` writes them."""
    parts: dict[str, Any] = {
        "current": project.current,
        "voices": [_texts_to_data(voice) for voice in project.voices],
        "characters": [_texts_to_data(character) for character in project.characters],
        "dictionary": dictionary_to_data(project.dictionary) if project.dictionary else None,
        "export": dict(project.export),
        "takes": takes_to_data(project.takes),
        "presets": presets_to_data(project.presets),
        "tests": list(project.tests),
    }
    head = {"format": FORMAT, "version": VERSION, "script": script_to_data(project.script)}
    written = dict(project.others) | head | {name: part for name, part in parts.items() if part}
    return written | ({"sounds": {}} if project.embeds else {})


def project_from_data(data: object, lose: LoseAt | None = None) -> Project:
    """Raises ValueError (InputError for a word), saying what is wrong, for what no version has written. Unknown fields are kept in `others`.

    Args:
        lose: called with what cannot be read and the number of its line, as `script_from_data` does; the project then does without it. An
            error is raised only for what is no project, and where there is far too much of something.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError("no project")
    if data.get("version") != VERSION:
        raise ValueError(f"version {data.get('version')!r}")
    parts = _Parts(data, lose and partial(_of_project, lose))
    return Project(
        script=script_from_data(data.get("script"), lose),
        current=parts.read("current", "", short_text),
        voices=parts.each("voices", MOST_VOICES, _voice),
        characters=parts.each("characters", MOST_CHARACTERS, _character),
        dictionary=parts.read("dictionary", (), partial(dictionary_from_data, lose=parts.lose)),
        export=parts.read("export", {}, _object),
        takes=parts.read("takes", (), partial(takes_from_data, lose=parts.lose)),
        presets=parts.read("presets", {}, partial(strange_presets_from_data, lose=parts.lose)),
        tests=parts.each("tests", MOST_TESTS, _object),
        embeds=isinstance(parts.read("sounds", None, _object), dict),
        others={name: value for name, value in data.items() if name not in _KNOWN},
    )


def _of_project(lose: LoseAt, part: str) -> None:
    lose(part, 0)


class _Parts:
    """The fields of a project, each of which may be missing, or something else than it should be."""

    def __init__(self, data: Mapping[str, Any], lose: Lose | None) -> None:
        self._data, self.lose = data, lose

    def read(self, name: str, missing: Value, read: Callable[[Any], Value]) -> Value:
        """A field."""
        with tolerating(self.lose, name):
            if name in self._data:
                return read(self._data[name])
        return missing

    def each(self, name: str, most: int, read: Callable[[dict[str, Any]], Value]) -> tuple[Value, ...]:
        """The items of a list. Raises TooManyError."""
        given: list[Any] = self.read(name, [], _list)
        if len(given) > most:
            raise TooManyError(name)
        found = []
        for item in given:
            with tolerating(self.lose, name):
                found.append(read(_object(item)))
        return tuple(found)


def _texts_to_data(item: VoiceReference | Character) -> dict[str, str]:
    return {field.name: value for field in fields(item) if (value := getattr(item, field.name))}


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError("a list")
    return data


def _object(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError("an object")
    return data


def _voice(data: dict[str, Any]) -> VoiceReference:
    address = long_text(data.get("address", ""))
    if len(address) > LONGEST_ADDRESS or not (address == "" or address.startswith("https://")):
        raise ValueError("address")
    return VoiceReference(_text(data, "id"), _text(data, "name"), _text(data, "uuid"), address)


def _character(data: dict[str, Any]) -> Character:
    return Character(*(_text(data, field.name) for field in fields(Character)))


def _text(data: dict[str, Any], name: str) -> str:
    return short_text(data.get(name, ""))
