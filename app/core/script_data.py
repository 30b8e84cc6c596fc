"""The script as plain data for JSON: only values that differ from the defaults are written, and everything read is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from app.common.files.untrusted_json import MAX_INT64, require_int, require_number
from app.common.gil_yield import iterate_yielding_gil
from app.core.delivery import Bounds
from app.core.lenient_parsing import ReportLoss, ReportLossAt, skip_unreadable
from app.core.request_limits import BOUNDS, INDEX_BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS, TONE_BOUNDS
from app.core.script import CAST_FIELDS, Line, LineSettings, Script, create_line_id
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.core.text_lines import MAX_LINE_CHARACTERS

SCRIPT_VERSION = 1
# Edits of one kind in a line: as many as the line can have morae.
MAX_LINE_EDITS = 8 * MAX_LINE_CHARACTERS
_DEFAULT_SETTINGS = LineSettings()
# The settings that say who speaks come first in files.
_WRITTEN_SETTINGS = sorted((item.name for item in fields(LineSettings)), key=lambda name: name not in CAST_FIELDS)
_EDIT_TYPES = {"readings": ReadingOverride, "moras": MoraOverride, "pauses": PauseOverride, "phrases": PhraseOverride}
_COUNTING_FLAGS = ("emoji", "memos")
_EDIT_BOUNDS = {"length_s": PAUSE_BOUNDS, "tone": TONE_BOUNDS} | dict.fromkeys(("mora", "mark", "occurrence", "accent"), INDEX_BOUNDS)
_TYPES_BY_ANNOTATION: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def convert_script_to_data(script: Script) -> dict[str, Any]:
    """Return the data that `parse_script` reads."""
    return {
        "version": SCRIPT_VERSION,
        "title": script.title,
        "lines": [convert_line_to_data(line) for line in iterate_yielding_gil(script.lines)],
    }


def parse_script(data: object, lose: ReportLossAt | None = None) -> Script:
    """Return the script in the data. Raises ValueError, which says what is wrong, for data this version could not have written.

    Unknown settings from a later version are left out.

    Args:
        lose: called with the part of a line ("lines": all of it), or of the script, that cannot be read and is left out; such a part
            raises no error.
    """
    if not isinstance(data, dict) or not isinstance(data.get("lines"), list):
        raise ValueError("no script")
    if data.get("version") != SCRIPT_VERSION:
        raise ValueError(f"version {data.get('version')!r}")
    title = ""
    with skip_unreadable(lose and partial(_report_line_loss, lose, 0), "title"):
        title = _check_field("title", "str", data.get("title", ""))
    lines = dict[str, Line]()
    for number, item in enumerate(iterate_yielding_gil(data["lines"]), 1):
        lose_here = lose and partial(_report_line_loss, lose, number)
        with skip_unreadable(lose_here, "lines"):
            line = parse_line(item, lose_here)
            if line.id in lines:
                if lose_here is None:
                    raise ValueError("an id occurs twice")
                line = replace(line, id=create_line_id())
            lines[line.id] = line
    return Script(tuple(lines.values()), title)


def _report_line_loss(lose: ReportLossAt, number: int, part: str) -> None:
    lose(part, number)


def convert_settings_to_data(settings: LineSettings) -> dict[str, Any]:
    """Return the values that differ from the defaults, by name."""
    return {name: value for name in _WRITTEN_SETTINGS if (value := getattr(settings, name)) != getattr(_DEFAULT_SETTINGS, name)}


def parse_settings(data: object, lose: ReportLoss | None = None) -> LineSettings:
    """Return settings. Raises ValueError for a value of the wrong type or out of bounds; with `lose` it gets its default."""
    values: dict[str, Any] = {}
    with skip_unreadable(lose, "settings"):
        if not isinstance(data, dict):
            raise ValueError("settings")
        for item in fields(LineSettings):
            if item.name in data:
                read = _parse_pauses if item.name == "pauses" else _check_field
                with skip_unreadable(lose, item.name):
                    values[item.name] = read(item.name, str(item.type), data[item.name])
    return LineSettings(**values)


def convert_line_to_data(line: Line) -> dict[str, Any]:
    """Return the data that `parse_line` reads; settings with their default are left out."""
    data: dict[str, Any] = {"id": line.id, "text": line.text}
    if line.settings != _DEFAULT_SETTINGS:
        data["settings"] = convert_settings_to_data(line.settings)
    edits: dict[str, Any] = {
        name: [_convert_edit_to_data(edit) for edit in getattr(line.overrides, name)]
        for name in _EDIT_TYPES
        if getattr(line.overrides, name)
    }
    if line.overrides.text:
        edits["text"] = line.overrides.text
    edits |= {name: True for name in _COUNTING_FLAGS if getattr(line.overrides, name)}
    return data | ({"overrides": edits} if edits else {})


def parse_line(data: object, lose: ReportLoss | None = None) -> Line:
    """Return a line. Raises ValueError, which says what is wrong; with `lose` only for data that is no line. Unknown fields are ignored."""
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise ValueError("a line")
    line_id, overrides = "", Overrides()
    with skip_unreadable(lose, "id"):
        line_id = _check_field("id", "str", data.get("id", ""))
    with skip_unreadable(lose, "overrides"):
        overrides = _parse_overrides(data.get("overrides", {}), lose)
    return Line(data["text"], parse_settings(data.get("settings", {}), lose), overrides, line_id or create_line_id())


def _parse_overrides(edits: object, lose: ReportLoss | None) -> Overrides:
    if not isinstance(edits, dict) or not all(isinstance(edits.get(name, []), list) for name in _EDIT_TYPES):
        raise ValueError("overrides")
    if any(len(edits.get(name, [])) > MAX_LINE_EDITS for name in _EDIT_TYPES):
        raise ValueError("too many overrides")
    counted = {name: edits.get(name, False) for name in _COUNTING_FLAGS}
    if not isinstance(edits.get("text", ""), str) or not all(isinstance(value, bool) for value in counted.values()):
        raise ValueError("overrides")
    made: dict[str, list[Any]] = {name: [] for name in _EDIT_TYPES}
    for name, kind in _EDIT_TYPES.items():
        for item in edits.get(name, []):
            with skip_unreadable(lose, "overrides"):
                made[name].append(_parse_edit(kind, item))
    # Readings of an empty surface were once written, and were never heard.
    made["readings"] = [edit for edit in made["readings"] if edit.surface]
    given: dict[str, Any] = {name: tuple(found) for name, found in made.items()}
    return Overrides(**given, text=edits.get("text", ""), **counted)


def _convert_edit_to_data(edit: Any) -> dict[str, Any]:
    return {item.name: value for item in fields(edit) if (value := getattr(edit, item.name)) is not None}


def _parse_edit(kind: type, data: object) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(kind.__name__)
    values = {item.name: data[item.name] for item in fields(kind) if item.name in data}
    for item in fields(kind):
        plain = str(item.type).removesuffix(" | None")
        if item.name in values:
            _check_field(item.name, plain, values[item.name], _EDIT_BOUNDS.get(item.name))
        elif plain == item.type:
            raise ValueError(f"{kind.__name__} without {item.name}")
    return kind(**values)


def _check_field(name: str, kind: str, value: Any, bounds: Bounds | None = None) -> Any:
    right = isinstance(value, _TYPES_BY_ANNOTATION[kind]) and not (isinstance(value, bool) and kind != "bool")
    if not right:
        raise ValueError(name)
    if kind == "int":
        require_int(value, -MAX_INT64, MAX_INT64)
    if kind == "float":
        require_number(value)
    bounds = bounds or (SEED_BOUNDS if name == "seed" else BOUNDS.get(name))
    if bounds is not None and not bounds.low <= value <= bounds.high:
        raise ValueError(name)
    return value


def _parse_pauses(name: str, _kind: str, value: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 2 and item[0] in PAUSE_MARKS for item in value):
        raise ValueError(name)
    if len({mark for mark, _ in value}) != len(value):
        raise ValueError(f"{name}: a mark occurs twice")
    return tuple(sorted((mark, float(_check_field(name, "float", length_s, PAUSE_BOUNDS))) for mark, length_s in value))
