"""Takes as plain data for JSON. They come with projects, which may be strangers': all of it is checked, and no path can be in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.core.script import Line
from app.core.script_data import line_from_data, line_to_data
from app.core.takes import HIGHEST_RATING, LONGEST_NOTE, MOST_TAKES, Take, is_sound_name
from app.core.tolerance import Lose, TooManyError, tolerating
from app.json_text import HIGHEST_WHOLE, finite, long_text, short_text, whole

LONGEST_S = 24 * 3600.0


def takes_to_data(takes: Iterable[Take]) -> list[dict[str, Any]]:
    """What `takes_from_data` reads; what is empty is left out."""
    return [_take_to_data(take) for take in takes]


def takes_from_data(data: object, lose: Lose | None = None) -> tuple[Take, ...]:
    """Raises ValueError for what no version has written; with `lose` a take that cannot be read costs itself.

    The sounds are compared with their names when they are read.
    """
    if not isinstance(data, list):
        raise ValueError("takes")
    if len(data) > MOST_TAKES:
        raise TooManyError("takes")
    takes = dict[str, Take]()
    for item in data:
        with tolerating(lose, "takes"):
            take = _take_from_data(item)
            if take.id in takes:
                raise ValueError("an id occurs twice")
            takes[take.id] = take
    return tuple(takes.values())


def _take_to_data(take: Take) -> dict[str, Any]:
    line = line_to_data(Line(take.text, take.settings, take.overrides, take.id))
    others = {"line": take.line, "sound": take.sound, "length_s": take.length_s, "size": take.size}
    others |= {"starred": take.starred, "rating": take.rating, "note": take.note}
    return line | {name: value for name, value in others.items() if value}


def _take_from_data(data: object) -> Take:
    if not isinstance(data, dict) or not data.get("id") or not isinstance(data.get("starred", False), bool):
        raise ValueError("a take")
    made = line_from_data(data)
    sound, length_s = data.get("sound", ""), finite(data.get("length_s", 0.0))
    if not (sound == "" or is_sound_name(sound)) or not 0 <= length_s <= LONGEST_S:
        raise ValueError("a sound")
    return Take(
        line=short_text(data.get("line", "")),
        text=made.text,
        settings=made.settings,
        overrides=made.overrides,
        sound=sound,
        length_s=length_s,
        size=whole(data.get("size", 0), 0, HIGHEST_WHOLE),
        starred=data.get("starred", False),
        rating=whole(data.get("rating", 0), 0, HIGHEST_RATING),
        note=long_text(data.get("note", ""))[:LONGEST_NOTE],
        id=short_text(data["id"]),
    )
