"""Blind tests as plain data for JSON. They come with projects, which may be strangers': all of it is checked, the positions against their seed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from app.audition.blind_test import (
    CHOICES,
    KINDS,
    MOST_LINES,
    MOST_SOUNDS,
    MOST_TRIALS,
    Answer,
    BlindTest,
    Plan,
    Trial,
    check_plan,
    planned_trials,
)
from app.audition.positions import SEED_DIGITS, positions
from app.audition.scores import remaining
from app.audition.trials import trial_of, x_of
from app.core.takes import is_sound_name
from app.errors import InputError
from app.json_text import long_text, short_text, whole

VERSION = 1
LONGEST_COMMENT = 2_000
LONGEST_MS = 24 * 3600 * 1000
_SEED = re.compile(f"[0-9a-f]{{{SEED_DIGITS}}}")


def blind_test_to_data(test: BlindTest) -> dict[str, Any]:
    """What `blind_test_from_data` reads."""
    plan = test.plan
    data: dict[str, Any] = {"version": VERSION, "id": test.id, "kind": plan.kind, "names": list(plan.names), "trials": plan.trials}
    data |= {"sounds": [list(row) for row in plan.sounds], "seed": test.seed, "answers": [_answer_to_data(item) for item in test.answers]}
    data |= {"references": list(plan.references)} if plan.references else {}
    return data | {name: True for name, value in (("undecided", plan.undecided), ("stopped", test.stopped)) if value}


def blind_test_from_data(data: object) -> BlindTest:
    """Raises ValueError, or InputError for a plan, for what this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != VERSION or data.get("kind") not in KINDS:
        raise ValueError("no test")
    rows = checked_list(data.get("sounds"), MOST_LINES)
    plan = Plan(
        kind=data["kind"],
        sounds=tuple(tuple(map(checked_sound, checked_list(row, MOST_SOUNDS))) for row in rows),
        names=tuple(map(short_text, checked_list(data.get("names"), MOST_SOUNDS))),
        trials=whole(data.get("trials"), 1, MOST_TRIALS),
        undecided=_flag(data, "undecided"),
        references=tuple(map(checked_sound, checked_list(data.get("references", []), MOST_LINES))),
    )
    check_plan(plan)
    seed = checked_seed(data.get("seed"))
    items = checked_list(data.get("answers"), MOST_TRIALS)
    answers = tuple(_answer(item, number, plan, seed) for number, item in enumerate(items))
    _check_course(BlindTest(plan, seed, answers))
    return BlindTest(plan, seed, answers, _flag(data, "stopped"), short_text(data.get("id", "")))


def has_ended(data: Mapping[str, Any]) -> bool:
    """Whether kept data says that the test is over, without a look at each answer; False where only that would show it."""
    if data.get("stopped") is True:
        return True
    kind, trials, answers, names = (data.get(name) for name in ("kind", "trials", "answers", "names"))
    if kind not in ("abx", "pairs") or not (isinstance(trials, int) and isinstance(answers, list) and isinstance(names, list)):
        return False
    return len(answers) >= planned_trials(kind, trials, len(names))


def readable_tests(items: Iterable[object]) -> tuple[BlindTest, ...]:
    """The tests of a project that this version understands; the others stay in it as they are."""
    tests = []
    for item in items:
        with suppress(ValueError, TypeError, InputError):
            tests.append(blind_test_from_data(item))
    return tuple(tests)


def _check_course(test: BlindTest) -> None:
    """Raises ValueError where trials are not those that the seed gives, or follow the end."""
    for number, answer in enumerate(test.answers):
        if test.plan.kind == "ranking":  # its pairs follow from logarithms, in which machines differ
            left = remaining(test, number)
            right = len(left) > 1 and answer.trial.a in left and answer.trial.b in left
        else:
            right = trial_of(replace(test, answers=test.answers[:number])) == answer.trial
        if not right:
            raise ValueError("trials that do not come from the seed")


def _answer_to_data(answer: Answer) -> dict[str, Any]:
    trial = answer.trial
    data = {"line": trial.line, "a": trial.a, "b": trial.b, "choice": answer.choice, "ms": answer.ms}
    return data | ({"x": trial.x} if trial.x is not None else {}) | ({"comment": answer.comment} if answer.comment else {})


def _answer(data: object, number: int, plan: Plan, seed: str) -> Answer:
    if not isinstance(data, dict) or data.get("choice") not in (CHOICES if plan.undecided else CHOICES[:2]):
        raise ValueError("an answer")
    a, b = (whole(data.get(name), 0, len(plan.names) - 1) for name in ("a", "b"))
    turned, second = positions(seed, number)
    x = x_of(plan, (min(a, b), max(a, b)), second)
    if a == b or turned != (a > b) or data.get("x") != x:
        raise ValueError("positions that do not come from the seed")
    trial = Trial(number, whole(data.get("line"), 0, len(plan.sounds) - 1), a, b, x)
    return Answer(trial, data["choice"], whole(data.get("ms"), 0, LONGEST_MS), long_text(data.get("comment", ""))[:LONGEST_COMMENT])


def checked_list(data: object, most: int) -> list[Any]:
    """Raises ValueError for what is none, or a longer one."""
    if not isinstance(data, list) or len(data) > most:
        raise ValueError("a list")
    return data


def checked_seed(value: object) -> str:
    """64 hex digits. Raises ValueError."""
    if not isinstance(value, str) or not _SEED.fullmatch(value):
        raise ValueError("seed")
    return value


def checked_sound(value: object) -> str:
    """The name of a kept sound. Raises ValueError."""
    if not is_sound_name(value):
        raise ValueError("a sound")
    return str(value)


def _flag(data: dict[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(name)
    return value
