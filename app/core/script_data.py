"""The script as plain data for JSON: only what differs from the defaults is written, and all that is read is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from app.core.delivery import Bounds
from app.core.limits import BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, PLACE_BOUNDS, SEED_BOUNDS, TONE_BOUNDS
from app.core.script import CAST_FIELDS, Line, LineSettings, Script, new_id
from app.core.text_lines import LONGEST_LINE
from app.core.tolerance import Lose, LoseAt, tolerating
from app.core.types import MoraOverride, Overrides, PauseOverride, PhraseOverride, ReadingOverride
from app.json_text import HIGHEST_WHOLE, finite, whole
from app.rests import with_rests

VERSION = 1
MOST_EDITS = 8 * LONGEST_LINE  # of a kind in a line: as many as it can have morae
_PLAIN = LineSettings()
_WRITTEN = sorted(
    (item.name for item in fields(LineSettings)), key=lambda name: name not in CAST_FIELDS
)  # in files, who speaks comes first
_EDITS = {"readings": ReadingOverride, "moras": MoraOverride, "pauses": PauseOverride, "phrases": PhraseOverride}
_COUNTED = ("emoji", "memos")
_EDIT_BOUNDS = {"length_s": PAUSE_BOUNDS, "tone": TONE_BOUNDS} | dict.fromkeys(("mora", "mark", "occurrence", "accent"), PLACE_BOUNDS)
_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def script_to_data(script: Script) -> dict[str, Any]:
    """What `script_from_data` reads."""
    return {"version": VERSION, "title": script.title, "lines": [line_to_data(line) for line in with_rests(script.lines)]}


def script_from_data(data: object, lose: LoseAt | None = None) -> Script:
    """Raises ValueError, saying what is wrong, for anything that this version could not have written.

    Settings from a later version that are not known are left out.

    Args:
        lose: called with what cannot be read of a line ("lines": all of it), or of the script, which then does without; no error is raised for those.
    """
    if not isinstance(data, dict) or not isinstance(data.get("lines"), list):
        raise ValueError("no script")
    if data.get("version") != VERSION:
        raise ValueError(f"version {data.get('version')!r}")
    title = ""
    with tolerating(lose and partial(_of_line, lose, 0), "title"):
        title = _checked("title", "str", data.get("title", ""))
    lines = dict[str, Line]()
    for number, item in enumerate(with_rests(data["lines"]), 1):
        lose_here = lose and partial(_of_line, lose, number)
        with tolerating(lose_here, "lines"):
            line = line_from_data(item, lose_here)
            if line.id in lines:
                if lose_here is None:
                    raise ValueError("an id occurs twice")
                line = replace(line, id=new_id())
            lines[line.id] = line
    return Script(tuple(lines.values()), title)


def _of_line(lose: LoseAt, number: int, part: str) -> None:
    lose(part, number)


def settings_to_data(settings: LineSettings) -> dict[str, Any]:
    """Return what differs from the defaults, by name."""
    return {name: value for name in _WRITTEN if (value := getattr(settings, name)) != getattr(_PLAIN, name)}


def settings_from_data(data: object, lose: Lose | None = None) -> LineSettings:
    """Raises ValueError for a value of the wrong kind or out of bounds; with `lose` it has its default."""
    values: dict[str, Any] = {}
    with tolerating(lose, "settings"):
        if not isinstance(data, dict):
            raise ValueError("settings")
        for item in fields(LineSettings):
            if item.name in data:
                read = _pauses if item.name == "pauses" else _checked
                with tolerating(lose, item.name):
                    values[item.name] = read(item.name, str(item.type), data[item.name])
    return LineSettings(**values)


def line_to_data(line: Line) -> dict[str, Any]:
    """What `line_from_data` reads; settings that are the default are left out."""
    data: dict[str, Any] = {"id": line.id, "text": line.text}
    if line.settings != _PLAIN:
        data["settings"] = settings_to_data(line.settings)
    edits: dict[str, Any] = {
        name: [_edit_to_data(edit) for edit in getattr(line.overrides, name)] for name in _EDITS if getattr(line.overrides, name)
    }
    if line.overrides.text:
        edits["text"] = line.overrides.text
    edits |= {name: True for name in _COUNTED if getattr(line.overrides, name)}
    return data | ({"overrides": edits} if edits else {})


def line_from_data(data: object, lose: Lose | None = None) -> Line:
    """Raises ValueError, saying what is wrong; with `lose` only for what is no line. What else stands beside it is left out."""
    if not isinstance(data, dict) or not isinstance(data.get("text"), str):
        raise ValueError("a line")
    line_id, overrides = "", Overrides()
    with tolerating(lose, "id"):
        line_id = _checked("id", "str", data.get("id", ""))
    with tolerating(lose, "overrides"):
        overrides = _overrides_from_data(data.get("overrides", {}), lose)
    return Line(data["text"], settings_from_data(data.get("settings", {}), lose), overrides, line_id or new_id())


def _overrides_from_data(edits: object, lose: Lose | None) -> Overrides:
    if not isinstance(edits, dict) or not all(isinstance(edits.get(name, []), list) for name in _EDITS):
        raise ValueError("overrides")
    if any(len(edits.get(name, [])) > MOST_EDITS for name in _EDITS):
        raise ValueError("too many overrides")
    counted = {name: edits.get(name, False) for name in _COUNTED}
    if not isinstance(edits.get("text", ""), str) or not all(isinstance(value, bool) for value in counted.values()):
        raise ValueError("overrides")
    made: dict[str, list[Any]] = {name: [] for name in _EDITS}
    for name, kind in _EDITS.items():
        for item in edits.get(name, []):
            with tolerating(lose, "overrides"):
                made[name].append(_edit_from_data(kind, item))
    made["readings"] = [edit for edit in made["readings"] if edit.surface]  # of no letter: once written, and never heard
    given: dict[str, Any] = {name: tuple(found) for name, found in made.items()}
    return Overrides(**given, text=edits.get("text", ""), **counted)


def _edit_to_data(edit: Any) -> dict[str, Any]:
    return {item.name: value for item in fields(edit) if (value := getattr(edit, item.name)) is not None}


def _edit_from_data(kind: type, data: object) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(kind.__name__)
    values = {item.name: data[item.name] for item in fields(kind) if item.name in data}
    for item in fields(kind):
        plain = str(item.type).removesuffix(" | None")
        if item.name in values:
            _checked(item.name, plain, values[item.name], _EDIT_BOUNDS.get(item.name))
        elif plain == item.type:
            raise ValueError(f"{kind.__name__} without {item.name}")
    return kind(**values)


def _checked(name: str, kind: str, value: Any, bounds: Bounds | None = None) -> Any:
    right = isinstance(value, _TYPES[kind]) and not (isinstance(value, bool) and kind != "bool")
    if not right:
        raise ValueError(name)
    if kind == "int":
        whole(value, -HIGHEST_WHOLE, HIGHEST_WHOLE)
    if kind == "float":
        finite(value)
    bounds = bounds or (SEED_BOUNDS if name == "seed" else BOUNDS.get(name))
    if bounds is not None and not bounds.low <= value <= bounds.high:
        raise ValueError(name)
    return value


def _pauses(name: str, _kind: str, value: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 2 and item[0] in PAUSE_MARKS for item in value):
        raise ValueError(name)
    if len({mark for mark, _ in value}) != len(value):
        raise ValueError(f"{name}: a mark occurs twice")
    return tuple(sorted((mark, float(_checked(name, "float", length_s, PAUSE_BOUNDS))) for mark, length_s in value))
