"""The picture of a report, drawn by the kind of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.lab.compare.picture import draw_comparison
from app.lab.expect.chart import expect_chart
from app.lab.inspect.chart import inspect_chart
from app.lab.optimise.chart import draw as draw_candidates
from app.lab.place.chart import place_chart
from app.lab.profile.chart import profile_chart
from app.lab.rows import Row

Draw = Callable[[Sequence[Row]], str]
CHARTS: dict[str, Draw] = {
    "graph": inspect_chart,
    "expect": expect_chart,
    "profile": profile_chart,
    "place": place_chart,
    "compare": draw_comparison,
    "optimise": draw_candidates,
}
"""Kind of the rows → what draws all rows of a report as SVG."""


def chart_of(rows: Sequence[Row]) -> str | None:
    """The picture as SVG; None where these rows have none."""
    draw = next((CHARTS[str(row["type"])] for row in rows if row["type"] in CHARTS), None)
    try:
        return draw(rows) if draw is not None else None
    except LookupError:  # rows of another version, which lack a column: their tables are shown all the same
        return None
