"""A project as plain data for JSON. The schema is described in the help page `project-file`; a project may be a stranger's, so all of it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from app.core.dictionary_data import from_data as dictionary_from_data
from app.core.dictionary_data import to_data as dictionary_to_data
from app.core.presets import presets_to_data, strange_presets_from_data
from app.core.project import Character, Project, VoiceReference
from app.core.script_data import script_from_data, script_to_data
from app.core.takes_data import takes_from_data, takes_to_data
from app.json_text import long_text, short_text

FORMAT, VERSION = "koebako-project", 1
MOST_VOICES, MOST_CHARACTERS, MOST_TESTS = 1_000, 10_000, 1_000
LONGEST_ADDRESS = 2_000
_KNOWN = ("format", "version", "script", "current", "voices", "characters", "dictionary", "export", "takes", "presets", "tests", "sounds")
Named = TypeVar("Named", VoiceReference, Character)


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


def project_from_data(data: object) -> Project:
    """Raises ValueError (InputError for a word), saying what is wrong, for what no version has written. Unknown fields are kept in `others`."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError("no project")
    if data.get("version") != VERSION:
        raise ValueError(f"version {data.get('version')!r}")
    export = data.get("export", {})
    if not isinstance(export, dict) or not isinstance(data.get("sounds", {}), dict):
        raise ValueError("export or sounds")
    return Project(
        script=script_from_data(data.get("script")),
        current=short_text(data.get("current", "")),
        voices=_list_from_data(data.get("voices", []), MOST_VOICES, _voice),
        characters=_list_from_data(data.get("characters", []), MOST_CHARACTERS, _character),
        dictionary=dictionary_from_data(data["dictionary"]) if "dictionary" in data else (),
        export=export,
        takes=takes_from_data(data.get("takes", [])),
        presets=strange_presets_from_data(data.get("presets", {})),
        tests=tuple(_objects(data.get("tests", []), MOST_TESTS)),
        embeds="sounds" in data,
        others={name: value for name, value in data.items() if name not in _KNOWN},
    )


def _texts_to_data(item: VoiceReference | Character) -> dict[str, str]:
    return {field.name: value for field in fields(item) if (value := getattr(item, field.name))}


def _list_from_data(data: object, most: int, read: Callable[[dict[str, Any]], Named]) -> tuple[Named, ...]:
    return tuple(map(read, _objects(data, most)))


def _objects(data: object, most: int) -> list[dict[str, Any]]:
    if not isinstance(data, list) or len(data) > most or not all(isinstance(item, dict) for item in data):
        raise ValueError("a list")
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
