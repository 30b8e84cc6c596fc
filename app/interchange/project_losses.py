"""Describes losses from a project file in sentences: a damaged value costs itself, a damaged line its line, never the project."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

from app.common.language import localize
from app.core.script import LineSettings
from app.interchange.imported_script import NOT_OPENED, LossReport
from app.interchange.table_columns import SETTING_BY_COLUMN, format_field_name

_LINE_LOSS_LABELS = {
    "lines": ("壊れた行", "damaged lines"),
    "id": ("正しくない ID", "IDs that are not valid"),
    "settings": ("正しくない話し方の設定", "settings that are not valid"),
    "seed_locked": ("シードの固定", "seed locks"),
    "overrides": ("正しくない読み・アクセント・長さの調整", "edits of reading, accent and lengths that are not valid"),
}
_PROJECT_LOSS_LABELS = {
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
_FIELD_BY_SETTING = {setting: field for field, setting in SETTING_BY_COLUMN.items()} | {"assist_text": "assist", "pauses": "pause"}
_LINE_SETTING_NAMES = {item.name for item in fields(LineSettings)}


class ProjectLossReport:
    """Is called with each part that cannot be read, as `parse_project` does."""

    def __init__(self) -> None:
        self._lines = LossReport(NOT_OPENED)
        self._parts: Counter[str] = Counter()

    def add_loss(self, part: str, line: int) -> None:
        """A part of the line with this number, or with 0 of the project."""
        if not line:
            self._parts[part] += 1
        elif part in _LINE_LOSS_LABELS:
            self._lines.add_line(line, *_LINE_LOSS_LABELS[part])
        else:
            name = format_field_name(_FIELD_BY_SETTING.get(part, part)) if part in _LINE_SETTING_NAMES else part
            self._lines.add_line(line, f"使用できない値（{name}）", f"values that cannot be used ({name})")

    def build_sentences(self) -> tuple[str, ...]:
        """One for each kind of loss."""
        parts = ((*_PROJECT_LOSS_LABELS.get(part, (part, part)), count) for part, count in self._parts.items())
        return (
            *self._lines.build_sentences(),
            *(localize(f"{ja}は{NOT_OPENED[0]}（{count:,} 件）。", f"{NOT_OPENED[1]}: {en} ({count:,}).") for ja, en, count in parts),
        )
