"""Rows of a profile beside those of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from app.lab.report_rows import Row, read_number


def compare_profiles(rows: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """Return the rows with `before_ms`, `speedup` (before ÷ now) and `verdict`, followed by those that are gone, without a time of now.

    `slower`: what was usual (the median) is now above nine tenths of the earlier runs; `faster`: the other way round.
    """
    before = {_build_key(row): row for row in earlier}
    found = [row | _compare_row(row, before.pop(_build_key(row), None)) for row in rows]
    gone = (
        {**dict.fromkeys(rows[0]), **{name: row[name] for name in ("type", "scope", "graph", "name")}, **_build_gone_row(row)}
        for row in before.values()
    )
    return found + list(gone)


def _build_key(row: Row) -> tuple[object, ...]:
    return row["scope"], row.get("graph"), row["name"]


def _compare_row(row: Row, earlier_row: Row | None) -> Row:
    if earlier_row is None:
        return {"before_ms": None, "speedup": None, "verdict": "new"}
    now_ms, then_ms = read_number(row, "median_ms"), read_number(earlier_row, "median_ms")
    slower, faster = now_ms > read_number(earlier_row, "p90_ms"), then_ms > read_number(row, "p90_ms")
    speedup = then_ms / now_ms if now_ms else None
    return {"before_ms": then_ms, "speedup": speedup, "verdict": "slower" if slower else "faster" if faster else "same"}


def _build_gone_row(row: Row) -> Row:
    return {"before_ms": read_number(row, "median_ms"), "speedup": None, "verdict": "gone"}
