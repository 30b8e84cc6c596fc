"""What of a project file could not be read, in sentences: a damaged value costs itself, a damaged line its line, never the project."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from app.core.script import LineSettings
from app.interchange.columns import NUMBERS, field_name
from app.interchange.imported import OPENED, Losses
from app.language import localized

_OF_LINES = {
    "lines": ("壊れた行", "damaged lines"),
    "id": ("正しくない ID", "IDs that are not valid"),
    "settings": ("正しくない話し方の設定", "settings that are not valid"),
    "seed_locked": ("シードの固定", "seed locks"),
    "overrides": ("正しくない読み・アクセント・長さの調整", "edits of reading, accent and lengths that are not valid"),
}
_OF_PROJECT = {
    "title": ("題名", "title"),
    "current": ("選択していた行", "selected line"),
    "voices": ("声の情報", "voices"),
    "characters": ("キャラの割り当て", "characters"),
    "dictionary": ("辞書の単語", "words in the dictionary"),
    "export": ("書き出しの設定", "export settings"),
    "takes": ("テイク", "takes"),
    "presets": ("プリセット", "presets"),
    "tests": ("ブラインドテスト", "blind tests"),
    "sounds": ("ファイルに含まれる音声", "sounds in the file"),
}
_FIELDS = {setting: field for field, setting in NUMBERS.items()} | {"assist_text": "assist", "pauses": "pause"}
_SETTINGS = {item.name for item in fields(LineSettings)}


class ProjectLosses:
    """Is called with each part that cannot be read, as `project_from_data` does."""

    def __init__(self) -> None:
        self._lines = Losses(OPENED)
        self._parts: Counter[str] = Counter()

    def lose(self, part: str, line: int) -> None:
        """A part of the line with this number, or with 0 of the project."""
        if not line:
            self._parts[part] += 1
        elif part in _OF_LINES:
            self._lines.add_at(line, *_OF_LINES[part])
        else:
            name = field_name(_FIELDS.get(part, part)) if part in _SETTINGS else part
            self._lines.add_at(line, f"使用できない値（{name}）", f"values that cannot be used ({name})")

    def sentences(self) -> tuple[str, ...]:
        """One for each kind of loss."""
        parts = ((*_OF_PROJECT.get(part, (part, part)), count) for part, count in self._parts.items())
        return (
            *self._lines.sentences(),
            *(localized(f"{ja}は{OPENED[0]}（{count:,} 件）。", f"{OPENED[1]}: {en} ({count:,}).") for ja, en, count in parts),
        )
