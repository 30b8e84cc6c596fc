"""Candidates in a plane: how many times faster, and how near to the exact graph; a panel for each graph."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg import GRID, INK, PALE, Picture
from app.lab.candidate_words import candidate_name
from app.lab.rows import Row, by_type, number
from app.lab.tables import columns_wide
from app.lab.value_words import graph_name
from app.language import localized
from app.voices.likeness import BEST_DB

WIDTH, LEFT, RIGHT, TOP, PANEL, GAP = 900, 70, 40, 40, 260, 70
STEPS_DB = (0, 20, 40, 60, 80, 100, 120)
BESIDE = 8  # from a dot to its name
LETTER_PX = 6.2  # of a Latin letter; Japanese ones take two
LINE = 14  # between labels that would touch
DOT, KEPT = "#2a6fbb", "#c0392b"
LEAST_SPEEDUP = 2.0  # on the right edge, so that few candidates do not fill it


def draw(rows: Sequence[Row]) -> str:
    """All rows of a report; those without figures are left out."""
    measured = [
        row
        for row in by_type(rows).get("optimise", [])
        if isinstance(row["speedup"], int | float) and isinstance(row["snr_db"], int | float)
    ]
    graphs = list(dict.fromkeys(str(row["graph"]) for row in measured))
    most = max([LEAST_SPEEDUP, *(number(row, "speedup") * 1.15 for row in measured)])
    picture = Picture(WIDTH)
    for index, graph in enumerate(graphs):
        _panel(picture, TOP + index * (PANEL + GAP), graph, [row for row in measured if row["graph"] == graph], most)
    return picture.written(20)


def _panel(picture: Picture, top: float, graph: str, rows: Sequence[Row], most: float) -> None:
    picture.text(LEFT, top - 14, graph_name(graph), bold=True)
    for level in STEPS_DB:
        y = _y(top, level)
        picture.line([(LEFT, y), (WIDTH - RIGHT, y)], GRID)
        picture.text(LEFT - 8, y + 4, f"{level} dB", size=11, color=PALE, anchor="end")
    step = 0.5 if most <= 5 else float(round(most / 6) or 1)
    for mark in range(int(most / step) + 1):
        x = _x(mark * step, most)
        picture.text(x, top + PANEL + 18, f"{mark * step:g}×", size=11, color=PALE, anchor="middle")
    exact = _x(1.0, most)
    picture.line([(exact, top), (exact, top + PANEL)], PALE, dashed=True)
    picture.text(
        WIDTH - RIGHT,
        top + PANEL + 34,
        localized("速さ（準備済みのグラフを 1 とする）", "times faster than the prepared graph"),
        size=11,
        anchor="end",
    )
    _points(picture, top, rows, most)


def _points(picture: Picture, top: float, rows: Sequence[Row], most: float) -> None:
    """Dots with their names beside them; a name moves down until it touches no dot and none that was written before."""
    taken = [(x - 5, x + 5, y + 4) for x, y in ((_x(number(row, "speedup"), most), _y(top, number(row, "snr_db"))) for row in rows)]
    for row in sorted(rows, key=lambda item: -number(item, "snr_db")):
        x, y, name = _x(number(row, "speedup"), most), _y(top, number(row, "snr_db")), candidate_name(str(row["candidate"]))
        picture.dot(x, y, KEPT if row["kept"] else DOT)
        width = LETTER_PX * columns_wide(name)
        left, at = _free_place((x, y + 4), width, taken)
        taken.append((left, left + width, at))
        is_right = left > x
        picture.text(
            x + BESIDE if is_right else x - BESIDE,
            at,
            name,
            size=11,
            color=KEPT if row["kept"] else INK,
            anchor="start" if is_right else "end",
        )


def _free_place(dot: tuple[float, float], width: float, taken: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Where a name begins, and its line: right of its dot or left of it, as near to its height as can be."""
    x, at = dot
    sides = [left for left in (x + BESIDE, x - BESIDE - width) if LEFT < left < WIDTH - width] or [x + BESIDE]
    while True:
        for left in sides:
            if not any(abs(at - other) < LINE and left < end and start < left + width for start, end, other in taken):
                return left, at
        at += LINE


def _x(speedup: float, most: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * speedup / most


def _y(top: float, snr_db: float) -> float:
    return top + PANEL * (1 - min(max(snr_db, 0.0), BEST_DB) / BEST_DB)
