"""Tables of lines: CSV and TSV with a header, Ren'Py's dialogue.tab, Yarn's strings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from app.core.text_encoding import decode
from app.core.text_lines import LONGEST_NAME
from app.errors import InputError
from app.interchange.columns import chosen, recognised
from app.interchange.imported import MOST_LINES, Imported, check_count
from app.interchange.table_lines import lines_of
from app.language import localized
from app.system_errors import reason_of

MOST_COLUMNS = 200
COMPARED = 100  # rows that say where the texts are
_COMMAS = ",;\t"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text.

    Attributes:
        header: names of the columns; empty where the first row is one like the others.
        rows: those with anything in them, without the header.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """Columns of the widest row."""
        return max((len(row) for row in (self.header, *self.rows)), default=0)


def table_of(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> Table:
    """Raises InputError where it is no table."""
    text = decode(name, data)
    rows = _rows(name, text, suffix)
    check_count(name, len(rows))
    if rows and (columns or _is_header(rows[0])):
        return Table(name, rows[0], tuple(rows[1:]))
    return Table(name, (), tuple(rows))


def guessed(table: Table) -> dict[str, int]:
    """Columns by field where nobody says what they are: by their names; else names of speakers before texts, or the first text of each row."""
    if table.header:
        return recognised(table.header)
    if table.rows and all(len(row) == 2 and len(row[0]) <= LONGEST_NAME for row in table.rows):
        return {"speaker": 0, "text": 1}
    return {}


def proposed(table: Table) -> dict[str, int]:
    """What is known, and as the text the column that says most of those that are left."""
    known = guessed(table)
    others = [place for place in range(table.width) if place not in known.values()]
    if "text" in known or not others:
        return known
    return known | {"text": max(others, key=lambda place: sum(len(row[place]) for row in table.rows[:COMPARED] if place < len(row)))}


def is_certain(table: Table) -> bool:
    """Nobody has to be asked which column is which."""
    return "text" in guessed(table) or table.width <= 1


def read_table(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> Imported:
    """The lines of a table. Raises InputError."""
    table = table_of(name, suffix, data, columns)
    return lines_of(table.name, table.header, table.rows, chosen(table.header, columns) if columns else guessed(table))


def _is_header(row: tuple[str, ...]) -> bool:
    found = recognised(row)
    return "text" in found or len(found) > 1


def _separator(text: str) -> str:
    """Of a .csv: what its first line has most of; spreadsheets write semicolons where commas are in numbers."""
    first = text[:10_000].split("\n", 1)[0]
    return max(_COMMAS, key=first.count)


def _rows(name: str, text: str, suffix: str) -> list[tuple[str, ...]]:
    """Of a .tab nothing is quoted; of a .tsv much is not."""
    separator = _separator(text) if suffix == ".csv" else "\t"
    try:
        if suffix != ".tab":
            return _cells(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as exc:
        if suffix != ".tsv":
            raise InputError(
                localized(
                    f"「{name}」は表として読み込めません。（{reason_of(exc)}）", f"“{name}” cannot be read as a table. ({reason_of(exc)})"
                ),
                localized("CSV 形式（コンマ区切り）で保存し直してください。", "Save it as comma-separated values (CSV)."),
            ) from exc
    return _cells(line.split("\t") for line in text.splitlines())


def _cells(rows: Iterable[list[str]]) -> list[tuple[str, ...]]:
    stripped = (tuple(cell.strip() for cell in row[:MOST_COLUMNS]) for row in rows)
    return list(islice((row for row in stripped if any(row)), MOST_LINES + 2))
