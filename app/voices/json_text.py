"""JSON from strangers: its size is known before it is parsed, a name stands for one value, and numbers are numbers."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from app.voices.limits import LARGEST_TEXT_CHARACTERS, MOST_JSON_VALUES

DISTURBING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and new line
    r"\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # invisible, and those that turn the order of reading around
    r"\ud800-\udfff\ufffe\uffff]"  # halves of pairs and no characters at all
)


def parse_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object; a ValueError when the text is anything else, or would take far more memory than it has letters."""
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    if sum(text.count(mark) for mark in "[{,") > MOST_JSON_VALUES:
        raise ValueError("too many values")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two entries of one name could show different things to different readers."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def whole(value: Any, lowest: int, highest: int) -> int:
    """A whole number in a range; a ValueError for anything else, such as 1.5, true or "1"."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"no whole number from {lowest} to {highest}")
    return value


def short_text(value: Any) -> str:
    """A name fit to be shown in one line; a ValueError when it is no text."""
    start = value[: 10 * LARGEST_TEXT_CHARACTERS] if isinstance(value, str) else value
    return " ".join(long_text(start).split())[:LARGEST_TEXT_CHARACTERS]


def long_text(value: Any) -> str:
    """A text without what cannot be written or would disturb a terminal or the order of reading; a ValueError when it is none."""
    if not isinstance(value, str):
        raise ValueError("no text")
    return DISTURBING.sub("", value.replace("\r\n", "\n")).strip()
