"""Turns timings into rows: figures, the winner at each length, the lengths where the winner changes, and the notes needed with them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.bench.turn_taking import compute_ratio
from app.common.language import localize
from app.lab.compare.candidate_timing import JOULES_FIGURE, TOTAL_FIGURE, CandidateTimings, collect_figure
from app.lab.report_rows import Row
from app.lab.run_statistics import MIN_RUNS_FOR_TAILS, compute_summary, count_outliers

# Runs; fewer say nothing about three in four.
MIN_RUNS_FOR_QUARTILES = 4


def build_sentence_rows(timings: Mapping[str, CandidateTimings], length: str, batch: int, size: int, seconds: float | None) -> list[Row]:
    """Return a row for each graph and candidate, on one sentence.

    Args:
        size: symbols, or tokens of a BERT.
        seconds: of speech; None for a BERT.
    """
    several = any(len(item.opened.sessions) > 1 for item in timings.values())
    graphs = list(dict.fromkeys(name for item in timings.values() for name in item.opened.sessions))
    if several:
        # Of a graph in one piece the time is the total.
        graphs = [*(name for name in graphs if name != "whole"), TOTAL_FIGURE]
    rows = []
    for graph in graphs:
        times = {
            name: collect_figure(item.warm, graph)
            for name, item in timings.items()
            if graph == TOTAL_FIGURE or graph in item.opened.own_graphs
        }
        winner = min(times, key=lambda name: float(np.median(times[name])))
        for name, values in times.items():
            row: Row = {"type": "compare", "candidate": name, "graph": graph, "length": length, "batch": batch, **compute_summary(values)}
            row |= {"winner": name == winner, **_build_ratio_columns(timings[name], graph, values, times[winner])}
            row |= {
                "joules_per_s": _compute_joules_per_s(timings[name], seconds) if graph == TOTAL_FIGURE or not several else None,
                "size": size,
            }
            rows.append(row)
    return rows


def _build_ratio_columns(item: CandidateTimings, graph: str, times: Sequence[float], best: Sequence[float]) -> Row:
    """Return how much slower a candidate is than the winner, turn by turn; where a quartile is 1 or less, the difference is not clear."""
    slower = compute_ratio(times, best)
    ratios = {"slower": slower.median, "slower_p25": slower.p25, "slower_p75": slower.p75}
    return {"cold_ms": item.cold.get(graph), "open_ms": item.opened.open_ms, "outliers": count_outliers(times), **ratios}


def _compute_joules_per_s(item: CandidateTimings, seconds: float | None) -> float | None:
    """Return the joules of all graphs for a second of speech, or None."""
    taken = collect_figure(item.warm, JOULES_FIGURE)
    return float(np.mean(taken)) / seconds if taken and seconds else None


def find_crossovers(rows: Sequence[Row]) -> Iterator[Row]:
    """Find where another candidate becomes the fastest, on a straight line between two measured lengths; only where both are clear."""
    keys = dict.fromkeys((row["graph"], row["batch"]) for row in rows)
    for graph, batch in keys:
        own = [row for row in rows if (row["graph"], row["batch"]) == (graph, batch)]
        by_place = {(row["candidate"], row["size"]): row for row in own}
        winners = {_require_number(row["size"]): row["candidate"] for row in own if row["winner"]}
        for short, long in itertools.pairwise(sorted(winners)):
            below, above = winners[short], winners[long]
            if below != above and _is_clear(by_place[above, short]) and _is_clear(by_place[below, long]):
                medians = [[_require_number(by_place[name, size]["median_ms"]) for name in (above, below)] for size in (short, long)]
                before, after = (first - second for first, second in medians)
                at = short + (long - short) * before / (before - after)
                yield {"type": "crossover", "graph": graph, "batch": batch, "size": at, "below": below, "above": above}


def _is_clear(row: Row) -> bool:
    """Return whether a candidate lost three turns in four, of four at least."""
    return _require_number(row["runs"]) >= MIN_RUNS_FOR_QUARTILES and _require_number(row["slower_p25"]) > 1


def build_notes(rows: Sequence[Row], refused: Mapping[str, str]) -> Iterator[Row]:
    """Build the notes that a reader needs to understand the rows."""
    if any(row["p95_ms"] is None for row in rows):
        words = localize(
            f"{MIN_RUNS_FOR_TAILS} 回未満の測定では、95・99 パーセンタイルは示しません（n が小さすぎます）。",
            f"The 95th and 99th percentiles need at least {MIN_RUNS_FOR_TAILS} runs (n too small).",
        )
        yield {"type": "note", "note": words}
    for name, reason in refused.items():
        yield {"type": "note", "note": localize(f"{name} は比較できません: {reason}", f"{name} could not be compared: {reason}")}


def _require_number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
