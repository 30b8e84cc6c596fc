"""Draws what `inspect` counted: a bar a graph, as long as its multiply-adds, in the colours of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg import INK, PALE, Picture
from app.lab.rows import Row, number
from app.lab.value_words import graph_name
from app.lab.words import value_name
from app.language import localized

WIDTH, LEFT, RIGHT, MARGIN = 960, 190, 840, 24
BAR, ROW, TOP = 24, 58, 84
LONGEST_NAME, LEAST_NAMED_PX, LETTER_PX = 36, 30.0, 6.5
COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
REST = "#bbbbbb"  # of graphs whose nodes name no part, and of int8


def inspect_chart(rows: Sequence[Row]) -> str:
    """The picture as SVG; graphs that were not counted have no bar."""
    graphs = [row for row in rows if row["type"] == "graph" and number(row, "macs")]
    picture = Picture(WIDTH)
    picture.text(MARGIN, 34, localized("積和演算の数と内訳", "Multiply-adds by part"), size=18, bold=True)
    frames = max((number(row, "frames") for row in graphs), default=0.0)
    if frames:
        picture.text(MARGIN, 54, localized(f"{frames:.0f} フレーム", f"{frames:.0f} frames"), size=12, color=PALE)
    most = max((number(row, "macs") for row in graphs), default=1.0)
    colors: dict[str, str] = {}
    for index, row in enumerate(graphs):
        parts = [item for item in rows if item["type"] == "part" and all(item[name] == row[name] for name in ("graph", "form"))]
        _bar(picture, row, parts, (RIGHT - LEFT) / most, TOP + index * ROW, colors)
    return picture.written(MARGIN)


def _bar(picture: Picture, row: Row, parts: Sequence[Row], scale: float, y: float, colors: dict[str, str]) -> None:
    """A part has the same colour in every graph."""
    macs = number(row, "macs")
    picture.text(LEFT - 10, y + 12, _short(graph_name(str(row["graph"]))), anchor="end")
    picture.text(LEFT - 10, y + 26, str(value_name("form", row["form"])), size=11, color=PALE, anchor="end")
    picture.box(LEFT, y, macs * scale, BAR, REST)
    x, named = float(LEFT), float(LEFT)
    for part in parts:
        width, name = number(part, "macs") * scale, str(part["part"])
        color = colors.setdefault(name, COLORS[len(colors) % len(COLORS)]) if width else REST
        picture.box(x, y, width, BAR, color, f"{name} {_amount(number(part, 'macs'))}")
        if width >= LEAST_NAMED_PX and x >= named:
            picture.text(x, y + BAR + 14, _short(name), size=11, color=PALE)
            named = x + LETTER_PX * min(len(name), LONGEST_NAME) + LETTER_PX
        x += width
    picture.text(LEFT + macs * scale + 6, y + 17, _amount(macs), size=12, color=INK)


def _amount(macs: float) -> str:
    return f"{macs / 1e9:.3g} GMAC" if macs >= 1e9 else f"{macs / 1e6:.3g} MMAC"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
