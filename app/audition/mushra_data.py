"""MUSHRA tests as plain data for JSON; they come with projects, which may be strangers', so all of it is checked."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from app.audition.blind_test import MOST_LINES
from app.audition.blind_test_data import LONGEST_MS, checked_list, checked_seed, checked_sound
from app.audition.mushra import HIGHEST, MOST_SOUNDS, MushraPlan, MushraTest, check_plan, rated, trial_of
from app.errors import InputError
from app.json_text import short_text, whole

VERSION, KIND = 1, "mushra"


def mushra_to_data(test: MushraTest) -> dict[str, Any]:
    """What `mushra_from_data` reads."""
    plan = test.plan
    data: dict[str, Any] = {"version": VERSION, "id": test.id, "kind": KIND, "names": list(plan.names)}
    data |= {"sounds": [list(row) for row in plan.sounds], "references": list(plan.references), "seed": test.seed}
    return data | {"ratings": [{"values": list(rating.values), "ms": rating.ms} for rating in test.ratings]}


def mushra_from_data(data: object) -> MushraTest:
    """Raises ValueError, or InputError for a plan, for what this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != VERSION or data.get("kind") != KIND:
        raise ValueError("no test")
    plan = MushraPlan(
        tuple(tuple(map(checked_sound, checked_list(row, MOST_SOUNDS))) for row in checked_list(data.get("sounds"), MOST_LINES)),
        tuple(map(short_text, checked_list(data.get("names"), MOST_SOUNDS))),
        tuple(map(checked_sound, checked_list(data.get("references"), MOST_LINES))),
    )
    check_plan(plan)
    test = MushraTest(plan, checked_seed(data.get("seed")), id=short_text(data.get("id", "")))
    for item in checked_list(data.get("ratings"), MOST_LINES):
        test = _with(test, item)
    return test


def readable_mushra(items: Iterable[object]) -> tuple[MushraTest, ...]:
    """The MUSHRA tests of a project that this version understands."""
    tests = []
    for item in items:
        with suppress(ValueError, TypeError, InputError):
            tests.append(mushra_from_data(item))
    return tuple(tests)


def _with(test: MushraTest, data: object) -> MushraTest:
    trial = trial_of(test)
    if trial is None or not isinstance(data, dict):
        raise ValueError("ratings")
    values = [whole(value, 0, HIGHEST) for value in checked_list(data.get("values"), len(trial.order))]
    if len(values) != len(trial.order):
        raise ValueError("ratings")
    return rated(test, [values[column] for column in trial.order], whole(data.get("ms"), 0, LONGEST_MS))
