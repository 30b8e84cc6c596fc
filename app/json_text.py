"""JSON that somebody else may have written: bounded before it is parsed, a name stands for one value, and numbers are numbers.

Whatever the program reads as JSON comes through here: files of strangers, answers of servers, and its own files, which a crash, another
program or another version may have left in any state.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Any, NoReturn

MOST_VALUES = 500_000  # an empty list is 3 characters of text and 60 bytes of memory
BLOCK = 1 << 16  # characters
DEEPEST = 100  # objects and lists inside each other; ours and those of voices stay below 20
HIGHEST_WHOLE = (1 << 63) - 1  # what fits where whole numbers are computed with
MOST_DIGITS = 20  # of a whole number, as sums of 64 bits have; far longer ones become no float, and take quadratic time to be read
LONGEST_FILE_NAME = 100  # bytes; ours have up to 40, and no file system takes more than 255
LARGEST_TEXT_CHARACTERS = 200  # names of voices, speakers and styles; AIVM allows 80

DISTURBING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and new line
    r"\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # invisible, and those that turn the order of reading around
    r"\ud800-\udfff\ufffe\uffff]"  # halves of pairs and no characters at all
)
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_STEPS))


def parse_json(text: str | bytes, *, most_values: int = MOST_VALUES, forgiving: bool = False) -> Any:
    """Any JSON value; a ValueError when the text is none, or would take far more memory or time than it has letters.

    Numbers are finite and whole ones have at most 20 digits, names are unique within an object, nesting ends at `DEEPEST`.

    Args:
        forgiving: other numbers become NaN, and the last of equal names counts: for files whose good parts are worth keeping.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    _check_structure(text, most_values)
    if forgiving:
        return json.loads(text, parse_constant=_not_a_number, parse_int=_whole_or_nan, parse_float=_finite_or_nan)
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)


def parse_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object; a ValueError as `parse_json` raises it, or when the value is anything else."""
    value = parse_json(text)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects among the lines of a text; other lines, which libraries may print between them, are left out."""
    for line in text.split("\n"):
        with suppress(ValueError):
            yield parse_object(line)


def _check_structure(text: str, most_values: int) -> None:
    """Raises ValueError for too many values, and for what is nested too deeply."""
    if sum(map(text.count, "[{,")) <= most_values and sum(map(text.count, "[{")) <= DEEPEST:
        return
    # Without the escaped ones, every second piece between quotation marks lies outside of strings. A value and its name have four.
    text = text.replace("\\\\", "").replace('\\"', "")
    values = depth = deepest = 0
    for outside in _outside(text) if text.count('"') <= 4 * most_values + 4 else ("," * (most_values + 1),):
        values += sum(map(outside.count, "[{,"))
        if values > most_values:
            raise ValueError("too many values")
        brackets = outside.encode("ascii", "replace").translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
        depth, deepest = depths[-1], max(deepest, *depths)
    if deepest > DEEPEST:
        raise ValueError("nested too deeply")


def _outside(text: str) -> Iterator[str]:
    """What lies outside of strings, a block at a time: other threads, such as the window's, get their turn in between."""
    inside = False
    for start in range(0, len(text), BLOCK):
        pieces = text[start : start + BLOCK].split('"')
        yield "".join(pieces[inside::2])
        inside ^= not len(pieces) % 2


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two entries of one name could show different things to different readers."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _not_a_number(_constant: str) -> float:
    return math.nan


def _whole_or_nan(digits: str) -> float:
    return int(digits) if len(digits.lstrip("-")) <= MOST_DIGITS else math.nan


def _whole(digits: str) -> int:
    number = _whole_or_nan(digits)
    if not isinstance(number, int):
        raise ValueError("a number of too many digits")
    return number


def _finite_or_nan(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else math.nan


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number out of range")
    return number


def whole(value: Any, lowest: int, highest: int) -> int:
    """A whole number in a range; a ValueError for anything else, such as 1.5, true or "1"."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"no whole number from {lowest} to {highest}")
    return value


def finite(value: Any) -> float:
    """A number as a float; a ValueError for anything else, such as NaN, true, "1", or a whole number that no float holds."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("no number")
    return number


def file_name(value: Any) -> str:
    """The name of a file in a folder that is known; a ValueError for what leads elsewhere, or is longer than file systems take."""
    if not isinstance(value, str) or not re.fullmatch(r"\w[\w.-]*", value) or len(value.encode()) > LONGEST_FILE_NAME:
        raise ValueError("no plain file name")
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
