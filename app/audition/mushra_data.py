"""MUSHRA tests as plain data for JSON; they come with projects, which may be strangers', so all of it is checked."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from app.audition.blind_test import MOST_LINES
from app.audition.blind_test_data import MAX_ANSWER_MS, parse_list, parse_seed, parse_sound_name
from app.audition.mushra import (
    HIGHEST_MUSHRA_RATING,
    MAX_RATED_SOUNDS,
    MushraPlan,
    MushraTest,
    add_ratings,
    check_mushra_plan,
    find_mushra_trial,
)
from app.common.errors import InputError
from app.common.files.untrusted_json import require_int, sanitise_short_text

VERSION, KIND = 1, "mushra"


def dump_mushra_test(test: MushraTest) -> dict[str, Any]:
    """Return the data that `parse_mushra_test` reads."""
    plan = test.plan
    data: dict[str, Any] = {"version": VERSION, "id": test.id, "kind": KIND, "names": list(plan.names)}
    data |= {"sounds": [list(row) for row in plan.sounds], "references": list(plan.references), "seed": test.seed}
    return data | {"ratings": [{"values": list(rating.values), "ms": rating.ms} for rating in test.ratings]}


def parse_mushra_test(data: object) -> MushraTest:
    """Parse a test; raise ValueError, or InputError for a plan, for data that this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != VERSION or data.get("kind") != KIND:
        raise ValueError("no test")
    plan = MushraPlan(
        tuple(tuple(map(parse_sound_name, parse_list(row, MAX_RATED_SOUNDS))) for row in parse_list(data.get("sounds"), MOST_LINES)),
        tuple(map(sanitise_short_text, parse_list(data.get("names"), MAX_RATED_SOUNDS))),
        tuple(map(parse_sound_name, parse_list(data.get("references"), MOST_LINES))),
    )
    check_mushra_plan(plan)
    test = MushraTest(plan, parse_seed(data.get("seed")), id=sanitise_short_text(data.get("id", "")))
    for item in parse_list(data.get("ratings"), MOST_LINES):
        test = _add_parsed_rating(test, item)
    return test


def parse_readable_mushra_tests(items: Iterable[object]) -> tuple[MushraTest, ...]:
    """Return the MUSHRA tests of a project that this version understands."""
    tests = []
    for item in items:
        with suppress(ValueError, TypeError, InputError):
            tests.append(parse_mushra_test(item))
    return tuple(tests)


def _add_parsed_rating(test: MushraTest, data: object) -> MushraTest:
    trial = find_mushra_trial(test)
    if trial is None or not isinstance(data, dict):
        raise ValueError("ratings")
    values = [require_int(value, 0, HIGHEST_MUSHRA_RATING) for value in parse_list(data.get("values"), len(trial.order))]
    if len(values) != len(trial.order):
        raise ValueError("ratings")
    return add_ratings(test, [values[column] for column in trial.order], require_int(data.get("ms"), 0, MAX_ANSWER_MS))
