"""What people read instead of the short names in rows, in the window and the report; above columns: `app.lab.column_words`, in cells: `app.lab.value_words`."""

from __future__ import annotations

from app.lab.candidate_words import candidate_with_identifier
from app.lab.column_words import COLUMNS
from app.lab.place_words import place_names
from app.lab.rows import Row
from app.lab.value_words import short_value
from app.language import localized

KINDS = {
    "machine": ("測定した環境", "Machine"),
    "graph": ("グラフ", "Graphs"),
    "value": ("入力と出力", "Inputs and outputs"),
    "weights": ("重みのデータ型", "Types of weights"),
    "weight": ("大きな重み", "Largest weights"),
    "part": ("モジュール", "Modules"),
    "diff": ("準備による変化", "Changed by preparing"),
    "rewrite": ("書き換え", "Rewrites"),
    "reason": ("一体型の理由", "Why it is a single graph"),
    "note": ("備考", "Notes"),
    "peak": ("この環境の速さ", "Speed of this machine"),
    "expect": ("想定と実測", "Expected and measured"),
    "profile": ("処理時間", "Times"),
    "profile:stage": ("処理", "Stages"),
    "profile:module": ("モジュール", "Modules"),
    "profile:operator": ("演算子", "Operators"),
    "memory": ("メモリー", "Memory"),
    "place": ("割り当て", "Placement"),
    "verify": ("一致の検証", "Agreement"),
    "compare": ("比較", "Comparison"),
    "crossover": ("速さが入れ替わる長さ", "Crossover"),
    "optimise": ("候補", "Candidates"),
    "test": ("ブラインドテスト", "Blind test"),
    "installed": ("組み込み", "Installed"),
    "check": ("チェック", "Checks"),
    "summary": ("まとめ", "Summary"),
}
"""Kind of rows → its heading."""

SHARES = {"efficiency", "frames_equal", "share"}
"""Columns of shares, 0..1; people see percents."""

CANDIDATES = {"candidate", "below", "above"}
"""Columns of candidates, of `compare` or `optimise`."""

SPLIT_BY = {"profile": "scope"}
"""Kind of rows → the column by whose values people see tables of their own."""


def table_of(row: Row) -> str:
    """The kind of a row, or the part of its kind that is a table of its own; `kind_name` names both."""
    kind = str(row["type"])
    return f"{kind}:{row.get(SPLIT_BY[kind])}" if kind in SPLIT_BY else kind


def kind_name(kind: str) -> str:
    """The heading of rows of a kind; one that nobody has named yet as it is."""
    return localized(*KINDS.get(kind, (kind, kind)))


def column_name(name: str) -> str:
    """What stands above a column; likewise."""
    return localized(*COLUMNS.get(name, (name, name)))


def identified(column: str, value: object) -> object:
    """Candidates and places as people call them, in every table that people read; any other value as it is."""
    if column in CANDIDATES and isinstance(value, str):
        return candidate_with_identifier(value)
    if column == "backend" and isinstance(value, str):
        return place_names(value)
    if column == "assigned" and isinstance(value, dict):
        return {place_names(str(place)): count for place, count in value.items()}
    return value


def value_name(column: str, value: object) -> object:
    """A short value as people call it; shares, and operators with their counts, in short; any other value as it is."""
    value = identified(column, value)
    if column in SHARES and isinstance(value, float):
        return f"{value:.1%}"
    if column == "unsupported" and isinstance(value, list):
        return ", ".join(f"{item['op']} ×{item['count']}" for item in value)
    return short_value(column, value) if isinstance(value, str) else value
