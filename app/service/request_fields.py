"""Reads values of JSON bodies and of query strings as VOICEVOX does, and collects what is wrong with them; error responses as clients of VOICEVOX and FastAPI know them.

VOICEVOX reads with pydantic's lax mode, and so do its clients write: "1.0" and true are numbers, 24000.0 is a whole one, "on" and 1 are true.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from app.common.errors import AppError, InputError, VoiceError
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import require_number
from app.common.files.whole_files import CorruptFileError
from app.common.language import localize

Problem = dict[str, Any]
MAX_SHOWN_VALUE = 100
_FOLDER_NAME_PATTERN = r"[^/\\\n「」『』“”\"'<>|。、]*"
_FOLDERS_PATTERN = re.compile(
    rf"(?<![\w/\\.])(?:/(?!/)(?:{_FOLDER_NAME_PATTERN}/)+|(?:[A-Za-z]:[/\\]|\\\\)(?:{_FOLDER_NAME_PATTERN}[/\\])*)"
)


class RefusalError(Exception):
    """A request that is not served."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status = status  # of HTTP
        self.body = body  # JSON


def create_refusal(status: int, ja: str, en: str) -> RefusalError:
    return RefusalError(status, {"detail": localize(ja, en)})


def create_unknown_style_refusal(style: int) -> RefusalError:
    """Return the one refusal that VOICEVOX words otherwise."""
    return RefusalError(422, {"message": localize(f"スタイル {style} が見つかりません。", f"There is no style {style}.")})


def create_invalid_refusal(problems: Sequence[Problem], unlisted_count: int = 0) -> RefusalError:
    """Return a refusal that lists the errors in a body or in parameters, field by field, and counts those left out."""
    unlisted = [build_problem("too_many_errors", (), f"{unlisted_count} more errors are not listed")] if unlisted_count else []
    return RefusalError(422, {"detail": [*problems, *unlisted]})


def build_problem(kind: str, where: Sequence[str | int], message: str, value: object = None) -> Problem:
    """Return one entry of `create_invalid_refusal`; a value is shown only if it is short."""
    entry: Problem = {"type": kind, "loc": list(where), "msg": message}
    if isinstance(value, str) and len(value) <= MAX_SHOWN_VALUE:
        # A half of a pair has no place in an answer.
        entry["input"] = value.encode("utf-8", "replace").decode()
    elif value is None or isinstance(value, bool | int | float):
        entry["input"] = value
    return entry


def convert_to_refusal(error: AppError) -> RefusalError:
    """Convert an error of the program for a client: the client's fault if the input is, else ours. Folders of this computer are left out."""
    ours = isinstance(error, CorruptFileError) or not isinstance(error, InputError | VoiceError)
    return RefusalError(500 if ours else 422, {"detail": strip_folders(f"{error.message} {error.hint}".strip())})


def strip_folders(text: str) -> str:
    """Return a text in which paths are only the names at their ends."""
    # The user may have named that one as no pattern expects.
    return _FOLDERS_PATTERN.sub("", text.replace(f"{find_data_dir()}{os.sep}", ""))


Number = TypeVar("Number", int, float)
MAX_JSON_INTEGER = (1 << 63) - 1
MAX_NUMBER_LENGTH = 100  # characters
_INTEGER_PATTERN = re.compile(r"([+-]?[0-9]+(?:_[0-9]+)*)(?:\.0+)?")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TRUE, _FALSE = ("true", "1", "yes", "on", "t", "y"), ("false", "0", "no", "off", "f", "n")

MAX_LISTED_FAULTS = 20
MAX_NAMED_CLAMPS = 10


