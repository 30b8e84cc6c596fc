"""Draws what `inspect` counted: a bar a graph, as long as its multiply-adds, in the colours of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg_picture import INK, PALE, SvgPicture
from app.common.language import localize
from app.lab.report_rows import Row, read_number
from app.lab.row_labels import format_value
from app.lab.value_labels import format_graph

WIDTH, LEFT, RIGHT, MARGIN = 960, 190, 840, 24
BAR, ROW, TOP = 24, 58, 84
LONGEST_NAME, LEAST_NAMED_PX, LETTER_PX = 36, 30.0, 6.5
PART_COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
# Of graphs whose nodes name no part, and of int8.
REST_COLOR = "#bbbbbb"


def draw_inspect_chart(rows: Sequence[Row]) -> str:
    """Draw the chart as SVG; graphs that were not counted have no bar."""
    graphs = [row for row in rows if row["type"] == "graph" and read_number(row, "macs")]
    picture = SvgPicture(WIDTH)
    picture.draw_text(MARGIN, 34, localize("積和演算の数と内訳", "Multiply-adds by part"), size=18, bold=True)
    frames = max((read_number(row, "frames") for row in graphs), default=0.0)
    if frames:
        picture.draw_text(MARGIN, 54, localize(f"{frames:.0f} フレーム", f"{frames:.0f} frames"), size=12, color=PALE)
    most = max((read_number(row, "macs") for row in graphs), default=1.0)
    colors: dict[str, str] = {}
    for index, row in enumerate(graphs):
        parts = [item for item in rows if item["type"] == "part" and all(item[name] == row[name] for name in ("graph", "form"))]
        _draw_bar(picture, row, parts, (RIGHT - LEFT) / most, TOP + index * ROW, colors)
    return picture.render_svg(MARGIN)


def _draw_bar(picture: SvgPicture, row: Row, parts: Sequence[Row], scale: float, y: float, colors: dict[str, str]) -> None:
    """Draw a bar; a part has the same colour in every graph."""
    macs = read_number(row, "macs")
    picture.draw_text(LEFT - 10, y + 12, _shorten_name(format_graph(str(row["graph"]))), anchor="end")
    picture.draw_text(LEFT - 10, y + 26, str(format_value("form", row["form"])), size=11, color=PALE, anchor="end")
    picture.draw_box(LEFT, y, macs * scale, BAR, REST_COLOR)
    x, named = float(LEFT), float(LEFT)
    for part in parts:
        width, name = read_number(part, "macs") * scale, str(part["part"])
        color = colors.setdefault(name, PART_COLORS[len(colors) % len(PART_COLORS)]) if width else REST_COLOR
        picture.draw_box(x, y, width, BAR, color, f"{name} {_format_macs(read_number(part, 'macs'))}")
        if width >= LEAST_NAMED_PX and x >= named:
            picture.draw_text(x, y + BAR + 14, _shorten_name(name), size=11, color=PALE)
            named = x + LETTER_PX * min(len(name), LONGEST_NAME) + LETTER_PX
        x += width
    picture.draw_text(LEFT + macs * scale + 6, y + 17, _format_macs(macs), size=12, color=INK)


def _format_macs(macs: float) -> str:
    return f"{macs / 1e9:.3g} GMAC" if macs >= 1e9 else f"{macs / 1e6:.3g} MMAC"


def _shorten_name(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
