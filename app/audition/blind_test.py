"""A blind test as a value: what is compared, what was heard, what was answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.audition.abx import FIXED_TRIALS
from app.audition.positions import seal
from app.errors import InputError
from app.language import localized

Kind = Literal["abx", "sequential", "pairs", "ranking"]
Choice = Literal["a", "b", "none"]
KINDS: tuple[Kind, ...] = ("abx", "sequential", "pairs", "ranking")
CHOICES: tuple[Choice, ...] = ("a", "b", "none")
MOST_TRIALS, MOST_SOUNDS, MOST_LINES = 1_000, 20, 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tested; fixed before the first trial.

    Attributes:
        sounds: a row for each line, a column for each of what is compared; `app.core.takes.Take.sound` of each.
        names: of the columns; hidden until the test has ended.
        trials: how many there will be, in `pairs` for each pair; a sequential test and a ranking end by themselves.
        undecided: "no preference" may be answered; only in `pairs`.
    """

    kind: Kind
    sounds: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    trials: int = FIXED_TRIALS
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """What is heard next.

    Attributes:
        line: row of the plan.
        a, b: columns of the plan: what stands behind the letters.
        x: the column that X is; None but in an ABX test.
    """

    number: int
    line: int
    a: int
    b: int
    x: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of a trial, after how many milliseconds."""

    trial: Trial
    choice: Choice
    ms: int = 0
    comment: str = ""


@dataclass(frozen=True, slots=True)
class BlindTest:
    """A test that has begun.

    Attributes:
        seed: 64 hex digits that decide every position; shown when the test has ended.
        stopped: given up; what was answered is shown, and proves nothing.
    """

    plan: Plan
    seed: str
    answers: tuple[Answer, ...] = ()
    stopped: bool = False
    id: str = ""

    @property
    def commitment(self) -> str:
        """Shown before the first trial: with it, nobody can choose another seed afterwards."""
        return seal(self.seed)


def planned_trials(kind: str, trials: int, count: int) -> int:
    """How many trials a test of a fixed number of them has: in pairs, so many of each two of its `count` sounds."""
    return trials * (count * (count - 1) // 2 if kind == "pairs" else 1)


def check_plan(plan: Plan) -> None:
    """Raises InputError for what cannot be tested."""
    count = len(plan.names)
    if not 2 <= count <= MOST_SOUNDS or (plan.kind in ("abx", "sequential") and count != 2):
        raise InputError(
            localized("比べる音声の数が合いません。", "This test cannot use that number of sounds."),
            localized(
                f"ABX は 2 つ、そのほかは 2〜{MOST_SOUNDS} 個選んでください。", f"Choose 2 for ABX, 2 to {MOST_SOUNDS} for other tests."
            ),
        )
    whole = all(len(row) == count for row in plan.sounds) and 1 <= len(plan.sounds) <= MOST_LINES
    planned = planned_trials(plan.kind, plan.trials, count)
    if not whole or plan.trials < 1 or planned > MOST_TRIALS or (plan.undecided and plan.kind != "pairs"):
        raise InputError(
            localized("この条件ではテストを行えません。", "These test settings are not valid."),
            localized(f"試行は {MOST_TRIALS:,} 回までです。", f"A test has up to {MOST_TRIALS:,} trials."),
        )
