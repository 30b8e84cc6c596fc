"""One HTML file with every table and picture of a report, which can be sent to somebody."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from app.bench.dark import dark_rules
from app.lab.charts import chart_of
from app.lab.rows import Row, by_type, cell, columns_of
from app.lab.words import column_name, kind_name, value_name
from app.language import localized

LONG = 40  # letters of a cell that is folded; Japanese words would be cut in every short one
STYLE = """
body { font: 15px/1.6 'Noto Sans CJK JP', 'Yu Gothic UI', 'Hiragino Sans', sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: 3px 10px; text-align: left; vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; min-width: 24em; }
th { background: #f4f4f4; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { background: #1e1e1e; color: #ddd; } th { background: #2a2a2a; } th, td { border-color: #444; }
$pictures }
"""


def as_html(rows: Sequence[Row], title: str) -> str:
    """The page; it loads nothing from elsewhere."""
    parts = [_table(kind, found) for kind, found in by_type(rows).items()]
    picture = chart_of(rows)
    language = localized("ja", "en")
    style = STYLE.replace("$pictures", dark_rules())
    head = f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style></head>'
    return "\n".join([head, f"<body><h1>{escape(title)}</h1>", picture or "", *parts, "</body></html>", ""])


def _table(kind: str, rows: Sequence[Row]) -> str:
    names = columns_of(rows)
    head = "".join(f"<th>{escape(column_name(name))}</th>" for name in names)
    lines = "\n".join("<tr>" + "".join(_cell(name, row.get(name)) for name in names) + "</tr>" for row in rows)
    return f"<h2>{escape(kind_name(kind))}</h2><table><tr>{head}</tr>\n{lines}</table>"


def _cell(name: str, value: object) -> str:
    text = cell(value_name(name, value), name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    kind = ' class="number"' if is_number else ' class="long"' if len(text) > LONG else ""
    return f"<td{kind}>{escape(text)}</td>"
