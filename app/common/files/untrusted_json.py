"""JSON that somebody else may have written: bounded before it is parsed, a name stands for one value, and numbers are numbers.

Whatever the program reads as JSON comes through here: files of strangers, answers of servers, and its own files, which a crash, another
program or another version may have left in any state.
"""

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Any, NoReturn

MAX_JSON_VALUES = 500_000  # an empty list is 3 characters of text and 60 bytes of memory
JSON_BLOCK_CHARS = 1 << 16  # characters
MAX_NESTING = 100  # objects and lists inside each other; ours and those of voices stay below 20
MAX_INT64 = (1 << 63) - 1  # what fits where whole numbers are computed with
MAX_NUMBER_DIGITS = 20  # of a whole number, as sums of 64 bits have; far longer ones become no float, and take quadratic time to be read
MAX_FILE_NAME_BYTES = 100  # bytes; ours have up to 40, and no file system takes more than 255
MAX_SHORT_TEXT_CHARS = 200  # names of voices, speakers and styles; AIVM allows 80

DISTURBING_CHARS = re.compile(
    # Control characters but tab and new line.
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    # Invisible, and those that turn the order of reading around.
    r"\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    # Halves of pairs and no characters at all.
    r"\ud800-\udfff\ufffe\uffff]"
)
_NESTING_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_NESTING_STEPS))


def parse_json(text: str | bytes, *, most_values: int = MAX_JSON_VALUES, is_lenient: bool = False) -> Any:
    """Return any JSON value; raise ValueError if the text is none, or would take far more memory or time than it has letters.

    Numbers are finite and whole ones have at most 20 digits, names are unique within an object, nesting ends at `MAX_NESTING`.

    Args:
        is_lenient: other numbers become NaN, and the last of equal names counts: for files whose good parts are worth keeping.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    _check_structure(text, most_values)
    if is_lenient:
        return json.loads(text, parse_constant=_replace_by_nan, parse_int=_parse_int_or_nan, parse_float=_parse_float_or_nan)
    return json.loads(
        text, object_pairs_hook=_build_unique_object, parse_constant=_refuse_constant, parse_int=_parse_int, parse_float=_parse_float
    )


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Return a JSON object; raise ValueError as `parse_json` does, or if the value is no object."""
    return require_object(parse_json(text))


def parse_object_lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects among the lines of a text; other lines, which libraries may print between them, are left out."""
    for line in text.split("\n"):
        with suppress(ValueError):
            yield parse_object(line)


def _check_structure(text: str, most_values: int) -> None:
    if sum(map(text.count, "[{,")) <= most_values and sum(map(text.count, "[{")) <= MAX_NESTING:
        return
    # Without the escaped ones, every second piece between quotation marks is outside of strings. A value and its name have four.
    text = text.replace("\\\\", "").replace('\\"', "")
    values = depth = deepest = 0
    for outside in _iterate_outside_strings(text) if text.count('"') <= 4 * most_values + 4 else ("," * (most_values + 1),):
        values += sum(map(outside.count, "[{,"))
        if values > most_values:
            raise ValueError("too many values")
        brackets = outside.encode("ascii", "replace").translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_NESTING_STEPS.__getitem__, brackets), initial=depth))
        depth, deepest = depths[-1], max(deepest, *depths)
    if deepest > MAX_NESTING:
        raise ValueError("nested too deeply")


def _iterate_outside_strings(text: str) -> Iterator[str]:
    """Yield what is outside of strings, a block at a time: other threads, such as the window's, get their turn in between."""
    inside = False
    for start in range(0, len(text), JSON_BLOCK_CHARS):
        pieces = text[start : start + JSON_BLOCK_CHARS].split('"')
        yield "".join(pieces[inside::2])
        inside ^= not len(pieces) % 2


def _build_unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; raise ValueError for two entries of one name, which could show different things to different readers."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _replace_by_nan(_constant: str) -> float:
    return math.nan


def _parse_int_or_nan(digits: str) -> float:
    return int(digits) if len(digits.lstrip("-")) <= MAX_NUMBER_DIGITS else math.nan


def _parse_int(digits: str) -> int:
    number = _parse_int_or_nan(digits)
    if not isinstance(number, int):
        raise ValueError("a number of too many digits")
    return number


def _parse_float_or_nan(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else math.nan


def _parse_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number out of range")
    return number


def require_int(value: Any, lowest: int, highest: int) -> int:
    """Return a whole number in a range; raise ValueError for anything else, such as 1.5, true or "1"."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"no whole number from {lowest} to {highest}")
    return value


def require_number(value: Any) -> float:
    """Return a number as a float; raise ValueError for anything else, such as NaN, true, "1", or a whole number that no float holds."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("no number")
    return number


def require_list(value: Any, most: int = MAX_JSON_VALUES) -> list[Any]:
    """Return a list of at most so many values; raise ValueError for anything else."""
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("no list, or too long")
    return value


def require_object(value: Any) -> dict[str, Any]:
    """Return an object; raise ValueError for anything else."""
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def require_file_name(value: Any) -> str:
    """Return the name of a file in a known folder; raise ValueError for a name that leads elsewhere, or is longer than file systems allow."""
    if not isinstance(value, str) or not re.fullmatch(r"\w[\w.-]*", value) or len(value.encode()) > MAX_FILE_NAME_BYTES:
        raise ValueError("no plain file name")
    return value


def sanitise_short_text(value: Any) -> str:
    """Return a name fit to be shown in one line; raise ValueError if the value is no text."""
    start = value[: 10 * MAX_SHORT_TEXT_CHARS] if isinstance(value, str) else value
    return " ".join(sanitise_long_text(start).split())[:MAX_SHORT_TEXT_CHARS]


def sanitise_long_text(value: Any) -> str:
    """Return a text without characters that cannot be written or would disturb a terminal or the order of reading; raise ValueError if the value is no text."""
    if not isinstance(value, str):
        raise ValueError("no text")
    return DISTURBING_CHARS.sub("", value.replace("\r\n", "\n")).strip()
