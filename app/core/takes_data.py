"""Takes as plain data for JSON. They come with projects, which may be strangers', so all of it is checked and no path can be in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.common.files.untrusted_json import MAX_INT64, require_int, require_number, sanitise_long_text, sanitise_short_text
from app.core.lenient_parsing import ReportLoss, TooManyError, skip_unreadable
from app.core.script import Line
from app.core.script_data import convert_line_to_data, parse_line
from app.core.takes import HIGHEST_RATING, LONGEST_NOTE, MOST_TAKES, LineTake, is_sound_name

MAX_TAKE_S = 24 * 3600.0


def convert_takes_to_data(takes: Iterable[LineTake]) -> list[dict[str, Any]]:
    """Return the data that `parse_takes` reads, without empty values."""
    return [_convert_take_to_data(take) for take in takes]


def parse_takes(data: object, lose: ReportLoss | None = None) -> tuple[LineTake, ...]:
    """Return the takes in the data. Raises ValueError for data no version has written; with `lose` an unreadable take is left out.

    Sounds are compared with their names later, when the sounds themselves are read.
    """
    if not isinstance(data, list):
        raise ValueError("takes")
    if len(data) > MOST_TAKES:
        raise TooManyError("takes")
    takes = dict[str, LineTake]()
    for item in data:
        with skip_unreadable(lose, "takes"):
            take = _parse_take(item)
            if take.id in takes:
                raise ValueError("an id occurs twice")
            takes[take.id] = take
    return tuple(takes.values())


def _convert_take_to_data(take: LineTake) -> dict[str, Any]:
    line = convert_line_to_data(Line(take.text, take.settings, take.overrides, take.id))
    others = {"line": take.line, "sound": take.sound, "length_s": take.length_s, "size": take.size}
    others |= {"starred": take.starred, "rating": take.rating, "note": take.note}
    return line | {name: value for name, value in others.items() if value}


def _parse_take(data: object) -> LineTake:
    if not isinstance(data, dict) or not data.get("id") or not isinstance(data.get("starred", False), bool):
        raise ValueError("a take")
    made = parse_line(data)
    sound, length_s = data.get("sound", ""), require_number(data.get("length_s", 0.0))
    if not (sound == "" or is_sound_name(sound)) or not 0 <= length_s <= MAX_TAKE_S:
        raise ValueError("a sound")
    return LineTake(
        line=sanitise_short_text(data.get("line", "")),
        text=made.text,
        settings=made.settings,
        overrides=made.overrides,
        sound=sound,
        length_s=length_s,
        size=require_int(data.get("size", 0), 0, MAX_INT64),
        starred=data.get("starred", False),
        rating=require_int(data.get("rating", 0), 0, HIGHEST_RATING),
        note=sanitise_long_text(data.get("note", ""))[:LONGEST_NOTE],
        id=sanitise_short_text(data["id"]),
    )
