"""Draws a profile: the stages in one bar, below it the modules and operators that take most, and memory over time."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg import GRID, INK, PALE, Picture
from app.lab.rows import Row, cell, number
from app.language import localized
from app.stage_colors import ON_LIGHT

WIDTH, LEFT, RIGHT, MARGIN = 960, 250, 840, 24
BAR, LINE, SHOWN = 26, 20, 14
CURVES = 150  # height
SERIES = (("process_mib", "#999999"), ("held_mib", "#4477aa"), ("in_use_mib", "#ee6677"))


def profile_chart(rows: Sequence[Row]) -> str:
    """The picture as SVG."""
    picture = Picture(WIDTH)
    picture.text(MARGIN, 34, localized("時間の内訳", "Where the time goes"), size=18, bold=True)
    machine = next((row for row in rows if row["type"] == "machine"), {})
    picture.text(MARGIN, 54, f"{machine.get('cpu', '')}, ONNX Runtime {machine.get('ort', '')}", size=12, color=PALE)
    found = [row for row in rows if row["type"] == "profile" and row["median_ms"] is not None]
    bottom = _stages(picture, [row for row in found if row["scope"] == "stage" and row["memory_mib"] is not None], 84.0)
    for scope, title in (("module", localized("モジュール", "Modules")), ("operator", localized("演算子", "Operators"))):
        bottom = _bars(picture, title, [row for row in found if row["scope"] == scope], bottom + 34)
    memory = [row for row in rows if row["type"] == "memory"]
    if len(memory) > 1:
        _memory(picture, memory, bottom + 34)
    return picture.written(MARGIN)


def _stages(picture: Picture, rows: Sequence[Row], top: float) -> float:
    total = sum(map(_ms, rows)) or 1.0
    x, place, line = float(MARGIN), float(MARGIN), top + BAR + 12
    for row in rows:
        width = (WIDTH - 2 * MARGIN) * _ms(row) / total
        picture.box(x, top, width, BAR, _color(row), f"{row['name']} {_ms(row):.1f} ms")
        x += width
    for row in rows:
        if _ms(row) < total / 100:
            continue
        words = f"{row['name']} {_ms(row):.1f} ms"
        if place + 15 + 7 * len(words) > WIDTH - MARGIN:
            place, line = float(MARGIN), line + LINE
        picture.box(place, line, 10, 10, _color(row))
        picture.text(place + 15, line + 9, words, size=12)
        place += 34 + 7 * len(words)
    return line + 14


def _bars(picture: Picture, title: str, rows: Sequence[Row], top: float) -> float:
    shown = sorted(rows, key=_ms, reverse=True)[:SHOWN]
    longest = max(map(_ms, shown), default=0.0) or 1.0
    picture.text(MARGIN, top, title, size=14, bold=True)
    for place, row in enumerate(shown):
        y = top + 12 + LINE * place
        picture.text(LEFT - 10, y + 12, f"{row['name']}  ({row['graph']})", size=12, anchor="end")
        width = (RIGHT - LEFT) * _ms(row) / longest
        picture.box(LEFT, y, width, LINE - 5, _color(row), f"{row['name']} {_ms(row):.2f} ms")
        picture.text(LEFT + width + 6, y + 12, f"{_ms(row):.2f} ms{_change(row)}", size=12)
    return top + 12 + LINE * len(shown)


def _change(row: Row) -> str:
    speedup = row.get("speedup")
    return f"  {speedup:.2f}×" if isinstance(speedup, float) and row.get("verdict") in ("slower", "faster") else ""


def _memory(picture: Picture, rows: Sequence[Row], top: float) -> None:
    names = {
        "process_mib": localized("プロセス全体", "process"),
        "held_mib": localized("確保済み（全モデル）", "held by all sessions"),
        "in_use_mib": localized("使用中（1 モデル）", "in use by one session"),
    }
    picture.text(MARGIN, top, localized("メモリー（MiB）", "Memory (MiB)"), size=14, bold=True)
    last = max(number(row, "at_ms") for row in rows) or 1.0
    most = max(number(row, name) for row in rows for name, _ in SERIES) or 1.0
    bottom = top + 14 + CURVES
    for share in (0.0, 0.5, 1.0):
        y = bottom - CURVES * share
        picture.line([(LEFT, y), (RIGHT, y)], GRID)
        picture.text(LEFT - 10, y + 4, f"{most * share:.0f}", size=11, color=PALE, anchor="end")
    for place, (name, color) in enumerate(SERIES):
        points = [(LEFT + (RIGHT - LEFT) * number(row, "at_ms") / last, bottom - CURVES * number(row, name) / most) for row in rows]
        picture.line(points, color, width=2.0)
        for x, y in points:
            picture.dot(x, y, color)
        picture.box(MARGIN, top + 16 + 20 * place, 10, 10, color)
        picture.text(MARGIN + 16, top + 25 + 20 * place, names[name], size=12)
    picture.text(LEFT, bottom + 18, "0 ms", size=11, color=PALE, anchor="middle")
    picture.text(RIGHT, bottom + 18, f"{cell(last)} ms", size=11, color=PALE, anchor="middle")


def _color(row: Row) -> str:
    return ON_LIGHT.get(str(row["stage"]), INK)


def _ms(row: Row) -> float:
    return number(row, "median_ms")
