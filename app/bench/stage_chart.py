"""Draws what was measured: a bar a text, stage by stage, above it the first sound, below it the least that its work would take."""

from collections.abc import Sequence

from app.bench.multiply_adds import ProcessorPeak
from app.bench.stage_timing import BenchMeasurement, find_crossovers, find_target_ms
from app.bench.svg_picture import GRID, INK, MARGIN, PALE, ChartPlot, SvgPicture, choose_ticks, label_ms
from app.common.language import localize
from app.common.stages import STAGE_COLORS_ON_LIGHT
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES

LEFT, RIGHT, TOP = 150, 870, 110.0
BAR, COMPUTE, ROW = 22, 6, 62
BENCH_CURVES_HEIGHT_PX = 220
BACKEND_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377")
FAR_FROM_LIMIT_RATIO = 3.0  # times the longest bar: a target beyond is written, not drawn


def draw_chart(results: Sequence[BenchMeasurement], peak: ProcessorPeak, machine: str) -> str:
    """Draw the chart as SVG; `machine` is written below the title."""
    picture = SvgPicture(localize("処理ごとの時間（キャッシュなし、中央値）", "Time by stage (no cache, medians)"), machine)
    bottom = _draw_legend(picture, results, _draw_bars(picture, results, peak) + 20)
    by_length = [item for item in results if item.text.isdecimal()]
    if len({item.backend for item in results}) > 1 and len({item.text for item in by_length}) > 1:
        _draw_curves(picture, by_length, bottom + 50)
    return picture.render_svg()


def _draw_bars(picture: SvgPicture, results: Sequence[BenchMeasurement], peak: ProcessorPeak) -> float:
    """Draw the bars of all texts; return the y at which they end."""
    longest = max(item.compute_median("warm", "total") for item in results)
    target = find_target_ms("total", results[0].ran_on)
    drawn = target if target is not None and target <= FAR_FROM_LIMIT_RATIO * longest else None
    plot = ChartPlot(picture, LEFT, RIGHT, TOP, ROW * len(results), max(longest, drawn or 0.0) * 1.05)
    bottom = TOP + plot.height
    for tick in choose_ticks(plot.most_x):
        picture.draw_line([(plot.scale_x(tick), TOP - 14), (plot.scale_x(tick), bottom)], GRID)
        picture.draw_text(plot.scale_x(tick), bottom + 16, f"{tick:g} ms", size=11, color=PALE, anchor="middle")
    for index, item in enumerate(results):
        _draw_bar(plot, item, peak, TOP + index * ROW)
    if target is not None:
        words = localize(f"目標 {target:.0f} ms", f"target {target:.0f} ms")
        if drawn is not None:
            picture.draw_line([(plot.scale_x(target), TOP - 14), (plot.scale_x(target), bottom)], INK, dashed=True)
            picture.draw_text(plot.scale_x(target), TOP - 20, words, size=12, anchor="middle")
        else:
            picture.draw_text(RIGHT, TOP - 20, words + " →", size=12, anchor="end")
    return bottom + 20


def _draw_bar(plot: ChartPlot, item: BenchMeasurement, peak: ProcessorPeak, y: float) -> None:
    picture, ended_ms = plot.picture, 0.0
    name = localize(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    picture.draw_text(LEFT - 10, y + 12, name, anchor="end")
    picture.draw_text(LEFT - 10, y + 27, item.backend, size=11, color=PALE, anchor="end")
    for stage in SINGLE_GRAPH_STAGES if item.is_single_graph else PIPELINE_STAGES:
        ms, x = item.compute_median("warm", stage), plot.scale_x(ended_ms)
        ended_ms += ms
        picture.draw_box(x, y, plot.scale_x(ended_ms) - x, BAR, STAGE_COLORS_ON_LIGHT[stage], f"{stage} {ms:.1f} ms")
    total = item.compute_median("warm", "total")
    picture.draw_text(plot.scale_x(max(ended_ms, total)) + 6, y + 16, f"{total:.0f} ms", size=12)
    picture.draw_marker(plot.scale_x(item.compute_median("warm", "first_audio")), y - 1, INK)
    work = item.find_workload("total")
    if work is not None:
        least_ms = peak.compute_expected_ms(work)
        title = f"{work.gmac:.1f} GMAC, {least_ms:.1f} ms"
        picture.draw_box(LEFT, y + BAR + 3, plot.scale_x(least_ms) - LEFT, COMPUTE, INK, title)


def _draw_legend(picture: SvgPicture, results: Sequence[BenchMeasurement], y: float) -> float:
    """Draw the legend of the visible stages and the two marks; return the y at which it ends."""
    x = float(LEFT)
    for stage, color in STAGE_COLORS_ON_LIGHT.items():
        is_seen = any(item.compute_median("warm", stage) >= 0.005 * item.compute_median("warm", "total") for item in results)
        if is_seen and (stage != "synthesis" or any(item.is_single_graph for item in results)):
            picture.draw_key(x, y, color, stage, text_x=17)
            x += 34 + 7.5 * len(stage)
    picture.draw_marker(LEFT + 6, y + 32, INK)
    picture.draw_text(LEFT + 17, y + 33, localize("最初の音声まで", "time to first audio"), size=12)
    picture.draw_box(LEFT + 120, y + 25, 24, COMPUTE, INK)
    words = localize("積和演算だけにかかる時間（演算数 ÷ 測定した上限）", "multiply-adds alone (counted, at measured peak)")
    picture.draw_text(LEFT + 152, y + 33, words, size=12)
    return y + 36


def _draw_curves(picture: SvgPicture, results: Sequence[BenchMeasurement], top: float) -> None:
    """Draw total against length, a line for each backend, and where they cross."""
    totals = {(item.backend, int(item.text)): item.compute_median("warm", "total") for item in results}
    lengths = sorted({length for _, length in totals})
    plot = ChartPlot(picture, LEFT, RIGHT, top, BENCH_CURVES_HEIGHT_PX, lengths[-1] * 1.05, max(totals.values()) * 1.1)
    picture.draw_text(MARGIN, top - 16, localize("合計時間とテキストの長さ", "Total time by length"), size=15, bold=True)
    plot.draw_levels(label_ms(plot.most_y))
    bottom = top + BENCH_CURVES_HEIGHT_PX
    for length in lengths:
        words = localize(f"{length} トークン", f"{length} tokens")
        picture.draw_text(plot.scale_x(length), bottom + 18, words, size=11, color=PALE, anchor="middle")
    for color, backend in zip(BACKEND_COLORS, dict.fromkeys(item.backend for item in results), strict=False):
        plot.draw_curve([(length, totals[backend, length]) for length in lengths], color)
        end = plot.scale_x(lengths[-1]), plot.scale_y(totals[backend, lengths[-1]])
        picture.draw_text(end[0] + 10, end[1] + 4, backend, size=12, color=color)
    for item in find_crossovers(results):
        x = plot.scale_x(item.tokens)
        picture.draw_line([(x, top), (x, bottom)], INK, dashed=True)
        picture.draw_text(x, top - 4, f"{item.below} | {item.above}", size=11, anchor="middle")
