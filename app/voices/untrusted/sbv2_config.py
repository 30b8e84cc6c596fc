"""Reads SBV2's settings (`config.json`) as SBV2 itself does, field by field: 44100.0 and "44100" are 44100, and "true" is true.

People edit the file by hand, and other tools write it. What a field may not be is said of that field, by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.common.errors import VoiceError
from app.common.files.untrusted_json import require_int, sanitise_short_text
from app.common.language import localize

SBV2_CONFIG_NAME = "config.json"
TRUE_SPELLINGS, FALSE_SPELLINGS = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
MAX_QUOTED_LENGTH = 40
_INTEGER_PATTERN = re.compile(r"([+-]?\d{1,20})(?:\.0*)?")


class ConfigSection:
    """An object of the settings that were read from `source_label`, such as `config.json`."""

    def __init__(self, values: Mapping[str, Any], source_label: str = SBV2_CONFIG_NAME, name: str = "") -> None:
        self.source_label = source_label
        self._values, self._name = values, name

    def read_section(self, key: str, *, is_required: bool = False) -> ConfigSection:
        """Return an object inside the section; an empty one if it is missing and not required."""
        if is_required and key not in self._values:
            raise self.build_field_error(key, localize("ありません", "it is missing"))
        values = self._values.get(key, {})
        if not isinstance(values, dict):
            raise self._build_value_error(key, values, "はオブジェクトではありません", "is not an object")
        return ConfigSection(values, self.source_label, f"{self._name}{key}.")

    def read_integer(self, key: str, default: int, lowest: int, highest: int) -> int:
        """Return a whole number in a range."""
        return self._parse_integer(key, self._values.get(key, default), lowest, highest)

    def read_integers(self, key: str, default: tuple[int, ...], lowest: int, highest: int) -> tuple[int, ...]:
        """Return a list of whole numbers in a range."""
        return tuple(
            self._parse_integer(key, value, lowest, highest) for value in self._require_list(key, self._values.get(key, [*default]))
        )

    def read_integer_lists(self, key: str, default: tuple[tuple[int, ...], ...], lowest: int, highest: int) -> tuple[tuple[int, ...], ...]:
        """Return a list of lists of whole numbers in a range."""
        lists = self._require_list(key, self._values.get(key, [[*item] for item in default]))
        return tuple(tuple(self._parse_integer(key, value, lowest, highest) for value in self._require_list(key, item)) for item in lists)

    def read_boolean(self, key: str, default: bool) -> bool:
        """Return a truth value."""
        value = self._values.get(key, default)
        word = str(value).strip().lower() if isinstance(value, str | bool) else str(int(value)) if value in (0.0, 1.0) else ""
        if word not in TRUE_SPELLINGS | FALSE_SPELLINGS:
            raise self._build_value_error(key, value, "は true でも false でもありません", "is neither true nor false")
        return word in TRUE_SPELLINGS

    def read_ids(self, key: str) -> dict[str, int]:
        """Return numbers by name; raise VoiceError if a number occurs twice."""
        names = self.read_section(key)
        ids = {name: names._parse_integer(name, value, 0, (1 << 31) - 1) for name, value in names._values.items()}
        if len(set(ids.values())) != len(ids):
            raise self.build_field_error(key, localize("同じ番号が 2 回以上使われています", "a number occurs twice"))
        return ids

    def build_field_error(self, key: str, reason: str) -> VoiceError:
        """Return the error for a field, with the reason in the language of the user."""
        field = sanitise_short_text(self._name + key)
        return VoiceError(
            localize(
                f"{self.source_label} の「{field}」が正しくありません: {reason}。",
                f"“{field}” in {self.source_label} is not valid: {reason}.",
            ),
            localize("その項目を修正するか、声をもう一度ダウンロードしてください。", "Correct that field, or download the voice again."),
        )

    def _require_list(self, key: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._build_value_error(key, value, "はリストではありません", "is not a list")
        return value

    def _parse_integer(self, key: str, value: Any, lowest: int, highest: int) -> int:
        try:
            return require_int(convert_to_integer(value), lowest, highest)
        except ValueError as exc:
            limits = f"は {lowest} から {highest} までの整数ではありません", f"is not a whole number from {lowest} to {highest}"
            raise self._build_value_error(key, value, *limits) from exc

    def _build_value_error(self, key: str, value: Any, ja: str, en: str) -> VoiceError:
        # As the file has it, shortened, and without characters that would disturb a terminal.
        text = sanitise_short_text(json.dumps(value, ensure_ascii=False, default=str))
        quoted = text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}…"
        return self.build_field_error(key, localize(f"{quoted} {ja}", f"{quoted} {en}"))


def convert_to_integer(value: Any) -> Any:
    """Return a whole number if the value stands for one, as 44100.0, "44100" and true do; any other value as it is."""
    if isinstance(value, str):
        match = _INTEGER_PATTERN.fullmatch(value.strip())
        return int(match[1]) if match else value
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value
