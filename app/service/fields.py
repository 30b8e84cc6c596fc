"""Reads values of JSON bodies and of query strings as VOICEVOX does, and collects what is wrong with them.

VOICEVOX reads with pydantic's lax mode, and so do its clients write: "1.0" and true are numbers, 24000.0 is a whole one, "on" and 1 are true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from app.json_text import finite
from app.service.findings import Findings

Number = TypeVar("Number", int, float)
HIGHEST = (1 << 63) - 1
LONGEST_NUMBER = 100  # characters
_WHOLE = re.compile(r"([+-]?[0-9]+(?:_[0-9]+)*)(?:\.0+)?")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_TRUE, _FALSE = ("true", "1", "yes", "on", "t", "y"), ("false", "0", "no", "off", "f", "n")


class Fields:
    """The values of one object, or of a query string.

    Args:
        values: as they came; of a query string all are texts.
        where: the place of the object in the request, for the messages.
        findings: shared with the other objects of the request.
    """

    def __init__(self, values: Any, where: tuple[str | int, ...], findings: Findings | None = None) -> None:
        self.findings = Findings() if findings is None else findings
        self._where = where
        if not isinstance(values, Mapping):
            self.findings.add("model_attributes_type", where, "Input should be a valid dictionary")
            values = {}
        self._values: Mapping[str, Any] = values

    def check(self) -> None:
        """Raises Refused when anything was wrong with the request."""
        self.findings.check()

    def number(
        self, name: str, default: float | None = None, *, low: float = float("-inf"), high: float = float("inf"), nearest: bool = False
    ) -> float:
        """A finite number within bounds; without a default it must be there.

        Args:
            nearest: beyond the bounds the nearest number within them counts, instead of an error.
        """
        if self._is_missing(name, default is None):
            return default or 0.0
        try:
            number = _number(self._values[name])
        except (ValueError, TypeError):
            self._wrong("float_type", name, "Input should be a valid number")
            return 0.0
        if nearest:
            return self._nearest(name, number, low, high)
        if not low <= number <= high:
            self._wrong("out_of_range", name, f"Input should be from {low:g} to {high:g}")
        return number

    def integer(self, name: str, default: int | None = None, *, low: int = -HIGHEST, high: int = HIGHEST, nearest: bool = False) -> int:
        """A whole number within bounds, otherwise as `number`."""
        if self._is_missing(name, default is None):
            return default or 0
        try:
            number = _whole(self._values[name])
        except (ValueError, TypeError):
            number = None
        if number is not None and nearest:
            return self._nearest(name, number, low, high)
        if number is None or not low <= number <= high:
            bounds = f" from {low} to {high}" if (low, high) != (-HIGHEST, HIGHEST) else ""
            self._wrong("int_type", name, f"Input should be a whole number{bounds}")
            return 0
        return number

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        if self._is_missing(name, default is None):
            return bool(default)
        value = self._values[name]
        if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
            return value.lower() in _TRUE
        if not isinstance(value, bool | int | float) or value not in (0, 1):
            self._wrong("bool_type", name, "Input should be a valid boolean")
        return bool(value == 1)

    def text(self, name: str, default: str | None = None, *, longest: int = 1000) -> str:
        """A text of at most so many characters."""
        if self._is_missing(name, default is None):
            return default or ""
        value = self._values[name]
        if not isinstance(value, str):
            self._wrong("string_type", name, "Input should be a valid string")
            return ""
        if _HALF_PAIR.search(value):
            self._wrong("string_unicode", name, "Input should be a valid string, unable to parse raw data as a unicode string")
        if len(value) > longest:
            self._wrong("string_too_long", name, f"String should have at most {longest} characters")
        return value[:longest]

    def choice(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """One of several texts."""
        value = self.text(name, default)
        if value not in choices and not self.findings.is_wrong:
            self._wrong("enum", name, f"Input should be {', '.join(choices)}")
        return value

    def items(self, name: str, most: int) -> list[Any]:
        """A list of at most so many."""
        if self._is_missing(name, True):
            return []
        value = self._values[name]
        if not isinstance(value, list) or len(value) > most:
            self._wrong("list_type", name, f"Input should be a list of at most {most}")
            return []
        return value

    def raw(self, name: str) -> Any:
        """As it came; None where it is not there."""
        return self._values.get(name)

    def inside(self, value: Any, *place: str | int) -> Fields:
        """The fields of an object within this one."""
        return Fields(value, (*self._where, *place), self.findings)

    def _is_missing(self, name: str, required: bool) -> bool:
        if self._values.get(name) is not None:
            return False
        if required:
            self.findings.add("missing", (*self._where, name), "Field required")
        return True

    def _nearest(self, name: str, number: Number, low: Number, high: Number) -> Number:
        used = min(max(number, low), high)
        if used != number:
            self.findings.move(name, number, used)
        return used

    def _wrong(self, kind: str, name: str, message: str) -> None:
        self.findings.add(kind, (*self._where, name), message, self._values[name])


def _number(value: Any) -> float:
    if isinstance(value, str):
        text = value.strip()
        value = float(text) if text.isascii() and len(text) <= LONGEST_NUMBER else None
    return finite(int(value) if isinstance(value, bool) else value)


def _whole(value: Any) -> int | None:
    """None for what is none. Raises ValueError for infinity."""
    if isinstance(value, str):
        found = _WHOLE.fullmatch(value.strip()) if len(value) <= LONGEST_NUMBER else None
        return None if found is None else int(found[1])
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < HIGHEST else None
    return int(value) if isinstance(value, int) else None
