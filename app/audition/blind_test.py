"""A blind test as a value, whatever its method: what is compared, what was heard, what was answered.

A MUSHRA test follows ITU-R BS.1534-3, for one listener: the sounds of a line are rated side by side against a reference. They include,
unnamed, the reference itself and two anchors, which are the reference without its high frequencies: how these are rated says whether
the ratings can be relied on.

An answer makes the next test; which trial follows is decided by the sealed seed, by which chance can be checked afterwards, and, in a
ranking, by the answers. Counts stay hidden until the test has ended: `app.audition.blind_test_result` says what may be shown.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from app.audition.listening_statistics import FIXED_TRIALS, Float64, choose_next_pair, find_sequential_verdict
from app.common.errors import InputError
from app.common.language import localize
from app.core.script.script import create_line_id

BlindTestKind = Literal["abx", "sequential", "pairs", "ranking", "mushra"]
AnswerChoice = Literal["a", "b", "none"]
COMPARISON_KINDS: tuple[BlindTestKind, ...] = ("abx", "sequential", "pairs", "ranking")
BLIND_TEST_KINDS: tuple[BlindTestKind, ...] = (*COMPARISON_KINDS, "mushra")
# Users say how many trials these have; the others end by themselves, a MUSHRA test after every line.
FIXED_KINDS: tuple[BlindTestKind, ...] = ("abx", "pairs")
ANSWER_CHOICES: tuple[AnswerChoice, ...] = ("a", "b", "none")
MOST_TRIALS, MOST_SOUNDS, MOST_LINES = 1_000, 20, 200
HIGHEST_MUSHRA_RATING = 100
ANCHORS_HZ = (3_500, 7_000)
MAX_RATED_SOUNDS = 9  # with reference and anchors twelve, which is what the recommendation advises at most

SEED_DIGITS = 64


class SoundSource(NamedTuple):
    """The names of who speaks a sound, for people; each is empty where it is not known."""

    voice: str = ""
    speaker: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class BlindTestPlan:
    """The plan of a blind test; fixed before the first trial."""

    kind: BlindTestKind
    # A row for each line, a column for each of what is compared; `app.core.script.project.LineTake.sound` of each.
    sounds: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]  # of the columns; hidden until the test has ended
    trials: int = FIXED_TRIALS  # how many there will be, in `pairs` for each pair; nothing in tests that end by themselves
    undecided: bool = False  # "no preference" may be answered; only in `pairs`
    # Of each line, a sound that is heard openly. In an ABX test it is one of the two, and X always is it (a duo-trio test with a constant
    # reference); else it is heard with A and B, and the question is which of them is closer. Empty where there is none, as never in a
    # MUSHRA test.
    references: tuple[str, ...] = ()
    # The sentence of each line, and who speaks each of the sounds, then the reference where it was one of them; hidden until the test has
    # ended. Empty in tests of earlier versions.
    texts: tuple[str, ...] = ()
    sources: tuple[tuple[SoundSource, ...], ...] = ()

    @property
    def has_x(self) -> bool:
        """Return whether the test asks which of two sounds a third one is."""
        return self.kind in ("abx", "sequential")

    @property
    def is_rated(self) -> bool:
        """Return whether all sounds of a line are rated side by side; the other methods compare two at a time."""
        return self.kind == "mushra"

    @property
    def trial_count(self) -> int | None:
        """Return how many trials there will be; None where that depends on the answers."""
        if self.is_rated:
            return len(self.sounds)
        return count_planned_trials(self.kind, self.trials, len(self.names)) if self.kind in FIXED_KINDS else None

    @property
    def column_count(self) -> int:
        """Return the number of columns; in a MUSHRA test, the hidden reference and the anchors follow the sounds."""
        return len(self.names) + (1 + len(ANCHORS_HZ) if self.is_rated else 0)

    def list_column_names(self) -> tuple[str, ...]:
        """Return the names of all columns for people, after the reveal."""
        if not self.is_rated:
            return self.names
        muffled = (localize("こもらせた参照（強）", "Reference, very muffled"), localize("こもらせた参照（弱）", "Reference, muffled"))
        return (*self.names, localize("参照", "Reference"), *muffled)

    @property
    def reference_column(self) -> int | None:
        """Return the column that X always is; None if X changes, or if there is none."""
        if not self.has_x or not self.references:
            return None
        return next((column for column in range(len(self.names)) if tuple(row[column] for row in self.sounds) == self.references), None)

    def find_text(self, line: int) -> str:
        """Return the sentence of a line; empty where it is not known."""
        return self.texts[line] if self.texts else ""

    def find_source(self, line: int, column: int) -> SoundSource:
        """Return who speaks a sound, or, in the column after the sounds, the reference; without names where it is not known."""
        return self.sources[line][column] if self.sources and column < len(self.sources[line]) else SoundSource()


@dataclass(frozen=True, slots=True)
class BlindTrial:
    """A trial of a blind test: the sounds to be heard next."""

    number: int
    line: int
    order: tuple[int, ...]  # columns of the plan in the order of the letters from A on
    x: int | None = None  # the column that X is; None but in an ABX test

    @property
    def a(self) -> int:
        """Return the column behind A."""
        return self.order[0]

    @property
    def b(self) -> int:
        """Return the column behind B."""
        return self.order[1]


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """The answer to a trial, and the time in ms that it took."""

    trial: BlindTrial
    choice: AnswerChoice  # "none" in a MUSHRA test, where nothing is chosen
    ms: int = 0
    comment: str = ""
    ratings: tuple[int, ...] = ()  # 0 to 100 for each column of the plan; empty but in a MUSHRA test


def generate_seed() -> str:
    """Return a seed that nobody can guess: 64 hex digits."""
    return os.urandom(SEED_DIGITS // 2).hex()


def compute_seal(seed: str) -> str:
    """Compute the seal, shown instead of the seed until the end: SHA-256 of its digits, which `printf SEED | sha256sum` computes as well."""
    return hashlib.sha256(seed.encode("ascii")).hexdigest()


def draw_positions(seed: str, number: int) -> tuple[bool, int]:
    """Return for a trial whether its two sounds change places, and which of them, 0 or 1, X is. Trials are independent, as coins are."""
    drawn = _draw_bytes(seed, f"trial {number}")[0]
    return bool(drawn & 1), drawn >> 1 & 1


# A test that is read is gone through answer by answer.
@lru_cache(maxsize=4096)
def shuffle_numbers(seed: str, purpose: str, count: int) -> tuple[int, ...]:
    """Return the numbers below `count` in an order of their own for each `purpose`."""
    return tuple(sorted(range(count), key=lambda number: _draw_bytes(seed, f"{purpose} {number}")))


def _draw_bytes(seed: str, purpose: str) -> bytes:
    return hashlib.sha256(f"{seed} {purpose}".encode()).digest()


@dataclass(frozen=True, slots=True)
class BlindTest:
    """A test that has begun."""

    plan: BlindTestPlan
    seed: str  # 64 hex digits that decide every position; shown when the test has ended
    answers: tuple[TrialAnswer, ...] = ()
    stopped: bool = False  # given up; what was answered is shown, and proves nothing
    id: str = ""
    begun: str = ""  # when the first trial was shown, by ISO 8601 with the offset of the place; empty in tests of earlier versions

    @property
    def commitment(self) -> str:
        """Return the commitment shown before the first trial: with it, nobody can choose another seed afterwards."""
        return compute_seal(self.seed)


def count_planned_trials(kind: str, trials: int, count: int) -> int:
    """Return the number of trials of a test that compares two sounds and has a fixed number: in pairs, so many of each two of its `count` sounds."""
    return trials * (count * (count - 1) // 2 if kind == "pairs" else 1)


def choose_reference(plan: BlindTestPlan, column: int) -> BlindTestPlan:
    """Return the plan with one of its sounds as the reference of the others; an ABX test still compares it."""
    references = tuple(row[column] for row in plan.sounds)
    if plan.has_x:
        return replace(plan, references=references)
    rows = ((*row[:column], *row[column + 1 :]) for row in plan.sounds)
    sources = tuple((*row[:column], *row[column + 1 :], row[column]) for row in plan.sources)
    names = (*plan.names[:column], *plan.names[column + 1 :])
    return replace(plan, sounds=tuple(rows), names=names, references=references, sources=sources)


def check_blind_test_plan(plan: BlindTestPlan) -> None:
    """Raise InputError for a plan that cannot be tested."""
    if plan.is_rated:
        _check_rating_plan(plan)
        return
    count = len(plan.names)
    if not 2 <= count <= MOST_SOUNDS or (plan.has_x and count != 2):
        raise InputError(
            localize("比べる音声の数が合いません。", "This test cannot use that number of sounds."),
            localize(
                f"ABX は 2 つ、そのほかは 2〜{MOST_SOUNDS} 個選んでください。", f"Choose 2 for ABX, 2 to {MOST_SOUNDS} for other tests."
            ),
        )
    has_all_sounds = all(len(row) == count for row in plan.sounds) and 1 <= len(plan.sounds) <= MOST_LINES
    planned = count_planned_trials(plan.kind, plan.trials, count)
    if plan.references and (len(plan.references) != len(plan.sounds) or (has_all_sounds and plan.has_x and plan.reference_column is None)):
        raise InputError(
            localize("参照の音声が、比べる音声と合いません。", "The reference does not match the sounds."),
            localize("参照を選び直してください。", "Choose another reference."),
        )
    if not has_all_sounds or plan.trials < 1 or planned > MOST_TRIALS or (plan.undecided and plan.kind != "pairs"):
        raise InputError(
            localize("この条件ではテストを行えません。", "These test settings are not valid."),
            localize(f"試行は {MOST_TRIALS:,} 回までです。", f"A test has up to {MOST_TRIALS:,} trials."),
        )


def _check_rating_plan(plan: BlindTestPlan) -> None:
    has_all_sounds = all(len(row) == len(plan.names) for row in plan.sounds)
    if not (has_all_sounds and 1 <= len(plan.names) <= MAX_RATED_SOUNDS and 1 <= len(plan.sounds) <= MOST_LINES):
        raise InputError(
            localize("比べる音声の数が合いません。", "This test needs another number of sounds."),
            localize(f"1〜{MAX_RATED_SOUNDS} 個選んでください。", f"Choose 1 to {MAX_RATED_SOUNDS}."),
        )
    if len(plan.references) != len(plan.sounds):
        count = len(plan.sounds)
        raise InputError(
            localize("参照音声の数が合いません。", "The number of references does not match."),
            localize(f"行ごとに 1 つ、合わせて {count} 個選んでください。", f"Choose one for each line, {count} in all."),
        )


ELIMINATING_LOSSES = 2  # a sound leaves a ranking when it has lost so often: one slip of the listener costs nothing


def begin_blind_test(plan: BlindTestPlan, seed: str) -> BlindTest:
    """Return a test without answers; raise InputError for a plan that is not valid."""
    check_blind_test_plan(plan)
    return BlindTest(plan, seed, id=create_line_id(), begun=datetime.now().astimezone().isoformat(timespec="minutes"))


def find_blind_trial(test: BlindTest) -> BlindTrial | None:
    """Return the next trial to be answered; None where the test has ended."""
    number, lines, last = len(test.answers), len(test.plan.sounds), test.plan.trial_count
    if test.stopped or number >= (MOST_TRIALS if last is None else last):
        return None
    line = shuffle_numbers(test.seed, f"lines {number // lines}", lines)[number % lines]
    if test.plan.is_rated:
        return BlindTrial(number, line, shuffle_numbers(test.seed, f"order {number}", test.plan.column_count))
    pair = _choose_next_pair(test)
    if pair is None:
        return None
    turned, second = draw_positions(test.seed, number)
    return BlindTrial(number, line, pair[::-1] if turned else pair, find_x_column(test.plan, pair, second))


def find_x_column(plan: BlindTestPlan, pair: tuple[int, int], second: int) -> int | None:
    """Return the column that X is: the reference, if there is one, else the first or second of the pair as drawn; None if there is no X."""
    if not plan.has_x:
        return None
    return pair[second] if plan.reference_column is None else plan.reference_column


def add_answer(test: BlindTest, choice: AnswerChoice, ms: int = 0, comment: str = "") -> BlindTest:
    """Return the test with the answer to its current trial; raise ValueError if there is no trial, or no such answer."""
    trial = find_blind_trial(test)
    if trial is None or test.plan.is_rated or choice not in ANSWER_CHOICES or (choice == "none" and not test.plan.undecided):
        raise ValueError(choice)
    return replace(test, answers=(*test.answers, TrialAnswer(trial, choice, ms, comment)))


def add_ratings(test: BlindTest, shown: Sequence[int], ms: int = 0) -> BlindTest:
    """Return the test with the ratings of its current trial, in the order of the sounds; raise ValueError for impossible ratings."""
    trial = find_blind_trial(test)
    if (
        trial is None
        or len(shown) != len(trial.order)
        or not test.plan.is_rated
        or not all(0 <= value <= HIGHEST_MUSHRA_RATING for value in shown)
    ):
        raise ValueError("ratings")
    by_column = tuple(value for _, value in sorted(zip(trial.order, shown, strict=True)))
    return replace(test, answers=(*test.answers, TrialAnswer(trial, "none", ms, ratings=by_column)))


def take_back_answer(test: BlindTest) -> BlindTest:
    """Return the test without its last answer, for a user who pressed a wrong key; raise ValueError if it has none, or has ended, for then its score is known."""
    if not test.answers or find_blind_trial(test) is None:
        raise ValueError("nothing to take back")
    return replace(test, answers=test.answers[:-1])


def find_chosen_column(answer: TrialAnswer) -> int | None:
    """Return the column that an answer names; None for no preference."""
    return {"a": answer.trial.a, "b": answer.trial.b, "none": None}[answer.choice]


def count_wins(test: BlindTest) -> Float64:
    """Count how often each column was preferred to each other; an answer without a preference is half a win for both."""
    wins = np.zeros((len(test.plan.names),) * 2)
    for answer in test.answers:
        a, b, column = answer.trial.a, answer.trial.b, find_chosen_column(answer)
        for winner, loser in ((a, b), (b, a)):
            wins[winner, loser] += 0.5 if column is None else float(column == winner)
    return wins


def count_right_answers(test: BlindTest) -> int:
    """Count how often X was recognised."""
    return sum(find_chosen_column(answer) == answer.trial.x for answer in test.answers)


def list_remaining_columns(test: BlindTest, count: int | None = None) -> tuple[int, ...]:
    """Return the columns that are left in a ranking, now or after the first `count` answers."""
    losses = [0] * len(test.plan.names)
    for answer in test.answers[:count]:
        losses[answer.trial.b if find_chosen_column(answer) == answer.trial.a else answer.trial.a] += 1
    return tuple(column for column, lost in enumerate(losses) if lost < ELIMINATING_LOSSES)


def _choose_next_pair(test: BlindTest) -> tuple[int, int] | None:
    number, plan = len(test.answers), test.plan
    if plan.kind == "sequential":
        return (0, 1) if number == 0 or find_sequential_verdict(count_right_answers(test), number) is None else None
    if plan.kind == "ranking":
        remaining = list_remaining_columns(test)
        return choose_next_pair(count_wins(test), remaining) if len(remaining) > 1 else None
    pairs = list(combinations(range(len(plan.names)), 2))
    return pairs[shuffle_numbers(test.seed, f"pairs {number // len(pairs)}", len(pairs))[number % len(pairs)]]
