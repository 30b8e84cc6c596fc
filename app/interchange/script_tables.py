"""Tables of lines: CSV and TSV with a header, Ren'Py's dialogue.tab, Yarn's strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from app.core.script.project_sanitiser import MAX_SCRIPT_LINES
from app.core.text.spreadsheet_cells import SpreadsheetRow, parse_rows, unescape_formula
from app.core.text.text_encoding import decode_text
from app.core.text.text_lines import MAX_NAME_CHARACTERS
from app.interchange.import_limits import check_line_count
from app.interchange.imported_script import ImportedScript
from app.interchange.table_columns import recognise_columns, resolve_columns
from app.interchange.table_lines import ScriptTable, convert_to_lines

MAX_TABLE_COLUMNS = 200
# Rows that say where the texts are.
COMPARED_ROWS = 100


def parse_table(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> ScriptTable:
    """Parse a table; raise InputError for data that are no text, and for too many rows."""
    text = decode_text(name, data)
    rows = list(islice(_iterate_rows(text, suffix), MAX_SCRIPT_LINES + 2))
    check_line_count(name, len(rows))
    filled = [(number, cells) for number, cells in rows if cells is not None]
    broken = tuple(number for number, cells in rows if cells is None)
    table = ScriptTable(name, (), tuple(cells for _, cells in filled), tuple(number for number, _ in filled), broken)
    return table.use_header() if columns or (table.rows and _is_header(table.rows[0])) else table


def guess_columns(table: ScriptTable) -> dict[str, int]:
    """Return columns by field, guessed by their names, or else with names of speakers before texts, or the first text of each row."""
    if table.header:
        return recognise_columns(table.header)
    if table.rows and all(len(row) == 2 and len(row[0]) <= MAX_NAME_CHARACTERS for row in table.rows):
        return {"speaker": 0, "text": 1}
    return {}


def propose_columns(table: ScriptTable) -> dict[str, int]:
    """Propose the recognised columns, and as the text the column with the most text of the rest."""
    known = guess_columns(table)
    others = [place for place in range(table.width) if place not in known.values()]
    if "text" in known or not others:
        return known
    return known | {"text": max(others, key=lambda place: sum(len(row[place]) for row in table.rows[:COMPARED_ROWS] if place < len(row)))}


def has_certain_columns(table: ScriptTable) -> bool:
    """Return whether the columns are certain, so that the user need not be asked."""
    return "text" in guess_columns(table) or table.width <= 1


def read_table(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> ImportedScript:
    """Return the lines of a table; raise InputError if there are none."""
    table = parse_table(name, suffix, data, columns)
    return convert_to_lines(table, resolve_columns(table.header, columns) if columns else guess_columns(table))


def _is_header(row: tuple[str, ...]) -> bool:
    found = recognise_columns(row)
    return "text" in found or len(found) > 1


def _iterate_rows(text: str, suffix: str) -> Iterable[SpreadsheetRow]:
    """Yield the rows. In a .tab no cell is quoted; in a .tsv few are."""
    if suffix == ".tab":
        return _filter_filled_rows(_iterate_unquoted_rows(text))
    rows: Iterable[SpreadsheetRow] = parse_rows(text, "" if suffix == ".csv" else "\t")
    if suffix == ".tsv":
        rows = list(islice(rows, MAX_SCRIPT_LINES + 2))
        rows = _iterate_unquoted_rows(text) if any(cells is None for _, cells in rows) else rows
    return ((number, cells and tuple(map(unescape_formula, cells))) for number, cells in _filter_filled_rows(rows))


def _iterate_unquoted_rows(text: str) -> Iterator[SpreadsheetRow]:
    return ((number, tuple(line.split("\t"))) for number, line in enumerate(text.splitlines(), 1))


def _filter_filled_rows(rows: Iterable[SpreadsheetRow]) -> Iterator[SpreadsheetRow]:
    """Yield the rows with any content, without the space around cells."""
    for number, cells in rows:
        stripped = cells and tuple(cell.strip() for cell in cells[:MAX_TABLE_COLUMNS])
        if stripped is None or any(stripped):
            yield number, stripped
