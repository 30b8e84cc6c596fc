"""Candidates in a plane: how many times faster, and how near to the exact graph; a panel for each graph."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg_picture import GRID, INK, PALE, SvgPicture
from app.common.language import localize
from app.core.sound.result_metrics import MAX_SNR_DB
from app.lab.report_rows import Row, group_by_type, read_number
from app.lab.report_tables import measure_columns
from app.lab.row_labels import format_candidate, format_graph

WIDTH, LEFT, RIGHT, TOP, PANEL, GAP = 900, 70, 40, 40, 260, 70
STEPS_DB = (0, 20, 40, 60, 80, 100, 120)
# From a dot to its name.
DOT_LABEL_GAP_PX = 8
# Of a Latin letter; Japanese ones take two.
LETTER_PX = 6.2
# Between labels that would touch.
LABEL_LINE_PX = 14
DOT, KEPT = "#2a6fbb", "#c0392b"
# On the right edge, so that few candidates do not fill it.
MIN_AXIS_SPEEDUP = 2.0


def draw_candidates(rows: Sequence[Row]) -> str:
    """Draw all rows of a report; those without figures are left out."""
    measured = [
        row
        for row in group_by_type(rows).get("optimise", [])
        if isinstance(row["speedup"], int | float) and isinstance(row["snr_db"], int | float)
    ]
    graphs = list(dict.fromkeys(str(row["graph"]) for row in measured))
    most = max([MIN_AXIS_SPEEDUP, *(read_number(row, "speedup") * 1.15 for row in measured)])
    picture = SvgPicture(WIDTH)
    for index, graph in enumerate(graphs):
        _draw_panel(picture, TOP + index * (PANEL + GAP), graph, [row for row in measured if row["graph"] == graph], most)
    return picture.render_svg(20)


def _draw_panel(picture: SvgPicture, top: float, graph: str, rows: Sequence[Row], max_speedup: float) -> None:
    picture.draw_text(LEFT, top - 14, format_graph(graph), bold=True)
    for level in STEPS_DB:
        y = _scale_y(top, level)
        picture.draw_line([(LEFT, y), (WIDTH - RIGHT, y)], GRID)
        picture.draw_text(LEFT - 8, y + 4, f"{level} dB", size=11, color=PALE, anchor="end")
    step = 0.5 if max_speedup <= 5 else float(round(max_speedup / 6) or 1)
    for mark in range(int(max_speedup / step) + 1):
        x = _scale_x(mark * step, max_speedup)
        picture.draw_text(x, top + PANEL + 18, f"{mark * step:g}×", size=11, color=PALE, anchor="middle")
    exact = _scale_x(1.0, max_speedup)
    picture.draw_line([(exact, top), (exact, top + PANEL)], PALE, dashed=True)
    picture.draw_text(
        WIDTH - RIGHT,
        top + PANEL + 34,
        localize("速さ（準備済みのグラフを 1 とする）", "times faster than the prepared graph"),
        size=11,
        anchor="end",
    )
    _draw_points(picture, top, rows, max_speedup)


def _draw_points(picture: SvgPicture, top: float, rows: Sequence[Row], max_speedup: float) -> None:
    """Draw points with their names beside them; a name moves down until it touches no point and no earlier name."""
    taken = [
        (x - 5, x + 5, y + 4)
        for x, y in ((_scale_x(read_number(row, "speedup"), max_speedup), _scale_y(top, read_number(row, "snr_db"))) for row in rows)
    ]
    for row in sorted(rows, key=lambda item: -read_number(item, "snr_db")):
        x, y, name = (
            _scale_x(read_number(row, "speedup"), max_speedup),
            _scale_y(top, read_number(row, "snr_db")),
            format_candidate(str(row["candidate"])),
        )
        picture.draw_dot(x, y, KEPT if row["kept"] else DOT)
        width = LETTER_PX * measure_columns(name)
        left, at = _find_free_position((x, y + 4), width, taken)
        taken.append((left, left + width, at))
        is_right = left > x
        picture.draw_text(
            x + DOT_LABEL_GAP_PX if is_right else x - DOT_LABEL_GAP_PX,
            at,
            name,
            size=11,
            color=KEPT if row["kept"] else INK,
            anchor="start" if is_right else "end",
        )


def _find_free_position(dot: tuple[float, float], width: float, taken: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Return the point where a name begins, and its line: right of its dot or left of it, as near to its height as can be."""
    x, at = dot
    sides = [left for left in (x + DOT_LABEL_GAP_PX, x - DOT_LABEL_GAP_PX - width) if LEFT < left < WIDTH - width] or [x + DOT_LABEL_GAP_PX]
    while True:
        for left in sides:
            if not any(abs(at - other) < LABEL_LINE_PX and left < end and start < left + width for start, end, other in taken):
                return left, at
        at += LABEL_LINE_PX


def _scale_x(speedup: float, max_speedup: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * speedup / max_speedup


def _scale_y(top: float, snr_db: float) -> float:
    return top + PANEL * (1 - min(max(snr_db, 0.0), MAX_SNR_DB) / MAX_SNR_DB)