class RequestFindings:
    """Shared by all objects of one request. A request may have as many faults as it has letters, so only some are listed."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._unlisted_count = 0
        self._clamps: dict[str, tuple[float, float]] = {}

    @property
    def has_faults(self) -> bool:
        """Return whether any fault was found."""
        return bool(self._problems)

    def add_fault(self, kind: str, where: tuple[str | int, ...], message: str, value: object = None) -> None:
        """Add a fault, in the words of `build_problem`."""
        if len(self._problems) < MAX_LISTED_FAULTS:
            self._problems.append(build_problem(kind, where, message, value))
        else:
            self._unlisted_count += 1

    def record_clamp(self, name: str, sent: float, used: float) -> None:
        """Record that a number was outside our bounds and the nearest one within them is used."""
        if len(self._clamps) < MAX_NAMED_CLAMPS:
            self._clamps.setdefault(name, (sent, used))

    def check(self) -> None:
        """Raise RefusalError if there are faults; else log, once, which numbers were clamped."""
        if self._problems:
            raise create_invalid_refusal(self._problems, self._unlisted_count)
        if self._clamps:
            clamps = ", ".join(f"{name} {sent:g} → {used:g}" for name, (sent, used) in self._clamps.items())
            logging.getLogger("koebako").info("a request had numbers out of range: %s", clamps)
            self._clamps.clear()


class RequestFields:
    """The values of one object, or of a query string, of which all are texts; `where` is its place in the request, for the messages."""

    def __init__(self, values: Any, where: tuple[str | int, ...], findings: RequestFindings | None = None) -> None:
        self.findings = RequestFindings() if findings is None else findings
        self._where = where
        if not isinstance(values, Mapping):
            self.findings.add_fault("model_attributes_type", where, "Input should be a valid dictionary")
            values = {}
        self._values: Mapping[str, Any] = values

    def check(self) -> None:
        """Raise RefusalError if any field of the request was wrong."""
        self.findings.check()

    def read_number(
        self, name: str, default: float | None = None, *, low: float = float("-inf"), high: float = float("inf"), should_clamp: bool = False
    ) -> float:
        """Return a finite number within bounds, or with `should_clamp` the nearest within; without a default the field is required."""
        if self._is_missing(name, default is None):
            return default or 0.0
        value = self._values[name]
        try:
            if isinstance(value, str):
                text = value.strip()
                value = float(text) if text.isascii() and len(text) <= MAX_NUMBER_LENGTH else None
            number = require_number(int(value) if isinstance(value, bool) else value)
        except (ValueError, TypeError):
            self._add_fault("float_type", name, "Input should be a valid number")
            return 0.0
        if should_clamp:
            return self._clamp_number(name, number, low, high)
        if not low <= number <= high:
            self._add_fault("out_of_range", name, f"Input should be from {low:g} to {high:g}")
        return number

    def read_integer(
        self,
        name: str,
        default: int | None = None,
        *,
        low: int = -MAX_JSON_INTEGER,
        high: int = MAX_JSON_INTEGER,
        should_clamp: bool = False,
    ) -> int:
        """Return a whole number within bounds, otherwise as `read_number`."""
        if self._is_missing(name, default is None):
            return default or 0
        try:
            number = _parse_integer(self._values[name])
        except (ValueError, TypeError):
            number = None
        if number is not None and should_clamp:
            return self._clamp_number(name, number, low, high)
        if number is None or not low <= number <= high:
            bounds = f" from {low} to {high}" if (low, high) != (-MAX_JSON_INTEGER, MAX_JSON_INTEGER) else ""
            self._add_fault("int_type", name, f"Input should be a whole number{bounds}")
            return 0
        return number

    def read_flag(self, name: str, default: bool | None = None) -> bool:
        """Return a truth value."""
        if self._is_missing(name, default is None):
            return bool(default)
        value = self._values[name]
        if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
            return value.lower() in _TRUE
        if not isinstance(value, bool | int | float) or value not in (0, 1):
            self._add_fault("bool_type", name, "Input should be a valid boolean")
        return bool(value == 1)

    def parse_text(self, name: str, default: str | None = None, *, max_length: int = 1000) -> str:
        """Return a text of at most `max_length` characters."""
        if self._is_missing(name, default is None):
            return default or ""
        value = self._values[name]
        if not isinstance(value, str):
            self._add_fault("string_type", name, "Input should be a valid string")
            return ""
        if _LONE_SURROGATE.search(value):
            self._add_fault("string_unicode", name, "Input should be a valid string, unable to parse raw data as a unicode string")
        if len(value) > max_length:
            self._add_fault("string_too_long", name, f"String should have at most {max_length} characters")
        return value[:max_length]

    def read_choice(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Return one of several texts."""
        value = self.parse_text(name, default)
        if value not in choices and not self.findings.has_faults:
            self._add_fault("enum", name, f"Input should be {', '.join(choices)}")
        return value

    def read_list(self, name: str, max_items: int) -> list[Any]:
        """Return a list of at most `max_items` items."""
        if self._is_missing(name, True):
            return []
        value = self._values[name]
        if not isinstance(value, list) or len(value) > max_items:
            self._add_fault("list_type", name, f"Input should be a list of at most {max_items}")
            return []
        return value

    def find_raw(self, name: str) -> Any:
        """Return a value as it came; None if it is missing."""
        return self._values.get(name)

    def create_inner(self, value: Any, *inner_path: str | int) -> RequestFields:
        """Return the fields of an object within this one."""
        return RequestFields(value, (*self._where, *inner_path), self.findings)

    def _is_missing(self, name: str, required: bool) -> bool:
        if self._values.get(name) is not None:
            return False
        if required:
            self.findings.add_fault("missing", (*self._where, name), "Field required")
        return True

    def _clamp_number(self, name: str, number: Number, low: Number, high: Number) -> Number:
        if (used := min(max(number, low), high)) != number:
            self.findings.record_clamp(name, number, used)
        return used

    def _add_fault(self, kind: str, name: str, message: str) -> None:
        self.findings.add_fault(kind, (*self._where, name), message, self._values[name])


def _parse_integer(value: Any) -> int | None:
    """Return a whole number, or None for any other value; raise ValueError for infinity."""
    if isinstance(value, str):
        match = _INTEGER_PATTERN.fullmatch(value.strip()) if len(value) <= MAX_NUMBER_LENGTH else None
        return None if match is None else int(match[1])
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < MAX_JSON_INTEGER else None
    return int(value) if isinstance(value, int) else None
