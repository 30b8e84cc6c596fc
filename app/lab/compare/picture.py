"""Time against length, a line a candidate: medians, and from the least to the 90th percentile."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.bench.svg import GRID, INK, PALE, Picture
from app.lab.candidate_words import candidate_name
from app.lab.rows import Row, number
from app.language import localized

WIDTH, LEFT, RIGHT, MARGIN, TOP, HEIGHT = 960, 90, 920, 24, 84, 320
COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#882255", "#777777")
LEGEND_ROW = 20


def draw_comparison(rows: Sequence[Row]) -> str:
    """The picture as SVG: of all graphs together, else of the only one."""
    compared = [row for row in rows if row["type"] == "compare" and row["batch"] == 1] or [row for row in rows if row["type"] == "compare"]
    graph = "total" if any(row["graph"] == "total" for row in compared) else compared[0]["graph"]
    shown = [row for row in compared if row["graph"] == graph]
    picture = Picture(WIDTH)
    title = localized("合計時間とテキストの長さ（中央値）", "Total time by length (medians)")
    picture.text(MARGIN, 34, title, size=18, bold=True)
    picture.text(
        MARGIN, 54, localized("縦線は最小値から 90 パーセンタイルまで", "vertical lines: minimum to 90th percentile"), size=12, color=PALE
    )
    sizes = [number(row, "size") for row in shown]
    plot = _Plot(max(sizes) * 1.05, max(number(row, "p90_ms") for row in shown) * 1.08)
    _axes(picture, plot, sorted(set(sizes)), graph == "bert")
    for index, name in enumerate(dict.fromkeys(str(row["candidate"]) for row in shown)):
        own = sorted((row for row in shown if row["candidate"] == name), key=lambda row: number(row, "size"))
        _line(picture, plot, own, COLORS[index % len(COLORS)], dashed=index >= len(COLORS))
        y = TOP + HEIGHT + 62 + LEGEND_ROW * index
        picture.box(LEFT, y - 10, 12, 12, COLORS[index % len(COLORS)])
        wins = sum(bool(row["winner"]) for row in own)
        shown_name = candidate_name(name)
        words = localized(f"{shown_name}（{wins}/{len(own)} の長さで最速）", f"{shown_name} (fastest at {wins} of {len(own)} lengths)")
        picture.text(LEFT + 20, y, words, size=12)
    return picture.written(MARGIN)


class _Plot:
    """From values to pixels; both axes begin at 0."""

    def __init__(self, longest: float, slowest: float) -> None:
        self.longest, self.slowest = longest, slowest

    def x(self, size: float) -> float:
        return LEFT + (RIGHT - LEFT) * size / self.longest

    def y(self, ms: float) -> float:
        return TOP + HEIGHT * (1 - ms / self.slowest)

    def ticks(self) -> list[float]:
        """Four to nine round numbers."""
        step = 10.0 ** math.floor(math.log10(self.slowest))
        step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if self.slowest / (step * part) >= 4)
        return [step * index for index in range(int(self.slowest / step) + 1)]


def _axes(picture: Picture, plot: _Plot, sizes: Sequence[float], tokens: bool) -> None:
    for tick in plot.ticks():
        picture.line([(LEFT, plot.y(tick)), (RIGHT, plot.y(tick))], GRID)
        picture.text(LEFT - 10, plot.y(tick) + 4, f"{tick:g} ms", size=11, color=PALE, anchor="end")
    for size in sizes:
        picture.line([(plot.x(size), TOP + HEIGHT), (plot.x(size), TOP + HEIGHT + 5)], INK)
        picture.text(plot.x(size), TOP + HEIGHT + 18, f"{size:g}", size=11, color=PALE, anchor="middle")
    unit = localized("トークン数", "tokens") if tokens else localized("記号数", "symbols")
    picture.text(RIGHT, TOP + HEIGHT + 36, unit, size=11, color=PALE, anchor="end")


def _line(picture: Picture, plot: _Plot, rows: Sequence[Row], color: str, *, dashed: bool) -> None:
    points = [(plot.x(number(row, "size")), plot.y(number(row, "median_ms"))) for row in rows]
    if len(points) > 1:
        picture.line(points, color, width=2, dashed=dashed)
    for (x, y), row in zip(points, rows, strict=True):
        picture.line([(x, plot.y(number(row, "min_ms"))), (x, plot.y(number(row, "p90_ms")))], color)
        picture.dot(x, y, color)
