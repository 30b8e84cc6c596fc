"""Draws what `expect` found: a bar a graph, of it dark what the multiply-adds take, and who is to blame for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from app.bench.svg import INK, PALE, Picture
from app.lab.expect.rows import INEFFICIENT
from app.lab.rows import Row, number
from app.lab.words import value_name
from app.language import localized

WIDTH, LEFT, RIGHT, MARGIN = 960, 190, 850, 24
BAR, ROW, TOP = 24, 58, 92
LONGEST_NAME, NAMED = 40, 3  # letters; operators
GOOD, BAD, REST = "#228833", "#ee6677", "#dddddd"


def expect_chart(rows: Sequence[Row]) -> str:
    """The picture as SVG."""
    graphs = [row for row in rows if row["type"] == "expect" and ": " not in str(row["part"])]
    machine = next((row for row in rows if row["type"] == "machine"), {})
    picture = Picture(WIDTH)
    picture.text(MARGIN, 34, localized("想定時間と実測時間", "Expected and measured time"), size=18, bold=True)
    threads = localized(f"{machine.get('threads', '')} スレッド", f"{machine.get('threads', '')} threads")
    where = localized("、", ", ").join([str(machine.get("cpu", "")), threads, f"ONNX Runtime {machine.get('ort', '')}"])
    picture.text(MARGIN, 54, where, size=12, color=PALE)
    longest = max((max(number(row, "measured_ms"), number(row, "expected_ms")) for row in graphs), default=0.0) or 1.0
    for index, row in enumerate(graphs):
        _bar(picture, row, (RIGHT - LEFT) / longest, TOP + index * ROW)
    _legend(picture, TOP + len(graphs) * ROW + 6)
    return picture.written(MARGIN)


def _bar(picture: Picture, row: Row, scale: float, y: float) -> None:
    measured, expected = number(row, "measured_ms"), number(row, "expected_ms")
    color = BAD if row["verdict"] == INEFFICIENT else GOOD
    name = str(value_name("part", row["part"]))
    picture.text(LEFT - 10, y + 17, name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…", anchor="end")
    picture.box(LEFT, y, measured * scale, BAR, REST, _amount(measured))
    picture.box(LEFT, y, min(expected, measured) * scale, BAR, color, _amount(expected))
    picture.text(LEFT + measured * scale + 6, y + 17, _amount(measured), size=12)
    operators = row["operators"]
    blamed = list(operators.items())[:NAMED] if isinstance(operators, dict) and row["verdict"] == INEFFICIENT else []
    said = ", ".join(f"{operator[:LONGEST_NAME]} {_amount(ms)}" for operator, ms in blamed)
    share = f"{100 * number(row, 'efficiency'):.0f} %"
    picture.text(LEFT, y + BAR + 14, f"{share}   {said}", size=11, color=PALE if row["verdict"] != INEFFICIENT else INK)


def _legend(picture: Picture, y: float) -> None:
    for x, color, words in (
        (LEFT, GOOD, localized("積和演算（50% 以上）", "multiply-adds (50 % or more)")),
        (LEFT + 220, BAD, localized("積和演算（50% 未満）", "multiply-adds (less than 50 %)")),
        (LEFT + 440, REST, localized("そのほかの時間", "all other time")),
    ):
        picture.box(x, y, 12, 12, color)
        picture.text(x + 18, y + 11, words, size=12)


def _amount(ms: float) -> str:
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms:,.0f} ms"
