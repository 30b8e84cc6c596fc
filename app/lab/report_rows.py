"""The rows that every part of the lab yields: plain values, which become tables, pictures and JSON alike."""

import json
import unicodedata
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]  # One finding as plain values; `type` names its kind. Values are text, numbers, None, and lists and mappings of these.

EMPTY_VALUES: tuple[object, ...] = (None, "", [], {})  # values that no table shows

INT8_SUFFIX = "_int8"  # ends the name of a graph that has an exact counterpart

SHAPES, CHOSEN = {"shape", "counted_with"}, {"winner", "kept"}  # names of columns


def make_row(kind: str, **values: Any) -> Row:
    """Return a finding; its columns are in the order of the values."""
    return {"type": kind, **values}


def group_by_type(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return rows by kind, each of which forms one table, in the order in which kinds first came."""
    rows_by_kind: dict[str, list[Row]] = {}
    for row in rows:
        rows_by_kind.setdefault(str(row["type"]), []).append(row)
    return rows_by_kind


def list_columns(rows: Iterable[Row]) -> list[str]:
    """Return the names of all values but `type`, in order."""
    return list(dict.fromkeys(name for row in rows for name in row if name != "type"))


def format_cell(value: object, column: str = "") -> str:
    """Return a value of a column for people: numbers in four digits, mappings as `name value`, shapes in brackets, operators by name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "✓" if value else "" if column in CHOSEN else "✗"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict) and {"op", "version", "count"} <= value.keys():
        return f"{value['op']} (opset {value['version']}) × {format_cell(value['count'])}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_cell(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        # Sizes, some of which may have names.
        is_shape = all(isinstance(item, int | str) for item in value) and not all(isinstance(item, str) for item in value)
        if value and (column in SHAPES or is_shape):
            return f"[{', '.join(map(str, value))}]"
        return "; ".join(format_cell(item) for item in value)
    return str(value)


def read_number(row: Row, name: str) -> float:
    """Return a figure of a row, 0 if it has none; raise LookupError if the row lacks the column."""
    value = row[name]
    return float(value) if isinstance(value, int | float) else 0.0


def format_exact(value: object) -> str:
    """Return a value for programs, in one cell of a table."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def measure_columns(text: str) -> int:
    """Return the columns of a text in a terminal; Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
