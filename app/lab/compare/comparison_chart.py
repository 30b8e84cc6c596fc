"""Time against length, a line a candidate: medians, and from the least to the 90th percentile."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.bench.svg_picture import GRID, INK, PALE, SvgPicture
from app.common.language import localize
from app.lab.candidate_labels import format_candidate
from app.lab.report_rows import Row, read_number

WIDTH, LEFT, RIGHT, MARGIN, TOP, HEIGHT = 960, 90, 920, 24, 84, 320
COMPARISON_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#882255", "#777777")
LEGEND_ROW_PX = 20


def draw_comparison(rows: Sequence[Row]) -> str:
    """Draw the chart as SVG: of all graphs together, or else of the only one."""
    compared = [row for row in rows if row["type"] == "compare" and row["batch"] == 1] or [row for row in rows if row["type"] == "compare"]
    graph = "total" if any(row["graph"] == "total" for row in compared) else compared[0]["graph"]
    shown = [row for row in compared if row["graph"] == graph]
    picture = SvgPicture(WIDTH)
    title = localize("合計時間とテキストの長さ（中央値）", "Total time by length (medians)")
    picture.draw_text(MARGIN, 34, title, size=18, bold=True)
    picture.draw_text(
        MARGIN, 54, localize("縦線は最小値から 90 パーセンタイルまで", "vertical lines: minimum to 90th percentile"), size=12, color=PALE
    )
    sizes = [read_number(row, "size") for row in shown]
    plot = _ComparisonPlot(max(sizes) * 1.05, max(read_number(row, "p90_ms") for row in shown) * 1.08)
    _draw_axes(picture, plot, sorted(set(sizes)), graph == "bert")
    for index, name in enumerate(dict.fromkeys(str(row["candidate"]) for row in shown)):
        own = sorted((row for row in shown if row["candidate"] == name), key=lambda row: read_number(row, "size"))
        _draw_line(picture, plot, own, COMPARISON_COLORS[index % len(COMPARISON_COLORS)], dashed=index >= len(COMPARISON_COLORS))
        y = TOP + HEIGHT + 62 + LEGEND_ROW_PX * index
        picture.draw_box(LEFT, y - 10, 12, 12, COMPARISON_COLORS[index % len(COMPARISON_COLORS)])
        wins = sum(bool(row["winner"]) for row in own)
        shown_name = format_candidate(name)
        words = localize(f"{shown_name}（{wins}/{len(own)} の長さで最速）", f"{shown_name} (fastest at {wins} of {len(own)} lengths)")
        picture.draw_text(LEFT + 20, y, words, size=12)
    return picture.render_svg(MARGIN)


class _ComparisonPlot:
    """From values to pixels; both axes begin at 0."""

    def __init__(self, longest: float, slowest: float) -> None:
        self.longest, self.slowest = longest, slowest

    def scale_x(self, size: float) -> float:
        return LEFT + (RIGHT - LEFT) * size / self.longest

    def scale_y(self, ms: float) -> float:
        return TOP + HEIGHT * (1 - ms / self.slowest)

    def choose_ticks(self) -> list[float]:
        """Return four to nine round numbers."""
        step = 10.0 ** math.floor(math.log10(self.slowest))
        step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if self.slowest / (step * part) >= 4)
        return [step * index for index in range(int(self.slowest / step) + 1)]


def _draw_axes(picture: SvgPicture, plot: _ComparisonPlot, sizes: Sequence[float], tokens: bool) -> None:
    for tick in plot.choose_ticks():
        picture.draw_line([(LEFT, plot.scale_y(tick)), (RIGHT, plot.scale_y(tick))], GRID)
        picture.draw_text(LEFT - 10, plot.scale_y(tick) + 4, f"{tick:g} ms", size=11, color=PALE, anchor="end")
    for size in sizes:
        picture.draw_line([(plot.scale_x(size), TOP + HEIGHT), (plot.scale_x(size), TOP + HEIGHT + 5)], INK)
        picture.draw_text(plot.scale_x(size), TOP + HEIGHT + 18, f"{size:g}", size=11, color=PALE, anchor="middle")
    unit = localize("トークン数", "tokens") if tokens else localize("記号数", "symbols")
    picture.draw_text(RIGHT, TOP + HEIGHT + 36, unit, size=11, color=PALE, anchor="end")


def _draw_line(picture: SvgPicture, plot: _ComparisonPlot, rows: Sequence[Row], color: str, *, dashed: bool) -> None:
    points = [(plot.scale_x(read_number(row, "size")), plot.scale_y(read_number(row, "median_ms"))) for row in rows]
    if len(points) > 1:
        picture.draw_line(points, color, width=2, dashed=dashed)
    for (x, y), row in zip(points, rows, strict=True):
        picture.draw_line([(x, plot.scale_y(read_number(row, "min_ms"))), (x, plot.scale_y(read_number(row, "p90_ms")))], color)
        picture.draw_dot(x, y, color)
