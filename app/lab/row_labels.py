"""Labels for the short names in rows, in the window and the report.

Other labels: above columns: `app.lab.column_labels`, in cells: `app.lab.value_labels`.
"""

from __future__ import annotations

from app.common.language import localize
from app.lab.candidate_labels import format_candidate_with_id
from app.lab.column_labels import COLUMN_LABELS
from app.lab.device_labels import format_placement
from app.lab.report_rows import Row
from app.lab.value_labels import format_short_value

TABLE_LABELS = {
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

SHARE_COLUMNS = {"efficiency", "frames_equal", "share"}
"""Columns of shares, 0..1; people see percents."""

CANDIDATE_COLUMNS = {"candidate", "below", "above"}
"""Columns of candidates, of `compare` or `optimise`."""

TABLE_SPLIT_COLUMNS = {"profile": "scope"}
"""Kind of rows → the column by whose values people see tables of their own."""


def name_table(row: Row) -> str:
    """Return the kind of a row, or the part of its kind that is a table of its own; `format_kind` names both."""
    kind = str(row["type"])
    return f"{kind}:{row.get(TABLE_SPLIT_COLUMNS[kind])}" if kind in TABLE_SPLIT_COLUMNS else kind


def format_kind(kind: str) -> str:
    """Return the heading for rows of a kind, or the kind itself if it has no name yet."""
    return localize(*TABLE_LABELS.get(kind, (kind, kind)))


def format_column(name: str) -> str:
    """Return the label above a column; likewise."""
    return localize(*COLUMN_LABELS.get(name, (name, name)))


def format_identifier(column: str, value: object) -> object:
    """Return candidates and places as people call them, in every table that people read; any other value as it is."""
    if column in CANDIDATE_COLUMNS and isinstance(value, str):
        return format_candidate_with_id(value)
    if column == "backend" and isinstance(value, str):
        return format_placement(value)
    if column == "assigned" and isinstance(value, dict):
        return {format_placement(str(place)): count for place, count in value.items()}
    return value


def format_value(column: str, value: object) -> object:
    """Return a short value as people call it; shares, and operators with their counts, in short; any other value as it is."""
    value = format_identifier(column, value)
    if column in SHARE_COLUMNS and isinstance(value, float):
        return f"{value:.1%}"
    if column == "unsupported" and isinstance(value, list):
        return ", ".join(f"{item['op']} ×{item['count']}" for item in value)
    return format_short_value(column, value) if isinstance(value, str) else value
