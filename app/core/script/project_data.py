"""A project as plain data for JSON.

The help page `project-file` describes the schema. A project may come from a stranger, so every part is checked.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from operator import attrgetter
from typing import Any

from app.common.files.untrusted_json import MAX_INT64, require_int, require_number, require_object, sanitise_long_text, sanitise_short_text
from app.core.lenient_parsing import Parsed, ReportLoss, ReportLossAt, locate_losses, parse_items, read_field
from app.core.script.characters import MOST_CHARACTERS, CastBuilder
from app.core.script.project import (
    HIGHEST_RATING,
    LONGEST_NOTE,
    MOST_TAKES,
    LineTake,
    Project,
    VoiceAssignment,
    VoiceReference,
    convert_presets_to_data,
    is_sound_name,
    parse_untrusted_presets,
)
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.script.script_data import (
    convert_line_to_data,
    convert_script_to_data,
    dump_unknown,
    dump_unknown_of_line,
    load_unknown,
    parse_line,
    parse_script,
)
from app.core.text.dictionary_formats import convert_entries_to_data, parse_entries

MAX_TAKE_S = 24 * 3600.0
# Lines have others as well; whichever of them takes get later is unknown here.
_LINE_FIELDS_OF_TAKES = ("id", "text", "settings", "overrides")
_TAKE_FIELDS = (*_LINE_FIELDS_OF_TAKES, "line", "sound", "length_s", "size", "starred", "rating", "note")


def convert_takes_to_data(takes: Iterable[LineTake]) -> list[dict[str, Any]]:
    """Return the data that `parse_takes` reads, without empty values."""
    rows = []
    for take in takes:
        line = convert_line_to_data(Line(take.text, take.settings, take.overrides, take.id, unknown=take.unknown))
        take_values = {"line": take.line, "sound": take.sound, "length_s": take.length_s, "size": take.size}
        take_values |= {"starred": take.starred, "rating": take.rating, "note": take.note}
        rows.append(line | {name: value for name, value in take_values.items() if value})
    return rows


def parse_takes(data: object, lose: ReportLoss | None = None) -> tuple[LineTake, ...]:
    """Return the takes in the data. Raises ValueError for data no version has written; with `lose` an unreadable take is left out.

    Sounds are compared with their names later, when the sounds themselves are read.
    """
    return parse_items(data, "takes", MOST_TAKES, _parse_take, lose, attrgetter("id"))


def _parse_take(data: object) -> LineTake:
    if not isinstance(data, dict) or not data.get("id") or not isinstance(data.get("starred", False), bool):
        raise ValueError("a take")
    line = parse_line({name: data[name] for name in _LINE_FIELDS_OF_TAKES if name in data})
    sound, length_s = data.get("sound", ""), require_number(data.get("length_s", 0.0))
    if not (sound == "" or is_sound_name(sound)) or not 0 <= length_s <= MAX_TAKE_S:
        raise ValueError("a sound")
    return LineTake(
        line=sanitise_short_text(data.get("line", "")),
        text=line.text,
        settings=line.settings,
        overrides=line.overrides,
        sound=sound,
        length_s=length_s,
        size=require_int(data.get("size", 0), 0, MAX_INT64),
        starred=data.get("starred", False),
        rating=require_int(data.get("rating", 0), 0, HIGHEST_RATING),
        note=sanitise_long_text(data.get("note", ""))[:LONGEST_NOTE],
        id=sanitise_short_text(data["id"]),
        unknown=dump_unknown_of_line(data, _TAKE_FIELDS),
    )


FORMAT, VERSION, FIRST_VERSION = "koebako-project", 2, 1
MOST_VOICES, MOST_TESTS = MOST_CHARACTERS, 1_000  # lines of an imported script name as many voices as the script has characters
LONGEST_VOICE_ADDRESS = 2_000
_VOICE_FIELDS = ("id", "name", "uuid", "address")
_PROJECT_FIELDS = ("format", "version", "script", "current", "voices", "dictionary", "export", "takes", "presets", "tests", "sounds")


def convert_project_to_data(project: Project) -> dict[str, Any]:
    """Return the data that `parse_project` reads, without empty parts and without the sounds. The sounds are written by `app.interchange.koebako_files`."""
    values: dict[str, Any] = {
        "current": project.current,
        "voices": [
            load_unknown(voice.unknown) | {name: value for name in _VOICE_FIELDS if (value := getattr(voice, name))}
            for voice in project.voices
        ],
        "dictionary": convert_entries_to_data(project.dictionary) if project.dictionary else None,
        "export": dict(project.export),
        "takes": convert_takes_to_data(project.takes),
        "presets": convert_presets_to_data(project.presets),
        "tests": list(project.tests),
    }
    head = {"format": FORMAT, "version": VERSION, "script": convert_script_to_data(project.script)}
    written = dict(project.others) | head | {name: part for name, part in values.items() if part}
    return written | ({"sounds": {}} if project.embeds else {})


def parse_project(data: object, lose: ReportLossAt | None = None) -> Project:
    """Return the project in the data; unknown fields are kept in `others`.

    Raises ValueError (InputError for a word), which says what is wrong, for data that no version has written.

    Args:
        lose: called with what cannot be read and the number of its line, as `parse_script` does; the project then does without it. An
            error is raised only for what is no project, and where there is far too much of something.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError("no project")
    if data.get("version") not in (FIRST_VERSION, VERSION):
        raise ValueError(f"version {data.get('version')!r}")
    reader = _ProjectFieldReader(data, locate_losses(lose))
    script = parse_script(data.get("script"), lose)
    if data["version"] == FIRST_VERSION:
        script = cast_assigned_names(script, reader.read_items("characters", MOST_CHARACTERS, _parse_assignment))
    known_fields = _PROJECT_FIELDS if data["version"] == VERSION else (*_PROJECT_FIELDS, "characters")
    return Project(
        script=script,
        current=reader.read_field("current", "", sanitise_short_text),
        voices=reader.read_items("voices", MOST_VOICES, _parse_voice),
        assignments=list_unassigned_characters(script.cast),
        dictionary=reader.read_field("dictionary", (), partial(parse_entries, lose=reader.lose)),
        export=reader.read_field("export", {}, require_object),
        takes=reader.read_field("takes", (), partial(parse_takes, lose=reader.lose)),
        presets=reader.read_field("presets", {}, partial(parse_untrusted_presets, lose=reader.lose)),
        tests=reader.read_items("tests", MOST_TESTS, require_object),
        embeds=isinstance(reader.read_field("sounds", None, require_object), dict),
        others={name: value for name, value in data.items() if name not in known_fields},
    )


