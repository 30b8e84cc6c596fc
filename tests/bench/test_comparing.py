"""Turns, ratios, winners and cross-overs."""

import pytest

from app.bench.repeated_runs import UNCOUNTED_TURNS, compute_ratio, list_figures, take_turns
from app.bench.stage_timing import (
    BackendCrossover,
    BenchMeasurement,
    find_crossovers,
    find_fastest_backends,
    find_target_ms,
    parse_backends,
)
from app.common.errors import InputError


def measured(text: str, backend: str, total_ms: float) -> BenchMeasurement:
    item = BenchMeasurement(text, backend, {}, is_single_graph=False)
    item.figures["warm"].append({"total": total_ms})
    return item


def test_turns_change_their_order_and_the_first_do_not_count() -> None:
    order: list[str] = []

    def way(name: str) -> dict[str, float]:
        order.append(name)
        return {"at": float(len(order))}

    found = take_turns({name: lambda name=name: way(name) for name in "abc"}, range(UNCOUNTED_TURNS + 9))
    turns = ["".join(order[start : start + 3]) for start in range(0, 30, 3)]
    assert all(sorted(turn) == ["a", "b", "c"] for turn in turns)
    assert len(set(turns)) > 3
    assert all(len(figures) == 9 for figures in found.values())
    assert sorted(value for figures in found.values() for value in list_figures(figures, "at")) == list(range(4, 31))


def test_ratios_are_of_the_same_turn() -> None:
    found = compute_ratio([10, 100, 1000, 40, 50], [5, 50, 500, 10, 5])
    assert (found.p25, found.median, found.p75) == (2, 2, 4)


def test_backends_with_commas() -> None:
    assert parse_backends("cpu, openvino,cpu") == ["cpu", "openvino"]
    assert parse_backends("bert=cpu,decoder=directml") == ["bert=cpu,decoder=directml"]
    with pytest.raises(InputError):
        parse_backends("cpu,,auto")


def test_who_wins_and_from_where_on() -> None:
    found = [measured(str(length), "cpu", 10 * length) for length in (5, 20, 40)]
    found += [measured("5", "gpu", 150), measured("20", "gpu", 180), measured("40", "gpu", 200), measured("long", "gpu", 1)]
    assert find_fastest_backends(found) == {"5": "cpu", "20": "gpu", "40": "gpu", "long": "gpu"}
    assert find_crossovers(found) == [BackendCrossover(pytest.approx(5 + 15 * 100 / 120), "cpu", "gpu")]  # type: ignore[arg-type]


def test_the_target_is_of_where_it_runs() -> None:
    mixed = {"bert": "cpu", "prosody": "cuda", "flow": "cuda", "decode": "cuda"}
    assert [find_target_ms(stage, mixed) for stage in ("bert", "synthesis", "total", "prosody")] == [300, 50, 140, None]
    assert find_target_ms("total", {"decode": "openvino"}) == 580
