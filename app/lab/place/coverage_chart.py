"""Draws what each backend can run: a bar a graph, with what is left to the CPU."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg_picture import PALE, SvgPicture
from app.common.language import localize
from app.lab.report_rows import Row
from app.lab.row_labels import format_value
from app.lab.value_labels import format_graph

WIDTH, LEFT, RIGHT, MARGIN = 960, 220, 700, 24
BAR_PITCH_PX = 34
THERE, AWAY = "#228833", "#ee6677"


def draw_coverage_chart(rows: Sequence[Row]) -> str:
    """Draw the chart as SVG."""
    picture = SvgPicture(WIDTH)
    picture.draw_text(MARGIN, 34, localize("実行できる演算子", "What each backend can run"), size=18, bold=True)
    there, away = localize("実行できる", "has a kernel"), localize("CPU で実行", "left to the CPU")
    for x, color, words in ((MARGIN, THERE, there), (MARGIN + 140, AWAY, away)):
        picture.draw_box(x, 48, 10, 10, color)
        picture.draw_text(x + 16, 57, words, size=12)
    known = [row for row in rows if row["type"] == "place" and row["supported"] is not None]
    for number, row in enumerate(known):
        _draw_bar(picture, row, 80.0 + BAR_PITCH_PX * number)
    return picture.render_svg(MARGIN)


def _draw_bar(picture: SvgPicture, row: Row, y: float) -> None:
    nodes, supported, boundaries = (_read_count(row, name) for name in ("nodes", "supported", "boundaries"))
    picture.draw_text(
        LEFT - 10,
        y + 10,
        format_graph(str(row["graph"])) + (f" ({format_value('form', row['form'])})" if "form" in row else ""),
        size=12,
        anchor="end",
    )
    picture.draw_text(LEFT - 10, y + 23, str(format_value("backend", row["backend"])), size=11, color=PALE, anchor="end")
    width = (RIGHT - LEFT) * supported / max(nodes, 1)
    picture.draw_box(LEFT, y, width, 18, THERE, f"{supported}")
    picture.draw_box(LEFT + width, y, RIGHT - LEFT - width, 18, AWAY, f"{nodes - supported}")
    copied = localize(f"コピー {boundaries} 回", f"{boundaries} copies")
    picture.draw_text(RIGHT + 10, y + 14, f"{supported:,} / {nodes:,}, {copied}", size=12)


def _read_count(row: Row, name: str) -> int:
    value = row[name]
    return value if isinstance(value, int) else 0
