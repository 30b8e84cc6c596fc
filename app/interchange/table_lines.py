"""Rows of a table as lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from app.core.delivery import Bounds
from app.core.limits import BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS
from app.core.script import LineSettings
from app.core.symbols import PUNCTUATION_PHONES
from app.interchange.columns import NUMBERS, field_name
from app.interchange.gathered import Gathered
from app.interchange.imported import Imported, Losses
from app.json_text import long_text, short_text
from app.language import localized

LONGEST_NUMBER = 40  # characters
_Lose = Callable[[str], None]
"""Called with the field of a cell that cannot be used."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text.

    Attributes:
        header: names of the columns; empty where the first row is one like the others.
        rows: those with anything in them, without the header.
        numbers: of header and rows in the file, from 1.
        broken: numbers of rows that are none.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    broken: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """Columns of the widest row."""
        return max((len(row) for row in (self.header, *self.rows)), default=0)

    def with_header(self) -> Table:
        """The same, whose first row names the columns."""
        return self if self.header or not self.rows else replace(self, header=self.rows[0], rows=self.rows[1:])

    def without_header(self) -> Table:
        """The same, whose first row is one like the others."""
        return replace(self, header=(), rows=(self.header, *self.rows)) if self.header else self


def lines_of(table: Table, columns: Mapping[str, int]) -> Imported:
    """Lines of rows; without a column of texts the first cell that holds anything is the text. Raises InputError where there is none."""
    gathered = Gathered(table.name)
    for number in table.broken:
        gathered.losses.add_at(number, "CSV として正しくない行", "rows that are not valid CSV")
    for number, row in zip(table.numbers[1 if table.header else 0 :], table.rows, strict=True):
        if "text" in columns:
            cells = {field: row[place] for field, place in columns.items() if place < len(row) and row[place]}
        else:
            cells = {"text": next(cell for cell in row if cell)}
        text = " ".join(long_text(cells.get("text", "")).split("\n"))
        if text:
            gathered.add(text, _settings(cells, gathered, number), cells.get("id", ""))
    others = [column for place, column in enumerate(table.header) if place not in columns.values() and column]
    if others:
        shown = ", ".join(short_text(column)[:40] for column in others[:10])
        gathered.losses.note(localized(f"次の列は読み込みませんでした: {shown}", f"Columns not imported: {shown}"))
    return gathered.imported()


def _settings(cells: Mapping[str, str], gathered: Gathered, row: int) -> LineSettings:
    voice, speaker, lose = cells.get("voice", ""), short_text(cells.get("speaker", "")), partial(_lose, gathered.losses, row)
    settings = LineSettings(style=short_text(cells.get("style", "")), assist_text=long_text(cells.get("assist", "")))
    if voice:
        settings = replace(settings, voice=gathered.name_voice(voice), speaker=speaker)
    elif speaker:
        settings = replace(settings, voice=gathered.name_voice(speaker, speaker=True))
    numbers: dict[str, Any] = {
        setting: value for field, setting in NUMBERS.items() if (value := _number(cells, field, BOUNDS[setting], lose)) is not None
    }
    if (seed := _number(cells, "seed", SEED_BOUNDS, lose)) is not None:
        settings = replace(settings, seed=int(seed))
    return replace(settings, **numbers, pauses=_pauses(cells.get("pause", ""), lose))


def _lose(losses: Losses, row: int, field: str) -> None:
    losses.add_at(row, f"使用できない値（{field_name(field)}）", f"values that cannot be used ({field_name(field)})")


def _number(cells: Mapping[str, str], field: str, bounds: Bounds, lose: _Lose) -> float | None:
    given = cells.get(field, "")
    if not given:
        return None
    value = _finite(given)
    if value is None or not bounds.low <= value <= bounds.high or (field == "seed" and value != int(value)):
        lose(field)
        return None
    return value


def _finite(text: str) -> float | None:
    try:
        value = float(text[:LONGEST_NUMBER].replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _pauses(cell: str, lose: _Lose) -> tuple[tuple[str, float], ...]:
    """`、=0.2 。=0.5`, marks as they are written or as they are spoken."""
    found: dict[str, float] = {}
    for item in cell[:1_000].split():
        mark, _, seconds = item.rpartition("=")
        phone, value = PUNCTUATION_PHONES.get(mark, mark), _finite(seconds)
        if phone in PAUSE_MARKS and value is not None and PAUSE_BOUNDS.low <= value <= PAUSE_BOUNDS.high:
            found[phone] = value
        else:
            lose("pause")
    return tuple(sorted(found.items()))
