"""Rows as text, CSV and Markdown: a table for each kind."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence

from app.core.spreadsheets import harmless
from app.lab.rows import EMPTY, Row, by_type, cell, columns_of, exact
from app.lab.words import identified
from app.language import localized

WIDEST_CELL = 60  # columns of a terminal; the other formats have everything
LEAST_SHARE = 0.001  # of the time, of an operator that a terminal shows
ONLY_WHERE_TRUE = "kept"  # nobody kept any: nothing to show
FOR_PROGRAMS = "sounds"  # names of files that nobody reads


def as_text(rows: Sequence[Row]) -> str:
    """Tables in columns, for a terminal."""
    return "\n\n".join(_text_table(kind, found) for kind, found in by_type(rows).items())


def _worth_showing(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """All but operators that hardly take time, and a line about those."""
    shown = [row for row in rows if row.get("scope") != "operator" or not isinstance(row["share"], float) or row["share"] >= LEAST_SHARE]
    left = len(rows) - len(shown)
    words = localized(
        f"ほかに {left} 行（0.1 % 未満の演算子。--csv と --json で出力できます）",
        f"{left} more rows: operators below 0.1 %, which --csv and --json include",
    )
    return shown, words if left else ""


def _columns_with_values(rows: Sequence[Row]) -> list[str]:
    return [
        name for name in columns_of(rows)
        if name != FOR_PROGRAMS and any(row.get(name) not in EMPTY and (name != ONLY_WHERE_TRUE or row.get(name)) for row in rows)
    ]  # fmt: skip


def as_csv(rows: Sequence[Row]) -> str:
    """One table; cells that a kind does not have are empty, mappings are JSON."""
    names = ["type", *columns_of(rows)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_cell(row.get(name)) for name in names] for row in rows)
    return file.getvalue().rstrip("\n")


def _csv_cell(value: object) -> object:
    """Names come from graphs, which may be strangers'."""
    return harmless(value) if isinstance(value, str) else exact(value)


def as_markdown(rows: Sequence[Row]) -> str:
    """A table for each kind, below a heading."""
    return "\n\n".join(_markdown_table(kind, found) for kind, found in by_type(rows).items())


def _text_table(kind: str, rows: Sequence[Row]) -> str:
    rows, left = _worth_showing(rows)
    names = _columns_with_values(rows)
    lines = [names, *(_text_line(row, names) for row in rows)]
    widths = [max(columns_wide(line[index]) for line in lines) for index in range(len(names))]
    is_number = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    table = ("  ".join(map(_padded, line, widths, is_number)).rstrip() for line in lines)
    return "\n".join((kind, *(f"  {line}" for line in table), *([f"  {left}"] if left else [])))


def _markdown_table(kind: str, rows: Sequence[Row]) -> str:
    names = columns_of(rows)
    lines = [names, ["---"] * len(names), *([_shown(row, name).replace("|", "\\|") for name in names] for row in rows)]
    return "\n".join((f"## {kind}", "", *(f"| {' | '.join(line)} |" for line in lines)))


def _text_line(row: Row, names: Sequence[str]) -> list[str]:
    """What is said in words stands last, and whole."""
    *cells, last = (_shown(row, name) for name in names)
    return [*map(_short, cells), last if isinstance(row.get(names[-1]), str) else _short(last)]


def _shown(row: Row, name: str) -> str:
    return cell(identified(name, row.get(name)), name)


def _short(text: str) -> str:
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - columns_wide(text))
    return space + text if right else text + space


def columns_wide(text: str) -> int:
    """Columns of a terminal; Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
