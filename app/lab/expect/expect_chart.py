"""Draws what `expect` found: a bar for each graph, its dark part the time of the multiply-adds, and the causes of the rest."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg_picture import INK, PALE, SvgPicture
from app.common.language import localize
from app.lab.expect.expect_rows import INEFFICIENT
from app.lab.report_rows import Row, read_number
from app.lab.row_labels import format_value

WIDTH, LEFT, RIGHT, MARGIN = 960, 190, 850, 24
BAR, ROW, TOP = 24, 58, 92
LONGEST_NAME, NAMED = 40, 3  # letters; operators
GOOD, BAD, REST = "#228833", "#ee6677", "#dddddd"


def draw_expect_chart(rows: Sequence[Row]) -> str:
    """Draw the chart as SVG."""
    graphs = [row for row in rows if row["type"] == "expect" and ": " not in str(row["part"])]
    machine = next((row for row in rows if row["type"] == "machine"), {})
    picture = SvgPicture(WIDTH)
    picture.draw_text(MARGIN, 34, localize("想定時間と実測時間", "Expected and measured time"), size=18, bold=True)
    threads = localize(f"{machine.get('threads', '')} スレッド", f"{machine.get('threads', '')} threads")
    where = localize("、", ", ").join([str(machine.get("cpu", "")), threads, f"ONNX Runtime {machine.get('ort', '')}"])
    picture.draw_text(MARGIN, 54, where, size=12, color=PALE)
    longest = max((max(read_number(row, "measured_ms"), read_number(row, "expected_ms")) for row in graphs), default=0.0) or 1.0
    for index, row in enumerate(graphs):
        _draw_bar(picture, row, (RIGHT - LEFT) / longest, TOP + index * ROW)
    _draw_legend(picture, TOP + len(graphs) * ROW + 6)
    return picture.render_svg(MARGIN)


def _draw_bar(picture: SvgPicture, row: Row, scale: float, y: float) -> None:
    measured, expected = read_number(row, "measured_ms"), read_number(row, "expected_ms")
    color = BAD if row["verdict"] == INEFFICIENT else GOOD
    name = str(format_value("part", row["part"]))
    picture.draw_text(LEFT - 10, y + 17, name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…", anchor="end")
    picture.draw_box(LEFT, y, measured * scale, BAR, REST, _format_ms(measured))
    picture.draw_box(LEFT, y, min(expected, measured) * scale, BAR, color, _format_ms(expected))
    picture.draw_text(LEFT + measured * scale + 6, y + 17, _format_ms(measured), size=12)
    operators = row["operators"]
    blamed = list(operators.items())[:NAMED] if isinstance(operators, dict) and row["verdict"] == INEFFICIENT else []
    said = ", ".join(f"{operator[:LONGEST_NAME]} {_format_ms(ms)}" for operator, ms in blamed)
    share = f"{100 * read_number(row, 'efficiency'):.0f} %"
    picture.draw_text(LEFT, y + BAR + 14, f"{share}   {said}", size=11, color=PALE if row["verdict"] != INEFFICIENT else INK)


def _draw_legend(picture: SvgPicture, y: float) -> None:
    for x, color, words in (
        (LEFT, GOOD, localize("積和演算（50% 以上）", "multiply-adds (50 % or more)")),
        (LEFT + 220, BAD, localize("積和演算（50% 未満）", "multiply-adds (less than 50 %)")),
        (LEFT + 440, REST, localize("そのほかの時間", "all other time")),
    ):
        picture.draw_box(x, y, 12, 12, color)
        picture.draw_text(x + 18, y + 11, words, size=12)


def _format_ms(ms: float) -> str:
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms:,.0f} ms"
