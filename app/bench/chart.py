"""Draws what was measured: a bar a text, stage by stage, above it the first sound, below it the least that its work would take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.bench.backends import cross_overs
from app.bench.stages import Measured
from app.bench.svg import GRID, INK, PALE, Picture
from app.bench.targets import target_ms
from app.bench.work import Peak
from app.core.timing import OPAQUE_STAGES, STAGES
from app.language import localized
from app.stage_colors import ON_LIGHT

WIDTH, LEFT, RIGHT, MARGIN = 960, 150, 870, 24
BAR, COMPUTE, ROW = 22, 6, 62
CURVES = 220  # height
BACKEND_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377")
FAR = 3.0  # times the longest bar: a target beyond is written, not drawn


def chart(found: Sequence[Measured], peak: Peak, machine: str) -> str:
    """The picture as SVG.

    Args:
        machine: written below the title.
    """
    picture = Picture(WIDTH)
    picture.text(MARGIN, 34, localized("処理ごとの時間（キャッシュなし、中央値）", "Time by stage (no cache, medians)"), size=18, bold=True)
    picture.text(MARGIN, 54, machine, size=12, color=PALE)
    bottom = _bars(picture, found, peak, 110.0)
    bottom = _legend(picture, found, bottom + 20)
    if len({item.backend for item in found}) > 1 and len({item.text for item in found if item.text.isdecimal()}) > 1:
        _curves(picture, found, bottom + 50)
    return picture.written(MARGIN)


def _bars(picture: Picture, found: Sequence[Measured], peak: Peak, top: float) -> float:
    """All texts; returns where they end."""
    longest = max(item.median("warm", "total") for item in found)
    target = target_ms("total", found[0].ran_on)
    drawn = target is not None and target <= FAR * longest
    scale = _Scale(max(longest, target if drawn and target else 0.0) * 1.05)
    bottom = top + ROW * len(found)
    for tick in scale.ticks():
        picture.line([(scale.x(tick), top - 14), (scale.x(tick), bottom)], GRID)
        picture.text(scale.x(tick), bottom + 16, f"{tick:g} ms", size=11, color=PALE, anchor="middle")
    for index, item in enumerate(found):
        _bar(picture, item, peak, scale, top + index * ROW)
    if target is not None:
        words = localized(f"目標 {target:.0f} ms", f"target {target:.0f} ms")
        if drawn:
            picture.line([(scale.x(target), top - 14), (scale.x(target), bottom)], INK, dashed=True)
            picture.text(scale.x(target), top - 20, words, size=12, anchor="middle")
        else:
            picture.text(RIGHT, top - 20, words + " →", size=12, anchor="end")
    return bottom + 20


def _bar(picture: Picture, item: Measured, peak: Peak, scale: _Scale, y: float) -> None:
    name = localized(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    picture.text(LEFT - 10, y + 12, name, anchor="end")
    picture.text(LEFT - 10, y + 27, item.backend, size=11, color=PALE, anchor="end")
    at = 0.0
    for stage in OPAQUE_STAGES if item.opaque else STAGES:
        ms = item.median("warm", stage)
        picture.box(scale.x(at), y, scale.x(at + ms) - scale.x(at), BAR, ON_LIGHT[stage], f"{stage} {ms:.1f} ms")
        at += ms
    total = item.median("warm", "total")
    picture.text(max(scale.x(at), scale.x(total)) + 6, y + 16, f"{total:.0f} ms", size=12)
    first = item.median("warm", "first_audio")
    picture.mark(scale.x(first), y - 1, INK)
    work = item.work_of("total")
    if work is not None:
        least = peak.expected_ms(work)
        picture.box(scale.x(0), y + BAR + 3, scale.x(least) - scale.x(0), COMPUTE, INK, f"{work.gmac:.1f} GMAC, {least:.1f} ms")


def _legend(picture: Picture, found: Sequence[Measured], y: float) -> float:
    """Stages that can be seen, and the two marks; returns where it ends."""
    seen = [stage for stage in ON_LIGHT if any(item.median("warm", stage) >= 0.005 * item.median("warm", "total") for item in found)]
    shown = [stage for stage in seen if stage != "synthesis" or any(item.opaque for item in found)]
    x = float(LEFT)
    for stage in shown:
        picture.box(x, y, 12, 12, ON_LIGHT[stage])
        picture.text(x + 17, y + 11, stage, size=12)
        x += 34 + 7.5 * len(stage)
    picture.mark(LEFT + 6, y + 32, INK)
    picture.text(LEFT + 17, y + 33, localized("最初の音声まで", "time to first audio"), size=12)
    picture.box(LEFT + 120, y + 25, 24, COMPUTE, INK)
    words = localized("積和演算だけにかかる時間（演算数 ÷ 測定した上限）", "multiply-adds alone (counted, at measured peak)")
    picture.text(LEFT + 152, y + 33, words, size=12)
    return y + 36


def _curves(picture: Picture, found: Sequence[Measured], top: float) -> None:
    """Total against length, a line a backend, and where they cross."""
    lengths = sorted({int(item.text) for item in found if item.text.isdecimal()})
    across, up = _Scale(lengths[-1] * 1.05), _Scale(max(item.median("warm", "total") for item in found if item.text.isdecimal()) * 1.1)

    def y_of(ms: float) -> float:
        return top + CURVES * (1 - ms / up.most)

    picture.text(MARGIN, top - 16, localized("合計時間とテキストの長さ", "Total time by length"), size=15, bold=True)
    for tick in up.ticks():
        picture.line([(LEFT, y_of(tick)), (RIGHT, y_of(tick))], GRID)
        picture.text(LEFT - 10, y_of(tick) + 4, f"{tick:g} ms", size=11, color=PALE, anchor="end")
    for length in lengths:
        picture.text(
            across.x(length), top + CURVES + 18, localized(f"{length} トークン", f"{length} tokens"), size=11, color=PALE, anchor="middle"
        )
    for color, backend in zip(BACKEND_COLORS, dict.fromkeys(item.backend for item in found), strict=False):
        totals = {int(item.text): item.median("warm", "total") for item in found if item.backend == backend and item.text.isdecimal()}
        points = [(across.x(length), y_of(totals[length])) for length in lengths]
        picture.line(points, color, width=2)
        for point in points:
            picture.dot(*point, color)
        picture.text(points[-1][0] + 10, points[-1][1] + 4, backend, size=12, color=color)
    for item in cross_overs(found):
        picture.line([(across.x(item.tokens), top), (across.x(item.tokens), top + CURVES)], INK, dashed=True)
        picture.text(across.x(item.tokens), top - 4, f"{item.below} | {item.above}", size=11, anchor="middle")


class _Scale:
    """From 0 to `most` over the width of the picture."""

    def __init__(self, most: float) -> None:
        self.most = most

    def x(self, value: float) -> float:
        return LEFT + (RIGHT - LEFT) * value / self.most

    def ticks(self) -> list[float]:
        """Four to nine round numbers."""
        step = 10.0 ** math.floor(math.log10(self.most))
        step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if self.most / (step * part) >= 4)
        return [step * index for index in range(int(self.most / step) + 1)]
