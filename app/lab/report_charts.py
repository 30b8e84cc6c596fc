"""The picture of a report, drawn by the kind of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.lab.compare.comparison_chart import draw_comparison
from app.lab.expect.expect_chart import draw_expect_chart
from app.lab.inspect.inspect_chart import draw_inspect_chart
from app.lab.optimise.candidate_chart import draw_candidates
from app.lab.place.coverage_chart import draw_coverage_chart
from app.lab.profile.profile_chart import draw_profile_chart
from app.lab.report_rows import Row

DrawChart = Callable[[Sequence[Row]], str]
CHARTS_BY_TYPE: dict[str, DrawChart] = {
    "graph": draw_inspect_chart,
    "expect": draw_expect_chart,
    "profile": draw_profile_chart,
    "place": draw_coverage_chart,
    "compare": draw_comparison,
    "optimise": draw_candidates,
}
"""Kind of the rows → what draws all rows of a report as SVG."""


def draw_chart(rows: Sequence[Row]) -> str | None:
    """Draw the chart as SVG; return None if these rows have none."""
    draw = next((CHARTS_BY_TYPE[str(row["type"])] for row in rows if row["type"] in CHARTS_BY_TYPE), None)
    try:
        return draw(rows) if draw is not None else None
    except LookupError:  # rows of another version, which lack a column: their tables are shown all the same
        return None
