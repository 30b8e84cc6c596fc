"""The tables of `koebako bench`."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from app.bench.backend_crossover import find_crossovers, find_fastest_backends
from app.bench.multiply_adds import ProcessorPeak
from app.bench.stage_timing import STAGE_TABLE_COLUMNS, BenchMeasurement, StageRow
from app.bench.target_times import list_rows
from app.cli.console_output import print_result
from app.common.language import localize

TABLE_FIGURES = ("median_ms", "mean_ms", "p95_ms", "p99_ms", "min_ms")


def format_csv_row(row: StageRow) -> str:
    """One row as CSV."""
    line = io.StringIO()
    csv.DictWriter(line, STAGE_TABLE_COLUMNS, lineterminator="").writerow(row)
    return line.getvalue()


def print_table(item: BenchMeasurement, peak: ProcessorPeak) -> None:
    """One text on one backend, in milliseconds: a line a stage."""
    rows = {(row["state"], row["stage"]): row for row in item.build_rows(peak)}
    tokens = localize(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    print_result(f"{tokens} · {item.backend} (ms)")
    names = ("cold", "warm", "mean", "p95", "p99", "min", "cached", "compute", "target")
    print_result(f"  {'':<12}" + "".join(f"{name:>9}" for name in names))
    for stage in list_rows(is_single_graph=item.is_single_graph):
        warm = rows["warm", stage]
        figures = [
            rows["cold", stage]["median_ms"],
            *(warm[name] for name in TABLE_FIGURES),
            rows["cached", stage]["median_ms"],
            warm["expected_ms"],
        ]
        print_result(f"  {stage:<12}" + "".join(_format_cell(value) for value in figures) + _format_target(warm))
    rtf = rows["warm", "total"]["rtf"]
    if rtf is not None:
        print_result(f"  RTF {rtf:.3f}")
    print_result("")


def _format_cell(value: object) -> str:
    return f"{value:9.2f}" if isinstance(value, float) else f"{'':>9}"


def _format_target(warm: StageRow) -> str:
    """The product's target, and whether the median keeps it."""
    target, median = warm["target_ms"], warm["median_ms"]
    if not isinstance(target, float) or not isinstance(median, float):
        return ""
    return f"{target:9.0f} {'✓' if median <= target else '✗'}"


def print_comparison(measurements: Sequence[BenchMeasurement]) -> None:
    """Print the fastest backend of each text, and the token counts from which one backend overtakes another."""
    for text, backend in find_fastest_backends(measurements).items():
        print_result(localize(f"{text}: {backend} が最速", f"{text}: {backend} is fastest"))
    for item in find_crossovers(measurements):
        print_result(
            localize(
                f"約 {item.tokens:.0f} トークン以上では {item.above} が {item.below} より速い",
                f"from about {item.tokens:.0f} tokens, {item.above} is faster than {item.below}",
            )
        )
