"""Blind tests as plain data for JSON. They come with projects, which may be strangers': all of it is checked, the positions against their seed."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from app.audition.blind_test import (
    ANSWER_CHOICES,
    BLIND_TEST_KINDS,
    FIXED_KINDS,
    HIGHEST_MUSHRA_RATING,
    MOST_LINES,
    MOST_SOUNDS,
    MOST_TRIALS,
    SEED_DIGITS,
    BlindTest,
    BlindTestPlan,
    BlindTrial,
    SoundSource,
    TrialAnswer,
    add_ratings,
    check_blind_test_plan,
    count_planned_trials,
    draw_positions,
    find_blind_trial,
    find_x_column,
    list_remaining_columns,
)
from app.common.errors import InputError
from app.common.files.untrusted_json import require_int, require_list, sanitise_long_text, sanitise_short_text
from app.core.script.project import is_sound_name

BLIND_TEST_VERSION = 1
MAX_COMMENT_LENGTH = 2_000
SOURCE_LENGTH = len(SoundSource())
MAX_TEXT_LENGTH = 1_000  # of a sentence; the rest is in the script
MAX_ANSWER_MS = 24 * 3600 * 1000
_SEED_PATTERN = re.compile(f"[0-9a-f]{{{SEED_DIGITS}}}")


def dump_blind_test(test: BlindTest) -> dict[str, Any]:
    """Return the data that `parse_blind_test` reads."""
    plan = test.plan
    data: dict[str, Any] = {"version": BLIND_TEST_VERSION, "id": test.id, "kind": plan.kind, "names": list(plan.names)}
    data |= _dump_origin(test)
    sounds = [list(row) for row in plan.sounds]
    if plan.is_rated:
        data |= {"sounds": sounds, "references": list(plan.references), "seed": test.seed}
        return data | {"ratings": [{"values": list(answer.ratings), "ms": answer.ms} for answer in test.answers]}
    data |= {"trials": plan.trials, "sounds": sounds, "seed": test.seed, "answers": [_dump_answer(item) for item in test.answers]}
    data |= {"references": list(plan.references)} if plan.references else {}
    return data | {name: True for name, value in (("undecided", plan.undecided), ("stopped", test.stopped)) if value}


def _dump_origin(test: BlindTest) -> dict[str, Any]:
    """Return what says where the sounds come from, which tests of earlier versions lack."""
    plan = test.plan
    data: dict[str, Any] = {"begun": test.begun} if test.begun else {}
    data |= {"texts": [text[:MAX_TEXT_LENGTH] for text in plan.texts]} if plan.texts else {}
    if not plan.sources:
        return data
    # Lines mostly share their speakers: each is written once, and one row where it is that of all lines.
    distinct = list(dict.fromkeys(source for row in plan.sources for source in row))
    rows = [[distinct.index(source) for source in row] for row in plan.sources]
    return data | {
        "sources": [list(source) for source in distinct],
        "source_rows": rows[:1] if all(row == rows[0] for row in rows) else rows,
    }


def parse_blind_test(data: object) -> BlindTest:
    """Parse a test; raise ValueError, or InputError for a plan, for data that this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != BLIND_TEST_VERSION or data.get("kind") not in BLIND_TEST_KINDS:
        raise ValueError("no test")
    plan = _parse_plan(data)
    check_blind_test_plan(plan)
    seed = data.get("seed")
    if not isinstance(seed, str) or not _SEED_PATTERN.fullmatch(seed):
        raise ValueError("seed")
    test = BlindTest(plan, seed, id=sanitise_short_text(data.get("id", "")), begun=_parse_time(data.get("begun", "")))
    if plan.is_rated:
        for item in require_list(data.get("ratings"), MOST_LINES):
            test = _add_parsed_ratings(test, item)
        return test
    items = require_list(data.get("answers"), MOST_TRIALS)
    answers = tuple(_parse_answer(item, number, plan, test.seed) for number, item in enumerate(items))
    _check_trial_order(replace(test, answers=answers))
    return replace(test, answers=answers, stopped=_parse_flag(data, "stopped"))


def has_test_ended(data: Mapping[str, Any]) -> bool:
    """Return whether kept data says that the test is over, without reading each answer; False where only the answers would show it."""
    if data.get("stopped") is True:
        return True
    kind, trials, answers, names = (data.get(name) for name in ("kind", "trials", "answers", "names"))
    if kind not in FIXED_KINDS or not (isinstance(trials, int) and isinstance(answers, list) and isinstance(names, list)):
        return False
    return len(answers) >= count_planned_trials(kind, trials, len(names))


def parse_readable_blind_tests(items: Iterable[object]) -> tuple[BlindTest, ...]:
    """Return the tests of a project that this version understands; the others stay in it as they are."""
    tests = []
    for item in items:
        with suppress(ValueError, TypeError, InputError):
            tests.append(parse_blind_test(item))
    return tuple(tests)


