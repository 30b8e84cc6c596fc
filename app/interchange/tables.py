"""Tables of lines: CSV and TSV with a header, Ren'Py's dialogue.tab, Yarn's strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from app.core.spreadsheets import Row, original, rows_of
from app.core.text_encoding import decode
from app.core.text_lines import LONGEST_NAME
from app.core.tidy_project import MOST_LINES
from app.interchange.columns import chosen, recognised
from app.interchange.imported import Imported
from app.interchange.limits import check_count
from app.interchange.table_lines import Table, lines_of

MOST_COLUMNS = 200
COMPARED = 100  # rows that say where the texts are


def table_of(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> Table:
    """Raises InputError for what is no text, and for too many rows."""
    text = decode(name, data)
    rows = list(islice(_rows(text, suffix), MOST_LINES + 2))
    check_count(name, len(rows))
    filled = [(number, cells) for number, cells in rows if cells is not None]
    broken = tuple(number for number, cells in rows if cells is None)
    table = Table(name, (), tuple(cells for _, cells in filled), tuple(number for number, _ in filled), broken)
    return table.with_header() if columns or (table.rows and _is_header(table.rows[0])) else table


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
    return lines_of(table, chosen(table.header, columns) if columns else guessed(table))


def _is_header(row: tuple[str, ...]) -> bool:
    found = recognised(row)
    return "text" in found or len(found) > 1


def _rows(text: str, suffix: str) -> Iterable[Row]:
    """Of a .tab nothing is quoted; of a .tsv much is not."""
    if suffix == ".tab":
        return _filled(_unquoted(text))
    rows: Iterable[Row] = rows_of(text, "" if suffix == ".csv" else "\t")
    if suffix == ".tsv":
        rows = list(islice(rows, MOST_LINES + 2))
        rows = _unquoted(text) if any(cells is None for _, cells in rows) else rows
    return ((number, cells and tuple(map(original, cells))) for number, cells in _filled(rows))


def _unquoted(text: str) -> Iterator[Row]:
    return ((number, tuple(line.split("\t"))) for number, line in enumerate(text.splitlines(), 1))


def _filled(rows: Iterable[Row]) -> Iterator[Row]:
    """Those with anything in them, without the space around cells."""
    for number, cells in rows:
        stripped = cells and tuple(cell.strip() for cell in cells[:MOST_COLUMNS])
        if stripped is None or any(stripped):
            yield number, stripped
