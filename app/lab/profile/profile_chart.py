"""Draws a profile: the stages in one bar, below it the modules and operators that take most, and memory over time."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg_picture import GRID, INK, PALE, SvgPicture
from app.common.language import localize
from app.common.stage_colors import STAGE_COLORS_ON_LIGHT
from app.lab.report_rows import Row, format_cell, read_number

WIDTH, LEFT, RIGHT, MARGIN = 960, 250, 840, 24
BAR, LINE, SHOWN = 26, 20, 14
CURVES_HEIGHT_PX = 150  # height
MEMORY_SERIES = (("process_mib", "#999999"), ("held_mib", "#4477aa"), ("in_use_mib", "#ee6677"))


def draw_profile_chart(rows: Sequence[Row]) -> str:
    """Draw the chart as SVG."""
    picture = SvgPicture(WIDTH)
    picture.draw_text(MARGIN, 34, localize("時間の内訳", "Where the time goes"), size=18, bold=True)
    machine = next((row for row in rows if row["type"] == "machine"), {})
    picture.draw_text(MARGIN, 54, f"{machine.get('cpu', '')}, ONNX Runtime {machine.get('ort', '')}", size=12, color=PALE)
    found = [row for row in rows if row["type"] == "profile" and row["median_ms"] is not None]
    bottom = _draw_stages(picture, [row for row in found if row["scope"] == "stage" and row["memory_mib"] is not None], 84.0)
    for scope, title in (("module", localize("モジュール", "Modules")), ("operator", localize("演算子", "Operators"))):
        bottom = _draw_bars(picture, title, [row for row in found if row["scope"] == scope], bottom + 34)
    memory = [row for row in rows if row["type"] == "memory"]
    if len(memory) > 1:
        _draw_memory(picture, memory, bottom + 34)
    return picture.render_svg(MARGIN)


def _draw_stages(picture: SvgPicture, rows: Sequence[Row], top: float) -> float:
    total = sum(map(_read_median_ms, rows)) or 1.0
    x, place, line = float(MARGIN), float(MARGIN), top + BAR + 12
    for row in rows:
        width = (WIDTH - 2 * MARGIN) * _read_median_ms(row) / total
        picture.draw_box(x, top, width, BAR, _choose_color(row), f"{row['name']} {_read_median_ms(row):.1f} ms")
        x += width
    for row in rows:
        if _read_median_ms(row) < total / 100:
            continue
        words = f"{row['name']} {_read_median_ms(row):.1f} ms"
        if place + 15 + 7 * len(words) > WIDTH - MARGIN:
            place, line = float(MARGIN), line + LINE
        picture.draw_box(place, line, 10, 10, _choose_color(row))
        picture.draw_text(place + 15, line + 9, words, size=12)
        place += 34 + 7 * len(words)
    return line + 14


def _draw_bars(picture: SvgPicture, title: str, rows: Sequence[Row], top: float) -> float:
    shown = sorted(rows, key=_read_median_ms, reverse=True)[:SHOWN]
    longest = max(map(_read_median_ms, shown), default=0.0) or 1.0
    picture.draw_text(MARGIN, top, title, size=14, bold=True)
    for place, row in enumerate(shown):
        y = top + 12 + LINE * place
        picture.draw_text(LEFT - 10, y + 12, f"{row['name']}  ({row['graph']})", size=12, anchor="end")
        width = (RIGHT - LEFT) * _read_median_ms(row) / longest
        picture.draw_box(LEFT, y, width, LINE - 5, _choose_color(row), f"{row['name']} {_read_median_ms(row):.2f} ms")
        picture.draw_text(LEFT + width + 6, y + 12, f"{_read_median_ms(row):.2f} ms{_format_change(row)}", size=12)
    return top + 12 + LINE * len(shown)


def _format_change(row: Row) -> str:
    speedup = row.get("speedup")
    return f"  {speedup:.2f}×" if isinstance(speedup, float) and row.get("verdict") in ("slower", "faster") else ""


def _draw_memory(picture: SvgPicture, rows: Sequence[Row], top: float) -> None:
    names = {
        "process_mib": localize("プロセス全体", "process"),
        "held_mib": localize("確保済み（全モデル）", "held by all sessions"),
        "in_use_mib": localize("使用中（1 モデル）", "in use by one session"),
    }
    picture.draw_text(MARGIN, top, localize("メモリー（MiB）", "Memory (MiB)"), size=14, bold=True)
    last = max(read_number(row, "at_ms") for row in rows) or 1.0
    most = max(read_number(row, name) for row in rows for name, _ in MEMORY_SERIES) or 1.0
    bottom = top + 14 + CURVES_HEIGHT_PX
    for share in (0.0, 0.5, 1.0):
        y = bottom - CURVES_HEIGHT_PX * share
        picture.draw_line([(LEFT, y), (RIGHT, y)], GRID)
        picture.draw_text(LEFT - 10, y + 4, f"{most * share:.0f}", size=11, color=PALE, anchor="end")
    for place, (name, color) in enumerate(MEMORY_SERIES):
        points = [
            (LEFT + (RIGHT - LEFT) * read_number(row, "at_ms") / last, bottom - CURVES_HEIGHT_PX * read_number(row, name) / most)
            for row in rows
        ]
        picture.draw_line(points, color, width=2.0)
        for x, y in points:
            picture.draw_dot(x, y, color)
        picture.draw_box(MARGIN, top + 16 + 20 * place, 10, 10, color)
        picture.draw_text(MARGIN + 16, top + 25 + 20 * place, names[name], size=12)
    picture.draw_text(LEFT, bottom + 18, "0 ms", size=11, color=PALE, anchor="middle")
    picture.draw_text(RIGHT, bottom + 18, f"{format_cell(last)} ms", size=11, color=PALE, anchor="middle")


def _choose_color(row: Row) -> str:
    return STAGE_COLORS_ON_LIGHT.get(str(row["stage"]), INK)


def _read_median_ms(row: Row) -> float:
    return read_number(row, "median_ms")
