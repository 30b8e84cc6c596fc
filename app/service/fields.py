"""Reads values of JSON bodies and of query strings, and collects what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.json_text import finite, whole
from app.service.refused import Problem, invalid, problem

HIGHEST = (1 << 63) - 1
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


class Fields:
    """The values of one object, or of a query string.

    Args:
        values: as they came; of a query string all are texts.
        where: the place of the object in the request, for the messages.
        found: what is wrong so far; shared with the objects inside.
    """

    def __init__(self, values: Any, where: tuple[str | int, ...], found: list[Problem] | None = None) -> None:
        self.found: list[Problem] = [] if found is None else found
        self._where = where
        if not isinstance(values, Mapping):
            self.found.append(problem("model_attributes_type", where, "Input should be a valid dictionary"))
            values = {}
        self._values: Mapping[str, Any] = values
        self._texts = bool(where) and where[0] in ("query", "path")

    def check(self) -> None:
        """Raises Refused when anything was wrong."""
        if self.found:
            raise invalid(self.found)

    def number(self, name: str, default: float | None = None, *, low: float = float("-inf"), high: float = float("inf")) -> float:
        """A finite number within bounds; without a default it must be there."""
        if self._is_missing(name, default is None):
            return default or 0.0
        value = self._values[name]
        try:
            number = finite(float(value) if self._texts else value)
        except (ValueError, TypeError):
            self._wrong("float_type", name, "Input should be a valid number")
            return 0.0
        if not low <= number <= high:
            self._wrong("out_of_range", name, f"Input should be from {low:g} to {high:g}")
        return number

    def integer(self, name: str, default: int | None = None, *, low: int = -HIGHEST, high: int = HIGHEST) -> int:
        """A whole number within bounds; 24000.0 is one."""
        if self._is_missing(name, default is None):
            return default or 0
        value = self._values[name]
        try:
            if self._texts:
                value = int(value) if len(value) < 20 else None
            elif isinstance(value, float) and value.is_integer() and abs(value) < HIGHEST:
                value = int(value)
            return whole(value, low, high)
        except (ValueError, TypeError):
            bounds = f" from {low} to {high}" if (low, high) != (-HIGHEST, HIGHEST) else ""
            self._wrong("int_type", name, f"Input should be a whole number{bounds}")
            return 0

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        if self._is_missing(name, default is None):
            return bool(default)
        value = self._values[name]
        if self._texts and str(value).lower() in _TRUE + _FALSE:
            return str(value).lower() in _TRUE
        if not isinstance(value, bool):
            self._wrong("bool_type", name, "Input should be a valid boolean")
        return value is True

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
        if value not in choices and not self.found:
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
        return Fields(value, (*self._where, *place), self.found)

    def _is_missing(self, name: str, required: bool) -> bool:
        if self._values.get(name) is not None:
            return False
        if required:
            self.found.append(problem("missing", (*self._where, name), "Field required"))
        return True

    def _wrong(self, kind: str, name: str, message: str) -> None:
        self.found.append(problem(kind, (*self._where, name), message, self._values[name]))
