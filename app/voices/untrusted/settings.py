"""Reads SBV2's settings (`config.json`) as SBV2 itself does, field by field: 44100.0 and "44100" are 44100, and "true" is true.

People edit the file by hand, and other tools write it. What a field may not be is said of that field, by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.errors import VoiceError
from app.json_text import short_text, whole
from app.language import localized

CONFIG_NAME = "config.json"
TRUE, FALSE = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
LONGEST_SHOWN = 40
_WHOLE = re.compile(r"([+-]?\d{1,20})(?:\.0*)?")


class Section:
    """An object of the settings.

    Attributes:
        place: where they were read, such as `config.json`.
    """

    def __init__(self, values: Mapping[str, Any], place: str = CONFIG_NAME, name: str = "") -> None:
        self.place = place
        self._values, self._name = values, name

    def section(self, key: str, *, required: bool = False) -> Section:
        """An object inside of it; empty where there is none that is required."""
        if required and key not in self._values:
            raise self.wrong(key, localized("ありません", "it is missing"))
        values = self._values.get(key, {})
        if not isinstance(values, dict):
            raise self.wrong(key, localized(f"{_shown(values)} はオブジェクトではありません", f"{_shown(values)} is not an object"))
        return Section(values, self.place, f"{self._name}{key}.")

    def whole(self, key: str, default: int, lowest: int, highest: int) -> int:
        """A whole number in a range."""
        return self._whole(key, self._values.get(key, default), lowest, highest)

    def wholes(self, key: str, default: tuple[int, ...], lowest: int, highest: int) -> tuple[int, ...]:
        """A list of them."""
        return tuple(self._whole(key, value, lowest, highest) for value in self._list(key, self._values.get(key, [*default])))

    def whole_lists(self, key: str, default: tuple[tuple[int, ...], ...], lowest: int, highest: int) -> tuple[tuple[int, ...], ...]:
        """A list of lists of them."""
        lists = self._list(key, self._values.get(key, [[*item] for item in default]))
        return tuple(tuple(self._whole(key, value, lowest, highest) for value in self._list(key, item)) for item in lists)

    def truth(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._values.get(key, default)
        word = str(value).strip().lower() if isinstance(value, str | bool) else str(int(value)) if value in (0.0, 1.0) else ""
        if word not in TRUE | FALSE:
            raise self.wrong(
                key, localized(f"{_shown(value)} は true でも false でもありません", f"{_shown(value)} is neither true nor false")
            )
        return word in TRUE

    def ids(self, key: str) -> dict[str, int]:
        """Numbers by name, none of them twice."""
        names = self.section(key)
        ids = {name: names._whole(name, value, 0, (1 << 31) - 1) for name, value in names._values.items()}
        if len(set(ids.values())) != len(ids):
            raise self.wrong(key, localized("同じ番号が 2 回以上使われています", "a number occurs twice"))
        return ids

    def wrong(self, key: str, reason: str) -> VoiceError:
        """The error for a field, with the reason in the language of the user."""
        field = short_text(self._name + key)
        return VoiceError(
            localized(f"{self.place} の「{field}」が正しくありません: {reason}。", f"“{field}” in {self.place} is not valid: {reason}."),
            localized("その項目を修正するか、声をもう一度ダウンロードしてください。", "Correct that field, or download the voice again."),
        )

    def _list(self, key: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.wrong(key, localized(f"{_shown(value)} はリストではありません", f"{_shown(value)} is not a list"))
        return value

    def _whole(self, key: str, value: Any, lowest: int, highest: int) -> int:
        try:
            return whole(lax_whole(value), lowest, highest)
        except ValueError as exc:
            shown = _shown(value)
            reason = localized(
                f"{shown} は {lowest} から {highest} までの整数ではありません", f"{shown} is not a whole number from {lowest} to {highest}"
            )
            raise self.wrong(key, reason) from exc


def lax_whole(value: Any) -> Any:
    """A whole number where a value stands for one, as 44100.0, "44100" and true do; any other value as it is."""
    if isinstance(value, str):
        match = _WHOLE.fullmatch(value.strip())
        return int(match[1]) if match else value
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _shown(value: Any) -> str:
    """A value as the file has it, shortened, and without what would disturb a terminal."""
    text = short_text(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
