"""The tables of `koebako bench`."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from app.bench.backends import cross_overs, winners
from app.bench.stages import COLUMNS, Measured, Row
from app.bench.targets import rows_of
from app.bench.work import Peak
from app.cli.output import result
from app.language import localized

FIGURES = ("median_ms", "mean_ms", "p95_ms", "p99_ms", "min_ms")


def csv_row(row: Row) -> str:
    """One row as CSV."""
    line = io.StringIO()
    csv.DictWriter(line, COLUMNS, lineterminator="").writerow(row)
    return line.getvalue()


def print_table(item: Measured, peak: Peak) -> None:
    """One text on one backend, in milliseconds: a line a stage."""
    rows = {(row["state"], row["stage"]): row for row in item.rows(peak)}
    tokens = localized(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    result(f"{tokens} · {item.backend} (ms)")
    names = ("cold", "warm", "mean", "p95", "p99", "min", "cached", "compute", "target")
    result(f"  {'':<12}" + "".join(f"{name:>9}" for name in names))
    for stage in rows_of(opaque=item.opaque):
        warm = rows["warm", stage]
        figures = [
            rows["cold", stage]["median_ms"],
            *(warm[name] for name in FIGURES),
            rows["cached", stage]["median_ms"],
            warm["expected_ms"],
        ]
        result(f"  {stage:<12}" + "".join(_cell(value) for value in figures) + _against(warm))
    rtf = rows["warm", "total"]["rtf"]
    if rtf is not None:
        result(f"  RTF {rtf:.3f}")
    result("")


def _cell(value: object) -> str:
    return f"{value:9.2f}" if isinstance(value, float) else f"{'':>9}"


def _against(warm: Row) -> str:
    """The product's target, and whether the median keeps it."""
    target, median = warm["target_ms"], warm["median_ms"]
    if not isinstance(target, float) or not isinstance(median, float):
        return ""
    return f"{target:9.0f} {'✓' if median <= target else '✗'}"


def print_comparison(found: Sequence[Measured]) -> None:
    """Who wins, and from where on."""
    for text, backend in winners(found).items():
        result(localized(f"{text}: {backend} が最速", f"{text}: {backend} is fastest"))
    for item in cross_overs(found):
        result(
            localized(
                f"約 {item.tokens:.0f} トークン以上では {item.above} が {item.below} より速い",
                f"from about {item.tokens:.0f} tokens, {item.above} is faster than {item.below}",
            )
        )
