"""Hyperfine's rule: warm-up, at least so many runs, at least so many seconds."""

import pytest

from app.bench import repeated_runs
from app.bench.repeated_runs import UNCOUNTED_TURNS, Repeats
from app.cli.main import main


class Clock:
    """So much time passes at every look."""

    def __init__(self, step_s: float) -> None:
        self.now, self.step_s = 0.0, step_s

    def perf_counter(self) -> float:
        self.now += self.step_s
        return self.now


def test_the_rule_is_hyperfines() -> None:
    assert Repeats() == Repeats(runs=10, warmup=10, seconds=3.0)


@pytest.mark.parametrize(("step_s", "counted"), [(0.25, 33), (6.0, 10)])
def test_runs_and_seconds_are_both_kept_to(monkeypatch: pytest.MonkeyPatch, step_s: float, counted: int) -> None:
    """Two ways share six seconds. After the start, the clock is first read when ten turns are over; each reading moves it on by one step."""
    monkeypatch.setattr(repeated_runs, "time", Clock(step_s))
    turns = list(Repeats().iterate_turns(2))
    assert turns[:10] == [UNCOUNTED_TURNS - 1] * 10
    assert turns[10:] == list(range(UNCOUNTED_TURNS, UNCOUNTED_TURNS + counted))


def test_runs_that_warm_up_are_left_out() -> None:
    times = iter(range(100))
    assert Repeats(3, 2, 0).measure_repeatedly(lambda: float(next(times))) == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("part", ["profile", "compare", "optimise"])
@pytest.mark.parametrize("option", [("--seconds", "nan"), ("--seconds", "1e9"), ("--warmup", "-1")])
def test_numbers_out_of_range_are_refused_before_any_work(part: str, option: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", part, "koebako-starter-v1", *option]) == 2
    assert option[0] in capsys.readouterr().err
