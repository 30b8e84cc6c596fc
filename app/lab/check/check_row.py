"""One check and how it ended."""

from __future__ import annotations

import math
from collections.abc import Iterable

from app.lab.report_rows import Row

FAILED_CODE = 3


def build_check_row(
    check: str, graph: str, case: str, *, passed: bool, value: float | None = None, limit: float | None = None, detail: str = ""
) -> Row:
    """Build a row of the report.

    Args:
        check: parity, placement, shapes or latency.
        case: what was compared or run.
        value, limit: what was measured and what it was held against; None where there is no number.
        detail: why it failed, in the language of the user.
    """
    if value is not None and not math.isfinite(value):
        # JSON has no word for it.
        value = None
    return {
        "type": "check", "check": check, "graph": graph, "case": case, "value": value, "limit": limit, "passed": passed, "detail": detail,
    }  # fmt: skip


def has_all_passed(rows: Iterable[Row]) -> bool:
    """Return whether there was a check and none failed."""
    found = [row["passed"] for row in rows if row["type"] == "check"]
    return bool(found) and all(found)
