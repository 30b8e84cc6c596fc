"""One HTML file with every table and picture of a report, which can be sent to somebody."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.bench.dark_colors import build_dark_rules
from app.common.language import localize
from app.lab.report_charts import draw_chart
from app.lab.report_rows import Row, format_cell, group_by_type, list_columns
from app.lab.row_labels import format_column, format_kind, format_value

# Letters of a cell that is folded; Japanese words would be cut in every short one.
LONG_CELL_LENGTH = 40
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


def format_as_html(rows: Sequence[Row], title: str) -> str:
    """Return the page; it loads nothing from elsewhere."""
    parts = [_build_table(kind, found) for kind, found in group_by_type(rows).items()]
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
