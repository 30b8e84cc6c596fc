"""The script as plain data for JSON: only values that differ from the defaults are written, and everything read is checked.

A line of a character is written as its deviations. Fields that a later version has added are kept at every level.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from functools import partial
from operator import attrgetter
from typing import Any, get_args, get_type_hints

from app.common.files.untrusted_json import MAX_INT64, require_int, require_number
from app.common.gil_yield import iterate_yielding_gil
from app.core.delivery import LATIN_READINGS, Bounds
from app.core.lenient_parsing import ReportLoss, ReportLossAt, UnreadableSkipper, locate_losses, parse_items, read_field
from app.core.script.characters import CHARACTER_COLOURS, MOST_ALIASES, MOST_CHARACTERS, MOST_PORTRAIT_CHARS, extract_character_settings
from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings, Script, create_line_id
from app.core.synthesis_types import (
    BOUNDS,
    INDEX_BOUNDS,
    LINE_PAUSE_BOUNDS,
    MORA_PITCH_BOUNDS,
    PAUSE_BOUNDS,
    PAUSE_MARKS,
    SEED_BOUNDS,
    TONE_BOUNDS,
    MoraOverride,
    Overrides,
    PauseOverride,
    PhraseOverride,
    ReadingOverride,
)
from app.core.text.text_lines import MAX_LINE_CHARACTERS

SCRIPT_VERSION, FIRST_SCRIPT_VERSION = 2, 1
MAX_LINE_EDITS = 8 * MAX_LINE_CHARACTERS  # edits of one kind in a line: as many as the line can have morae
_DEFAULT_SETTINGS = LineSettings()
_SETTING_TYPES = {item.name: type(getattr(_DEFAULT_SETTINGS, item.name)) for item in fields(LineSettings)}
_NO_CAST: Mapping[str, LineSettings] = {}
# The settings that say who speaks come first in files.
_WRITTEN_SETTINGS = sorted(_SETTING_TYPES, key=lambda name: name not in CAST_FIELDS)
_EDIT_TYPES = {"readings": ReadingOverride, "moras": MoraOverride, "pauses": PauseOverride, "phrases": PhraseOverride}
_EDIT_FIELDS = {kind: tuple(item for item in fields(kind) if item.name != "unknown") for kind in _EDIT_TYPES.values()}
# Without the None of what need not be given.
_EDIT_VALUE_TYPES = {kind: {name: (*get_args(hint), hint)[0] for name, hint in get_type_hints(kind).items()} for kind in _EDIT_FIELDS}
_COUNTING_FLAGS = ("emoji", "memos", "english")
_SCRIPT_FIELDS = ("version", "title", "lines", "cast")
_CHARACTER_FIELDS = ("id", "name", "aliases", "colour", "note", "portrait", "settings")
_LINE_FIELDS = ("id", "text", "character", "settings", "overrides", "pause_after_s")
_OVERRIDE_FIELDS = (*_EDIT_TYPES, "text", *_COUNTING_FLAGS)
_EDIT_BOUNDS = {"length_s": PAUSE_BOUNDS, "tone": TONE_BOUNDS, "pitch": MORA_PITCH_BOUNDS} | dict.fromkeys(
    ("mora", "mark", "occurrence", "accent"), INDEX_BOUNDS
)


def convert_script_to_data(script: Script) -> dict[str, Any]:
    """Return the data that `parse_script` reads."""
    settings = {character.id: character.settings for character in script.cast}
    written = {
        "version": SCRIPT_VERSION,
        "title": script.title,
        "lines": [
            convert_line_to_data(line, settings.get(line.character, _DEFAULT_SETTINGS)) for line in iterate_yielding_gil(script.lines)
        ],
    }
    cast = {"cast": convert_cast_to_data(script.cast)} if script.cast else {}
    return load_unknown(script.unknown) | written | cast


def parse_script(data: object, lose: ReportLossAt | None = None) -> Script:
    """Return the script in the data. Raises ValueError, which says what is wrong, for data this version could not have written.

    Fields from a later version are kept in `unknown`.

    Args:
        lose: called with the part of a line ("lines": all of it), or of the script, that cannot be read and is left out; such a part
            raises no error.
    """
    if not isinstance(data, dict) or not isinstance(data.get("lines"), list):
        raise ValueError("no script")
    if data.get("version") not in (FIRST_SCRIPT_VERSION, SCRIPT_VERSION):
        raise ValueError(f"version {data.get('version')!r}")
    lose_part = locate_losses(lose)
    title = _read_text(data, "title", lose_part)
    cast = read_field(data, "cast", tuple[Character, ...](), lambda value: parse_cast(value, lose_part), lose_part)
    settings = {character.id: character.settings for character in cast}
    lines = dict[str, Line]()
    for number, item in enumerate(iterate_yielding_gil(data["lines"]), 1):
        lose_part = locate_losses(lose, number)
        with UnreadableSkipper(lose_part, "lines"):
            line = parse_line(item, lose_part, settings)
            if line.id in lines:
                if lose_part is None:
                    raise ValueError("an id occurs twice")
                line = replace(line, id=create_line_id())
            lines[line.id] = line
    return Script(tuple(lines.values()), title, cast, dump_unknown(data, _SCRIPT_FIELDS))


def convert_cast_to_data(cast: Iterable[Character]) -> list[dict[str, Any]]:
    """Return the data that `parse_cast` reads, without empty values."""
    return [_convert_character_to_data(character) for character in cast]


def parse_cast(data: object, lose: ReportLoss | None = None) -> tuple[Character, ...]:
    """Return the characters in the data. Raises ValueError; with `lose` a character that cannot be read is left out."""
    return parse_items(data, "cast", MOST_CHARACTERS, lambda item: _parse_character(item, lose), lose, attrgetter("id"))


def _convert_character_to_data(character: Character) -> dict[str, Any]:
    unknown = load_unknown(character.unknown)
    settings = unknown.pop("settings", {}) | convert_settings_to_data(character.settings)
    values = {
        "aliases": list(character.aliases),
        "colour": character.colour,
        "note": character.note,
        "portrait": character.portrait,
        "settings": settings,
    }
    return unknown | {"id": character.id, "name": character.name} | {name: value for name, value in values.items() if value}


def _parse_character(data: object, lose: ReportLoss | None) -> Character:
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise ValueError("a character")
    settings = data.get("settings", {})
    return Character(
        data["name"],
        id=_read_text(data, "id", lose) or create_line_id(),
        note=_read_text(data, "note", lose),
        portrait=read_field(data, "portrait", "", _parse_portrait, lose),
        aliases=read_field(data, "aliases", (), _parse_aliases, lose),
        colour=read_field(data, "colour", 0, lambda value: require_int(value, 0, MAX_INT64) % CHARACTER_COLOURS, lose),
        settings=extract_character_settings(parse_settings(settings, lose)),
        unknown=dump_unknown(data, _CHARACTER_FIELDS, settings=(settings, _WRITTEN_SETTINGS)),
    )


def _parse_portrait(data: object) -> str:
    if not isinstance(data, str) or len(data) > MOST_PORTRAIT_CHARS or not data.isascii():
        raise ValueError("portrait")
    return data


def _parse_aliases(data: object) -> tuple[str, ...]:
    if not isinstance(data, list) or len(data) > MOST_ALIASES or not all(isinstance(alias, str) for alias in data):
        raise ValueError("aliases")
    return tuple(data)


def _read_text(data: Mapping[str, Any], name: str, lose: ReportLoss | None) -> str:
    return read_field(data, name, "", partial(_check_field, name, str), lose)


def convert_settings_to_data(settings: LineSettings, inherited: LineSettings = _DEFAULT_SETTINGS) -> dict[str, Any]:
    """Return the values that differ from the inherited ones, by name."""
    return {name: value for name in _WRITTEN_SETTINGS if (value := getattr(settings, name)) != getattr(inherited, name)}


def parse_settings(data: object, lose: ReportLoss | None = None, inherited: LineSettings = _DEFAULT_SETTINGS) -> LineSettings:
    """Return settings. Raises ValueError for a value of the wrong type or out of bounds; with `lose` it gets the inherited one."""
    values: dict[str, Any] = {}
    with UnreadableSkipper(lose, "settings"):
        if not isinstance(data, dict):
            raise ValueError("settings")
        for name, kind in _SETTING_TYPES.items():
            if name in data:
                with UnreadableSkipper(lose, name):
                    values[name] = _parse_pauses(data[name]) if name == "pauses" else _check_field(name, kind, data[name])
    # Lines without values of their own share one value, and are then compared by identity.
    return replace(inherited, **values) if values else inherited


def convert_line_to_data(line: Line, inherited: LineSettings = _DEFAULT_SETTINGS) -> dict[str, Any]:
    """Return the data that `parse_line` reads; settings that are the inherited ones are left out."""
    unknown = load_unknown(line.unknown)
    data: dict[str, Any] = {"id": line.id, "text": line.text} | ({"character": line.character} if line.character else {})
    settings = convert_settings_to_data(line.settings, inherited) if line.settings is not inherited else {}
    edits: dict[str, Any] = {
        name: [
            load_unknown(edit.unknown)
            | {item.name: value for item in _EDIT_FIELDS[kind] if (value := getattr(edit, item.name)) is not None}
            for edit in getattr(line.overrides, name)
        ]
        for name, kind in _EDIT_TYPES.items()
        if getattr(line.overrides, name)
    }
    if line.overrides.text:
        edits["text"] = line.overrides.text
    edits |= {name: True for name in _COUNTING_FLAGS if getattr(line.overrides, name)}
    settings, edits = unknown.pop("settings", {}) | settings, unknown.pop("overrides", {}) | edits
    data |= {} if line.pause_after_s is None else {"pause_after_s": line.pause_after_s}
    return unknown | data | ({"settings": settings} if settings else {}) | ({"overrides": edits} if edits else {})


def parse_line(data: object, lose: ReportLoss | None = None, settings_by_character: Mapping[str, LineSettings] = _NO_CAST) -> Line:
    """Return a line. Raises ValueError, which says what is wrong; with `lose` only for data that is no line.

    Args:
        settings_by_character: settings that lines inherit, by id of the character; a character that is not there is nobody.
    """
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise ValueError("a line")
    line_id, character = _read_text(data, "id", lose), _read_text(data, "character", lose)
    overrides = read_field(data, "overrides", Overrides(), lambda edits: _parse_overrides(edits, lose), lose)
    inherited = settings_by_character.get(character)
    return Line(
        data["text"],
        parse_settings(data.get("settings", {}), lose, inherited or _DEFAULT_SETTINGS),
        overrides,
        line_id or create_line_id(),
        character if inherited is not None else "",
        dump_unknown_of_line(data, _LINE_FIELDS),
        read_field(data, "pause_after_s", None, _parse_line_pause, lose),
    )


def _parse_line_pause(value: object) -> float:
    return float(_check_field("pause_after_s", float, value, LINE_PAUSE_BOUNDS))


def dump_unknown(data: Mapping[str, Any], known_names: Collection[str], **levels: tuple[object, Collection[str]]) -> str:
    """Return the fields that are not known as JSON, those of deeper levels by the name of the level; empty where there are none."""
    unknown: dict[str, Any] = {name: value for name, value in data.items() if name not in known_names}
    for level, (values, names) in levels.items():
        if isinstance(values, dict) and (deeper := {name: value for name, value in values.items() if name not in names}):
            unknown[level] = deeper
    return json.dumps(unknown, ensure_ascii=False, sort_keys=True) if unknown else ""


def dump_unknown_of_line(data: Mapping[str, Any], known_names: Collection[str]) -> str:
    """Return the fields of a line, or of its take, that are not known, with those of its settings and overrides; see `dump_unknown`."""
    return dump_unknown(
        data, known_names, settings=(data.get("settings"), _WRITTEN_SETTINGS), overrides=(data.get("overrides"), _OVERRIDE_FIELDS)
    )


def load_unknown(text: str) -> dict[str, Any]:
    """Return the fields that `dump_unknown` has put into a text."""
    return dict(json.loads(text)) if text else {}


def _parse_overrides(edits: object, lose: ReportLoss | None) -> Overrides:
    if not isinstance(edits, dict) or not all(isinstance(edits.get(name, []), list) for name in _EDIT_TYPES):
        raise ValueError("overrides")
    if any(len(edits.get(name, [])) > MAX_LINE_EDITS for name in _EDIT_TYPES):
        raise ValueError("too many overrides")
    counted = {name: edits.get(name, False) for name in _COUNTING_FLAGS}
    if not isinstance(edits.get("text", ""), str) or not all(isinstance(value, bool) for value in counted.values()):
        raise ValueError("overrides")
    parsed: dict[str, Any] = {
        name: parse_items(edits.get(name, []), "overrides", MAX_LINE_EDITS, partial(_parse_edit, kind), lose)
        for name, kind in _EDIT_TYPES.items()
    }
    # Readings of an empty surface were once written, and were never heard.
    parsed["readings"] = tuple(edit for edit in parsed["readings"] if edit.surface)
    return Overrides(**parsed, text=edits.get("text", ""), **counted)


def _parse_edit(kind: type, data: object) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(kind.__name__)
    known_fields = _EDIT_FIELDS[kind]
    values = {item.name: data[item.name] for item in known_fields if item.name in data}
    for item in known_fields:
        if item.name in values:
            _check_field(item.name, _EDIT_VALUE_TYPES[kind][item.name], values[item.name], _EDIT_BOUNDS.get(item.name))
        elif item.default is MISSING:
            raise ValueError(f"{kind.__name__} without {item.name}")
    return kind(**values, unknown=dump_unknown(data, values.keys()))


def _check_field(name: str, kind: type, value: Any, bounds: Bounds | None = None) -> Any:
    right = isinstance(value, (int, float) if kind is float else kind) and not (isinstance(value, bool) and kind is not bool)
    if not right:
        raise ValueError(name)
    if name == "latin" and value not in LATIN_READINGS:
        raise ValueError(name)
    if kind is int:
        require_int(value, -MAX_INT64, MAX_INT64)
    if kind is float:
        require_number(value)
    bounds = bounds or (SEED_BOUNDS if name == "seed" else BOUNDS.get(name))
    if bounds is not None and not bounds.low <= value <= bounds.high:
        raise ValueError(name)
    return value


def _parse_pauses(value: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 2 and item[0] in PAUSE_MARKS for item in value):
        raise ValueError("pauses")
    if len({mark for mark, _ in value}) != len(value):
        raise ValueError("pauses: a mark occurs twice")
    return tuple(sorted((mark, float(_check_field("pauses", float, length_s, PAUSE_BOUNDS))) for mark, length_s in value))
