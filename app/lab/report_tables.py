"""Rows as text, CSV and Markdown: a table for each kind."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence

from app.common.language import localize
from app.core.text.spreadsheet_cells import escape_formula
from app.lab.report_rows import EMPTY_VALUES, Row, format_cell, format_exact, group_by_type, list_columns
from app.lab.row_labels import format_identifier

# Columns of a terminal; the other formats have everything.
MAX_CELL_COLUMNS = 60
# Of the time, of an operator that a terminal shows.
MIN_SHOWN_SHARE = 0.001
# Nobody kept any: nothing to show.
COLUMN_ONLY_WHERE_TRUE = "kept"
# Names of files that nobody reads.
COLUMN_FOR_PROGRAMS = "sounds"


def format_as_text(rows: Sequence[Row]) -> str:
    """Return tables in columns, for a terminal."""
    return "\n\n".join(_format_text_table(kind, found) for kind, found in group_by_type(rows).items())


def _select_shown_rows(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """Return all rows but those of operators that hardly take time, and a line about those."""
    shown = [
        row for row in rows if row.get("scope") != "operator" or not isinstance(row["share"], float) or row["share"] >= MIN_SHOWN_SHARE
    ]
    left = len(rows) - len(shown)
    words = localize(
        f"ほかに {left} 行（0.1 % 未満の演算子。--csv と --json で出力できます）",
        f"{left} more rows: operators below 0.1 %, which --csv and --json include",
    )
    return shown, words if left else ""


def _list_filled_columns(rows: Sequence[Row]) -> list[str]:
    return [
        name for name in list_columns(rows)
        if name != COLUMN_FOR_PROGRAMS and any(row.get(name) not in EMPTY_VALUES and (name != COLUMN_ONLY_WHERE_TRUE or row.get(name)) for row in rows)
    ]  # fmt: skip


def format_as_csv(rows: Sequence[Row]) -> str:
    """Return one table; cells that a kind does not have are empty, mappings are JSON."""
    names = ["type", *list_columns(rows)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_format_csv_cell(row.get(name)) for name in names] for row in rows)
    return file.getvalue().rstrip("\n")


def _format_csv_cell(value: object) -> object:
    """Return a cell that is safe in CSV: names come from graphs, which may be from strangers."""
    return escape_formula(value) if isinstance(value, str) else format_exact(value)


def format_as_markdown(rows: Sequence[Row]) -> str:
    """Return a table for each kind, below a heading."""
    return "\n\n".join(_format_markdown_table(kind, found) for kind, found in group_by_type(rows).items())


def _format_text_table(kind: str, rows: Sequence[Row]) -> str:
    rows, left = _select_shown_rows(rows)
    names = _list_filled_columns(rows)
    lines = [names, *(_format_text_line(row, names) for row in rows)]
    widths = [max(measure_columns(line[index]) for line in lines) for index in range(len(names))]
    is_number = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    table = ("  ".join(map(_pad_text, line, widths, is_number)).rstrip() for line in lines)
    return "\n".join((kind, *(f"  {line}" for line in table), *([f"  {left}"] if left else [])))


def _format_markdown_table(kind: str, rows: Sequence[Row]) -> str:
    names = list_columns(rows)
    lines = [names, ["---"] * len(names), *([_format_value(row, name).replace("|", "\\|") for name in names] for row in rows)]
    return "\n".join((f"## {kind}", "", *(f"| {' | '.join(line)} |" for line in lines)))


def _format_text_line(row: Row, names: Sequence[str]) -> list[str]:
    """Format the text of a row, which comes last and is never cut."""
    *cells, last = (_format_value(row, name) for name in names)
    return [*map(_shorten_text, cells), last if isinstance(row.get(names[-1]), str) else _shorten_text(last)]


def _format_value(row: Row, name: str) -> str:
    return format_cell(format_identifier(name, row.get(name)), name)


def _shorten_text(text: str) -> str:
    return text if len(text) <= MAX_CELL_COLUMNS else text[: MAX_CELL_COLUMNS - 1] + "…"


def _pad_text(text: str, width: int, right: bool) -> str:
    space = " " * (width - measure_columns(text))
    return space + text if right else text + space


def measure_columns(text: str) -> int:
    """Return the columns of a text in a terminal; Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
