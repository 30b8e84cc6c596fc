"""Draws what was measured: a bar a text, stage by stage, above it the first sound, below it the least that its work would take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.bench.backend_crossover import find_crossovers
from app.bench.multiply_adds import ProcessorPeak
from app.bench.stage_timing import BenchMeasurement
from app.bench.svg_picture import GRID, INK, PALE, SvgPicture
from app.bench.target_times import find_target_ms
from app.common.language import localize
from app.common.stage_colors import STAGE_COLORS_ON_LIGHT
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES

WIDTH, LEFT, RIGHT, MARGIN = 960, 150, 870, 24
BAR, COMPUTE, ROW = 22, 6, 62
BENCH_CURVES_HEIGHT_PX = 220  # height
BACKEND_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377")
# Times the longest bar: a target beyond is written, not drawn.
FAR_FROM_LIMIT_RATIO = 3.0


def draw_chart(results: Sequence[BenchMeasurement], peak: ProcessorPeak, machine: str) -> str:
    """Draw the chart as SVG.

    Args:
        machine: written below the title.
    """
    picture = SvgPicture(WIDTH)
    picture.draw_text(
        MARGIN, 34, localize("処理ごとの時間（キャッシュなし、中央値）", "Time by stage (no cache, medians)"), size=18, bold=True
    )
    picture.draw_text(MARGIN, 54, machine, size=12, color=PALE)
    bottom = _draw_bars(picture, results, peak, 110.0)
    bottom = _draw_legend(picture, results, bottom + 20)
    if len({item.backend for item in results}) > 1 and len({item.text for item in results if item.text.isdecimal()}) > 1:
        _draw_curves(picture, results, bottom + 50)
    return picture.render_svg(MARGIN)


def _draw_bars(picture: SvgPicture, results: Sequence[BenchMeasurement], peak: ProcessorPeak, top: float) -> float:
    """Draw the bars of all texts; return the y at which they end."""
    longest = max(item.compute_median("warm", "total") for item in results)
    target = find_target_ms("total", results[0].ran_on)
    drawn = target is not None and target <= FAR_FROM_LIMIT_RATIO * longest
    scale = _ChartScale(max(longest, target if drawn and target else 0.0) * 1.05)
    bottom = top + ROW * len(results)
    for tick in scale.list_ticks():
        picture.draw_line([(scale.compute_x(tick), top - 14), (scale.compute_x(tick), bottom)], GRID)
        picture.draw_text(scale.compute_x(tick), bottom + 16, f"{tick:g} ms", size=11, color=PALE, anchor="middle")
    for index, item in enumerate(results):
        _draw_bar(picture, item, peak, scale, top + index * ROW)
    if target is not None:
        words = localize(f"目標 {target:.0f} ms", f"target {target:.0f} ms")
        if drawn:
            picture.draw_line([(scale.compute_x(target), top - 14), (scale.compute_x(target), bottom)], INK, dashed=True)
            picture.draw_text(scale.compute_x(target), top - 20, words, size=12, anchor="middle")
        else:
            picture.draw_text(RIGHT, top - 20, words + " →", size=12, anchor="end")
    return bottom + 20


def _draw_bar(picture: SvgPicture, item: BenchMeasurement, peak: ProcessorPeak, scale: _ChartScale, y: float) -> None:
    name = localize(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    picture.draw_text(LEFT - 10, y + 12, name, anchor="end")
    picture.draw_text(LEFT - 10, y + 27, item.backend, size=11, color=PALE, anchor="end")
    at = 0.0
    for stage in SINGLE_GRAPH_STAGES if item.is_single_graph else PIPELINE_STAGES:
        ms = item.compute_median("warm", stage)
        picture.draw_box(
            scale.compute_x(at),
            y,
            scale.compute_x(at + ms) - scale.compute_x(at),
            BAR,
            STAGE_COLORS_ON_LIGHT[stage],
            f"{stage} {ms:.1f} ms",
        )
        at += ms
    total = item.compute_median("warm", "total")
    picture.draw_text(max(scale.compute_x(at), scale.compute_x(total)) + 6, y + 16, f"{total:.0f} ms", size=12)
    first = item.compute_median("warm", "first_audio")
    picture.draw_marker(scale.compute_x(first), y - 1, INK)
    work = item.find_workload("total")
    if work is not None:
        least = peak.compute_expected_ms(work)
        picture.draw_box(
            scale.compute_x(0),
            y + BAR + 3,
            scale.compute_x(least) - scale.compute_x(0),
            COMPUTE,
            INK,
            f"{work.gmac:.1f} GMAC, {least:.1f} ms",
        )


def _draw_legend(picture: SvgPicture, results: Sequence[BenchMeasurement], y: float) -> float:
    """Draw the legend of the visible stages and the two marks; return the y at which it ends."""
    seen = [
        stage
        for stage in STAGE_COLORS_ON_LIGHT
        if any(item.compute_median("warm", stage) >= 0.005 * item.compute_median("warm", "total") for item in results)
    ]
    shown = [stage for stage in seen if stage != "synthesis" or any(item.is_single_graph for item in results)]
    x = float(LEFT)
    for stage in shown:
        picture.draw_box(x, y, 12, 12, STAGE_COLORS_ON_LIGHT[stage])
        picture.draw_text(x + 17, y + 11, stage, size=12)
        x += 34 + 7.5 * len(stage)
    picture.draw_marker(LEFT + 6, y + 32, INK)
    picture.draw_text(LEFT + 17, y + 33, localize("最初の音声まで", "time to first audio"), size=12)
    picture.draw_box(LEFT + 120, y + 25, 24, COMPUTE, INK)
    words = localize("積和演算だけにかかる時間（演算数 ÷ 測定した上限）", "multiply-adds alone (counted, at measured peak)")
    picture.draw_text(LEFT + 152, y + 33, words, size=12)
    return y + 36


def _draw_curves(picture: SvgPicture, results: Sequence[BenchMeasurement], top: float) -> None:
    """Draw total against length, a line for each backend, and where they cross."""
    lengths = sorted({int(item.text) for item in results if item.text.isdecimal()})
    across, up = (
        _ChartScale(lengths[-1] * 1.05),
        _ChartScale(max(item.compute_median("warm", "total") for item in results if item.text.isdecimal()) * 1.1),
    )

    def compute_y(ms: float) -> float:
        return top + BENCH_CURVES_HEIGHT_PX * (1 - ms / up.most)

    picture.draw_text(MARGIN, top - 16, localize("合計時間とテキストの長さ", "Total time by length"), size=15, bold=True)
    for tick in up.list_ticks():
        picture.draw_line([(LEFT, compute_y(tick)), (RIGHT, compute_y(tick))], GRID)
        picture.draw_text(LEFT - 10, compute_y(tick) + 4, f"{tick:g} ms", size=11, color=PALE, anchor="end")
    for length in lengths:
        picture.draw_text(
            across.compute_x(length),
            top + BENCH_CURVES_HEIGHT_PX + 18,
            localize(f"{length} トークン", f"{length} tokens"),
            size=11,
            color=PALE,
            anchor="middle",
        )
    for color, backend in zip(BACKEND_COLORS, dict.fromkeys(item.backend for item in results), strict=False):
        totals = {
            int(item.text): item.compute_median("warm", "total") for item in results if item.backend == backend and item.text.isdecimal()
        }
        points = [(across.compute_x(length), compute_y(totals[length])) for length in lengths]
        picture.draw_line(points, color, width=2)
        for point in points:
            picture.draw_dot(*point, color)
        picture.draw_text(points[-1][0] + 10, points[-1][1] + 4, backend, size=12, color=color)
    for item in find_crossovers(results):
        picture.draw_line(
            [(across.compute_x(item.tokens), top), (across.compute_x(item.tokens), top + BENCH_CURVES_HEIGHT_PX)], INK, dashed=True
        )
        picture.draw_text(across.compute_x(item.tokens), top - 4, f"{item.below} | {item.above}", size=11, anchor="middle")


class _ChartScale:
    """From 0 to `most` over the width of the picture."""

    def __init__(self, most: float) -> None:
        self.most = most

    def compute_x(self, value: float) -> float:
        return LEFT + (RIGHT - LEFT) * value / self.most

    def list_ticks(self) -> list[float]:
        """Return four to nine round numbers."""
        step = 10.0 ** math.floor(math.log10(self.most))
        step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if self.most / (step * part) >= 4)
        return [step * index for index in range(int(self.most / step) + 1)]
