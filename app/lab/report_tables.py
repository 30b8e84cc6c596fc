"""Rows as text, CSV and Markdown, a table for each kind; and as one HTML file with every table and picture, which can be sent to somebody."""

import csv
import io
from collections.abc import Sequence
from html import escape

from app.bench.svg_picture import build_dark_rules
from app.common.language import localize
from app.core.text.spreadsheet_cells import escape_formula
from app.lab.report_rows import EMPTY_VALUES, Row, format_cell, format_exact, group_by_type, list_columns, measure_columns
from app.lab.row_labels import format_column, format_identifier, format_kind, format_value

MAX_CELL_COLUMNS = 60  # columns of a terminal; the other formats have everything
MIN_SHOWN_SHARE = 0.001  # of the time, of an operator that a terminal shows
COLUMN_ONLY_WHERE_TRUE = "kept"  # nobody kept any: nothing to show
COLUMNS_FOR_PROGRAMS = ("sounds", "texts")  # names of files that nobody reads, and what is spoken in them

LONG_CELL_LENGTH = 40  # letters of a cell that is folded; Japanese words would be cut in every short one
REPORT_STYLE = """
body { font: 15px/1.6 'Noto Sans CJK JP', 'Yu Gothic UI', 'Hiragino Sans', sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: 3px 10px; text-align: left; vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; min-width: 24em; }
th { background: #f4f4f4; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { background: #1e1e1e; color: #ddd; } th { background: #2a2a2a; } th, td { border-color: #444; }
$pictures }
"""


def format_as_text(rows: Sequence[Row]) -> str:
    """Return tables in columns, for a terminal."""
    return "\n\n".join(_format_text_table(kind, kind_rows) for kind, kind_rows in group_by_type(rows).items())


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


def format_as_csv(rows: Sequence[Row]) -> str:
    """Return one table; cells that a kind does not have are empty, mappings are JSON."""
    names = ["type", *list_columns(rows)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        # Names come from graphs, which may be from strangers.
        writer.writerow([escape_formula(value) if isinstance(value := row.get(name), str) else format_exact(value) for name in names])
    return file.getvalue().rstrip("\n")


def format_as_markdown(rows: Sequence[Row]) -> str:
    """Return a table for each kind, below a heading."""
    return "\n\n".join(_format_markdown_table(kind, kind_rows) for kind, kind_rows in group_by_type(rows).items())


def _format_text_table(kind: str, rows: Sequence[Row]) -> str:
    rows, left = _select_shown_rows(rows)
    names = [
        name for name in list_columns(rows)
        if name not in COLUMNS_FOR_PROGRAMS and any(row.get(name) not in EMPTY_VALUES and (name != COLUMN_ONLY_WHERE_TRUE or row.get(name)) for row in rows)
    ]  # fmt: skip
    lines = [names]
    for row in rows:
        *cells, last = (_format_value(row, name) for name in names)
        # A text that comes last is never cut.
        lines.append([*map(_shorten_text, cells), last if isinstance(row.get(names[-1]), str) else _shorten_text(last)])
    widths = [max(measure_columns(line[index]) for line in lines) for index in range(len(names))]
    is_number = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    table = ("  ".join(map(_pad_text, line, widths, is_number)).rstrip() for line in lines)
    return "\n".join((kind, *(f"  {line}" for line in table), *([f"  {left}"] if left else [])))


def _format_markdown_table(kind: str, rows: Sequence[Row]) -> str:
    names = list_columns(rows)
    lines = [names, ["---"] * len(names), *([_format_value(row, name).replace("|", "\\|") for name in names] for row in rows)]
    return "\n".join((f"## {kind}", "", *(f"| {' | '.join(line)} |" for line in lines)))


def _format_value(row: Row, name: str) -> str:
    return format_cell(format_identifier(name, row.get(name)), name)


def _shorten_text(text: str) -> str:
    return text if len(text) <= MAX_CELL_COLUMNS else text[: MAX_CELL_COLUMNS - 1] + "…"


def _pad_text(text: str, width: int, right: bool) -> str:
    space = " " * (width - measure_columns(text))
    return space + text if right else text + space


def format_as_html(rows: Sequence[Row], title: str) -> str:
    """Return the page; it loads nothing from elsewhere."""
    # With all that measures, which tables do not need.
    from app.lab.report_charts import draw_chart

    parts = [_build_table(kind, kind_rows) for kind, kind_rows in group_by_type(rows).items()]
    picture = draw_chart(rows)
    language = localize("ja", "en")
    style = REPORT_STYLE.replace("$pictures", build_dark_rules())
    head = f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style></head>'
    return "\n".join([head, f"<body><h1>{escape(title)}</h1>", picture or "", *parts, "</body></html>", ""])


def _build_table(kind: str, rows: Sequence[Row]) -> str:
    names = list_columns(rows)
    head = "".join(f"<th>{escape(format_column(name))}</th>" for name in names)
    lines = "\n".join("<tr>" + "".join(_build_cell(name, row.get(name)) for name in names) + "</tr>" for row in rows)
    return f"<h2>{escape(format_kind(kind))}</h2><table><tr>{head}</tr>\n{lines}</table>"


def _build_cell(name: str, value: object) -> str:
    text = format_cell(format_value(name, value), name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    kind = ' class="number"' if is_number else ' class="long"' if len(text) > LONG_CELL_LENGTH else ""
    return f"<td{kind}>{escape(text)}</td>"
