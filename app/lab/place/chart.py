"""Draws what each backend can run: a bar a graph, with what is left to the CPU."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg import PALE, Picture
from app.lab.rows import Row
from app.lab.value_words import graph_name
from app.lab.words import value_name
from app.language import localized

WIDTH, LEFT, RIGHT, MARGIN = 960, 220, 700, 24
LINE = 34
THERE, AWAY = "#228833", "#ee6677"


def place_chart(rows: Sequence[Row]) -> str:
    """The picture as SVG."""
    picture = Picture(WIDTH)
    picture.text(MARGIN, 34, localized("実行できる演算子", "What each backend can run"), size=18, bold=True)
    there, away = localized("実行できる", "has a kernel"), localized("CPU で実行", "left to the CPU")
    for x, color, words in ((MARGIN, THERE, there), (MARGIN + 140, AWAY, away)):
        picture.box(x, 48, 10, 10, color)
        picture.text(x + 16, 57, words, size=12)
    known = [row for row in rows if row["type"] == "place" and row["supported"] is not None]
    for number, row in enumerate(known):
        _bar(picture, row, 80.0 + LINE * number)
    return picture.written(MARGIN)


def _bar(picture: Picture, row: Row, y: float) -> None:
    nodes, supported, boundaries = (_count(row, name) for name in ("nodes", "supported", "boundaries"))
    picture.text(
        LEFT - 10,
        y + 10,
        graph_name(str(row["graph"])) + (f" ({value_name('form', row['form'])})" if "form" in row else ""),
        size=12,
        anchor="end",
    )
    picture.text(LEFT - 10, y + 23, str(value_name("backend", row["backend"])), size=11, color=PALE, anchor="end")
    width = (RIGHT - LEFT) * supported / max(nodes, 1)
    picture.box(LEFT, y, width, 18, THERE, f"{supported}")
    picture.box(LEFT + width, y, RIGHT - LEFT - width, 18, AWAY, f"{nodes - supported}")
    copied = localized(f"コピー {boundaries} 回", f"{boundaries} copies")
    picture.text(RIGHT + 10, y + 14, f"{supported:,} / {nodes:,}, {copied}", size=12)


def _count(row: Row, name: str) -> int:
    value = row[name]
    return value if isinstance(value, int) else 0
