"""What was timed as rows: figures, the winner at each length, where the winner changes, and what must be said with it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.bench.turns import ratio
from app.lab.compare.timing import JOULES, TOTAL, Timed, column
from app.lab.rows import Row
from app.lab.statistics import LEAST_FOR_TAILS, outliers, summary
from app.language import localized

LEAST_FOR_QUARTILES = 4  # runs; fewer say nothing about three in four


def sentence_rows(found: Mapping[str, Timed], length: str, batch: int, size: int, seconds: float | None) -> list[Row]:
    """A row a graph and candidate, on one sentence.

    Args:
        size: symbols, or tokens of a BERT.
        seconds: of speech; None for a BERT.
    """
    several = any(len(item.opened.sessions) > 1 for item in found.values())
    graphs = list(dict.fromkeys(name for item in found.values() for name in item.opened.sessions))
    if several:
        graphs = [*(name for name in graphs if name != "whole"), TOTAL]  # of a graph in one piece the time is the total
    rows = []
    for graph in graphs:
        times = {name: column(item.warm, graph) for name, item in found.items() if graph == TOTAL or graph in item.opened.own}
        winner = min(times, key=lambda name: float(np.median(times[name])))
        for name, values in times.items():
            row: Row = {"type": "compare", "candidate": name, "graph": graph, "length": length, "batch": batch, **summary(values)}
            row |= {"winner": name == winner, **_further(found[name], graph, values, times[winner])}
            row |= {"joules_per_s": _joules(found[name], seconds) if graph == TOTAL or not several else None, "size": size}
            rows.append(row)
    return rows


def _further(item: Timed, graph: str, times: Sequence[float], best: Sequence[float]) -> Row:
    """How much slower than the winner, turn by turn; where a quartile is 1 or less, the difference is not clear."""
    slower = ratio(times, best)
    ratios = {"slower": slower.median, "slower_p25": slower.p25, "slower_p75": slower.p75}
    return {"cold_ms": item.cold.get(graph), "open_ms": item.opened.open_ms, "outliers": outliers(times), **ratios}


def _joules(item: Timed, seconds: float | None) -> float | None:
    """Of all graphs, for a second of speech."""
    taken = column(item.warm, JOULES)
    return float(np.mean(taken)) / seconds if taken and seconds else None


def cross_over_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Where another candidate becomes the fastest, on a straight line between two measured lengths; only where both are clear."""
    keys = dict.fromkeys((row["graph"], row["batch"]) for row in rows)
    for graph, batch in keys:
        own = [row for row in rows if (row["graph"], row["batch"]) == (graph, batch)]
        by_place = {(row["candidate"], row["size"]): row for row in own}
        winners = {_number(row["size"]): row["candidate"] for row in own if row["winner"]}
        for short, long in itertools.pairwise(sorted(winners)):
            below, above = winners[short], winners[long]
            if below != above and _clear(by_place[above, short]) and _clear(by_place[below, long]):
                medians = [[_number(by_place[name, size]["median_ms"]) for name in (above, below)] for size in (short, long)]
                before, after = (first - second for first, second in medians)
                at = short + (long - short) * before / (before - after)
                yield {"type": "crossover", "graph": graph, "batch": batch, "size": at, "below": below, "above": above}


def _clear(row: Row) -> bool:
    """Whether it lost three turns in four, of four at least."""
    return _number(row["runs"]) >= LEAST_FOR_QUARTILES and _number(row["slower_p25"]) > 1


def notes(rows: Sequence[Row], refused: Mapping[str, str]) -> Iterator[Row]:
    """What a reader has to know."""
    if any(row["p95_ms"] is None for row in rows):
        words = localized(
            f"{LEAST_FOR_TAILS} 回未満の測定では、95・99 パーセンタイルは示しません（n が小さすぎます）。",
            f"The 95th and 99th percentiles need at least {LEAST_FOR_TAILS} runs (n too small).",
        )
        yield {"type": "note", "note": words}
    for name, reason in refused.items():
        yield {"type": "note", "note": localized(f"{name} は比較できません: {reason}", f"{name} could not be compared: {reason}")}


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
