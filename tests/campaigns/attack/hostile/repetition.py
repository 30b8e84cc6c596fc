"""Small files that become large: what is in them is repeated, or stands for something else in them. For JSON, tables and texts."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

LARGEST = 4 << 20  # characters of a file
TIMES = (2, 10, 10, 1_000, 1_000, 100_000, 1_000_000)
Place = tuple[Any, Any]
"""A list or object, and where in it something is."""


def repeated(draw: random.Random, value: Any) -> Any:
    """The JSON value with a list, an item of a list or a text in it many times over."""
    return _changed(draw, value, (list, str), _again)


def referred(draw: random.Random, value: Any) -> Any:
    """The JSON value where something in it stands in the place of something else: keys that are equal, names that name each other."""
    places = list(_places(value))
    if places:
        holder, key = draw.choice(places)
        other, name = draw.choice(places)
        copied = json.loads(json.dumps(other[name]))
        if len(json.dumps(copied)) < LARGEST // 4:
            holder[key] = copied
    return value


def many_keys(draw: random.Random, value: Any) -> Any:
    """The JSON value with a list whose items are keys of an object beside it, over and over: as projects name their lines."""
    talk = value.get("talk", value) if isinstance(value, dict) else None
    keys = talk.get("audioKeys") if isinstance(talk, dict) else None
    if isinstance(talk, dict) and isinstance(keys, list) and keys:
        talk["audioKeys"] = [draw.choice(keys) for _ in range(draw.choice((2, 100, 99_999, 100_001, 500_000)))]
    return value


JSON_MUTATORS: tuple[Callable[[random.Random, Any], Any], ...] = (repeated, repeated, referred, many_keys)


def repeated_text(draw: random.Random, text: str) -> str:
    """A text or table with a row, a cell, a letter or a piece of it many times over."""
    if not text:
        return text
    pieces = draw.choice((text.splitlines(keepends=True), text.split(","), text.split("\t"), text.split('"'), [*text]))
    place = draw.randrange(len(pieces))
    joint = "" if pieces[0].endswith("\n") or len(pieces) == len(text) else draw.choice((",", "\t", '"', "\n", ""))
    times = min(draw.choice(TIMES), LARGEST // (len(pieces[place]) + 1))
    pieces[place] = joint.join([pieces[place]] * times)
    return joint.join(pieces)[:LARGEST]


def _again(draw: random.Random, value: Any) -> Any:
    size = len(json.dumps(value)) + 1
    times = max(1, min(draw.choice(TIMES), LARGEST // size))
    if isinstance(value, list) and value and draw.random() < 0.5:
        place = draw.randrange(len(value))
        return [*value[:place], *[value[place]] * times, *value[place:]]
    return value * times


def _changed(draw: random.Random, value: Any, kinds: tuple[type, ...], change: Callable[[random.Random, Any], Any]) -> Any:
    places = [(holder, key) for holder, key in _places(value) if isinstance(holder[key], kinds)]
    if places:
        holder, key = draw.choice(places)
        holder[key] = change(draw, holder[key])
    return value


def _places(value: Any, most: int = 20_000) -> Iterator[Place]:
    """Of what is in a value, as far as it is small enough to be gone through."""
    waiting = [value]
    while waiting and most:
        holder = waiting.pop()
        items = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder[:1_000])) if isinstance(holder, list) else []
        for key, inner in items:
            most -= 1
            yield holder, key
            waiting.append(inner)