def _parse_plan(data: Mapping[str, Any]) -> BlindTestPlan:
    rows = require_list(data.get("sounds"), MOST_LINES)
    plan = BlindTestPlan(
        kind=data["kind"],
        sounds=tuple(tuple(map(_parse_sound_name, require_list(row, MOST_SOUNDS))) for row in rows),
        names=tuple(map(sanitise_short_text, require_list(data.get("names"), MOST_SOUNDS))),
        references=tuple(map(_parse_sound_name, require_list(data.get("references", []), MOST_LINES))),
        texts=_parse_texts(data.get("texts", []), len(rows)),
    )
    plan = replace(plan, sources=_parse_sources(data, plan))
    if plan.is_rated:
        return plan
    return replace(plan, trials=require_int(data.get("trials"), 1, MOST_TRIALS), undecided=_parse_flag(data, "undecided"))


def _parse_texts(value: object, line_count: int) -> tuple[str, ...]:
    texts = tuple(sanitise_long_text(text)[:MAX_TEXT_LENGTH] for text in require_list(value, MOST_LINES))
    if texts and len(texts) != line_count:
        raise ValueError("texts")
    return texts


def _parse_sources(data: Mapping[str, Any], plan: BlindTestPlan) -> tuple[tuple[SoundSource, ...], ...]:
    """Return who speaks each sound; nothing where the data does not say it."""
    names = [[sanitise_short_text(name) for name in require_list(item, SOURCE_LENGTH)] for item in require_list(data.get("sources", []))]
    if not names:
        return ()
    if any(len(item) != SOURCE_LENGTH for item in names):
        raise ValueError("sources")
    rows = [
        tuple(SoundSource(*names[require_int(number, 0, len(names) - 1)]) for number in require_list(row, MOST_SOUNDS + 1))
        for row in require_list(data.get("source_rows"), MOST_LINES)
    ]
    rows = rows * len(plan.sounds) if len(rows) == 1 else rows
    lengths = {len(row) for row in rows}
    if len(rows) != len(plan.sounds) or lengths not in ({len(plan.names)}, {len(plan.names) + 1} if plan.references else set()):
        raise ValueError("sources")
    return tuple(rows)


def _parse_time(value: object) -> str:
    text = sanitise_short_text(value)
    return datetime.fromisoformat(text).isoformat(timespec="minutes") if text else ""


def _check_trial_order(test: BlindTest) -> None:
    """Raise ValueError if trials are not those that the seed gives, or follow the end."""
    for number, answer in enumerate(test.answers):
        # Its pairs follow from logarithms, in which machines differ.
        if test.plan.kind == "ranking":
            remaining = list_remaining_columns(test, number)
            right = len(remaining) > 1 and answer.trial.a in remaining and answer.trial.b in remaining
        else:
            right = find_blind_trial(replace(test, answers=test.answers[:number])) == answer.trial
        if not right:
            raise ValueError("trials that do not come from the seed")


def _dump_answer(answer: TrialAnswer) -> dict[str, Any]:
    trial = answer.trial
    data = {"line": trial.line, "a": trial.a, "b": trial.b, "choice": answer.choice, "ms": answer.ms}
    return data | ({"x": trial.x} if trial.x is not None else {}) | ({"comment": answer.comment} if answer.comment else {})


def _parse_answer(data: object, number: int, plan: BlindTestPlan, seed: str) -> TrialAnswer:
    if not isinstance(data, dict) or data.get("choice") not in (ANSWER_CHOICES if plan.undecided else ANSWER_CHOICES[:2]):
        raise ValueError("an answer")
    a, b = (require_int(data.get(name), 0, len(plan.names) - 1) for name in ("a", "b"))
    turned, second = draw_positions(seed, number)
    x = find_x_column(plan, (min(a, b), max(a, b)), second)
    if a == b or turned != (a > b) or data.get("x") != x:
        raise ValueError("positions that do not come from the seed")
    trial = BlindTrial(number, require_int(data.get("line"), 0, len(plan.sounds) - 1), (a, b), x)
    return TrialAnswer(
        trial,
        data["choice"],
        require_int(data.get("ms"), 0, MAX_ANSWER_MS),
        sanitise_long_text(data.get("comment", ""))[:MAX_COMMENT_LENGTH],
    )


def _add_parsed_ratings(test: BlindTest, data: object) -> BlindTest:
    trial = find_blind_trial(test)
    if trial is None or not isinstance(data, dict):
        raise ValueError("ratings")
    values = [require_int(value, 0, HIGHEST_MUSHRA_RATING) for value in require_list(data.get("values"), len(trial.order))]
    if len(values) != len(trial.order):
        raise ValueError("ratings")
    return add_ratings(test, [values[column] for column in trial.order], require_int(data.get("ms"), 0, MAX_ANSWER_MS))


def _parse_sound_name(value: object) -> str:
    if not is_sound_name(value):
        raise ValueError("a sound")
    return str(value)


def _parse_flag(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(name)
    return value