def cast_assigned_names(script: Script, assignments: Iterable[VoiceAssignment]) -> Script:
    """Return a script of version 1, which kept the names of imported files apart, with these names as its cast; see `cast_named_voices`."""
    cast = CastBuilder(script.cast)
    for assignment in assignments:
        cast.add_character(
            assignment.name,
            LineSettings(
                voice=assignment.voice or assignment.name, speaker=assignment.speaker if assignment.voice else "", style=assignment.style
            ),
        )
    return cast_named_voices(script, cast.cast)


def cast_named_voices(script: Script, cast: Iterable[Character]) -> Script:
    """Return the script with this cast; lines whose voice is only the name of a character become lines of that character."""
    characters = tuple(cast)
    ids = {character.name: character.id for character in characters if character.settings.voice == character.name}
    lines = tuple(replace(line, character=ids[line.settings.voice]) if line.settings.voice in ids else line for line in script.lines)
    return replace(script, lines=lines, cast=characters)


def list_unassigned_characters(cast: Iterable[Character]) -> tuple[VoiceAssignment, ...]:
    """Return the characters whose voice is no more than their name, as names that a voice is looked for."""
    return tuple(
        VoiceAssignment(character.name, speaker=character.name) for character in cast if character.settings.voice == character.name
    )


class _ProjectFieldReader:
    """Reads the fields of a project, each of which may be missing or of the wrong type."""

    def __init__(self, data: Mapping[str, Any], lose: ReportLoss | None) -> None:
        self._data, self.lose = data, lose

    def read_field(self, name: str, missing: Parsed, read: Callable[[Any], Parsed]) -> Parsed:
        """Return a field, or `missing` where the file has none."""
        return read_field(self._data, name, missing, read, self.lose)

    def read_items(self, name: str, max_items: int, read: Callable[[dict[str, Any]], Parsed]) -> tuple[Parsed, ...]:
        """Return the items of a list. Raises TooManyError."""
        return self.read_field(
            name, (), lambda data: parse_items(data, name, max_items, lambda item: read(require_object(item)), self.lose)
        )


def _parse_voice(data: dict[str, Any]) -> VoiceReference:
    address = sanitise_long_text(data.get("address", ""))
    if len(address) > LONGEST_VOICE_ADDRESS or not (address == "" or address.startswith("https://")):
        raise ValueError("address")
    unknown = dump_unknown(data, _VOICE_FIELDS)
    return VoiceReference(_read_text(data, "id"), _read_text(data, "name"), _read_text(data, "uuid"), address, unknown)


def _parse_assignment(data: dict[str, Any]) -> VoiceAssignment:
    return VoiceAssignment(*(_read_text(data, field.name) for field in fields(VoiceAssignment)))


def _read_text(data: dict[str, Any], name: str) -> str:
    return sanitise_short_text(data.get(name, ""))
