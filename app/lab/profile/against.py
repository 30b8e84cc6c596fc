"""Rows of a profile beside those of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from app.lab.rows import Row, number


def against(rows: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """The rows with `before_ms`, `speedup` (before ÷ now) and `verdict`; what is gone follows, with no time of now.

    `slower`: what was usual (the median) is now above nine tenths of the earlier runs; `faster`: the other way round.
    """
    before = {_key(row): row for row in earlier}
    found = [row | _compared(row, before.pop(_key(row), None)) for row in rows]
    gone = (
        {**dict.fromkeys(rows[0]), **{name: row[name] for name in ("type", "scope", "graph", "name")}, **_gone(row)}
        for row in before.values()
    )
    return found + list(gone)


def _key(row: Row) -> tuple[object, ...]:
    return row["scope"], row.get("graph"), row["name"]


def _compared(row: Row, before: Row | None) -> Row:
    if before is None:
        return {"before_ms": None, "speedup": None, "verdict": "new"}
    now_ms, then_ms = number(row, "median_ms"), number(before, "median_ms")
    slower, faster = now_ms > number(before, "p90_ms"), then_ms > number(row, "p90_ms")
    speedup = then_ms / now_ms if now_ms else None
    return {"before_ms": then_ms, "speedup": speedup, "verdict": "slower" if slower else "faster" if faster else "same"}


def _gone(row: Row) -> Row:
    return {"before_ms": number(row, "median_ms"), "speedup": None, "verdict": "gone"}
