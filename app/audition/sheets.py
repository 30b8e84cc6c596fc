"""Answers as a table. The first columns are those of webMUSHRA's `paired_comparison.csv`, so that its evaluations read it; ours follow."""

from __future__ import annotations

import csv
import io

from app.audition.blind_test import Answer, BlindTest
from app.audition.results import result_of
from app.audition.scores import chosen
from app.core.spreadsheets import harmless
from app.errors import InputError
from app.language import localized

COLUMNS = (
    *("session_test_id", "trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
    *("kind", "line", "sound_a", "sound_b", "chosen"),
)


def csv_sheet(test: BlindTest) -> str:
    """One row for each answer; opens in spreadsheets as UTF-8. Raises InputError while the test continues: it names what stands behind the letters.

    The "reference" is X in an ABX test, and in pairs the one of the two that stands first in the plan: "correct" says that it was chosen,
    "incorrect" the other one, "undecided" neither. Times are milliseconds.
    """
    check_ended(test)
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    rows.writerows(_row(test, answer) for answer in test.answers)
    return "\ufeff" + text.getvalue()


def check_ended(test: BlindTest) -> None:
    """Raises InputError while a test continues."""
    if result_of(test) is None and not test.stopped:
        raise not_ended()


def not_ended() -> InputError:
    """For sheets that were asked for too early."""
    return InputError(
        localized("テストはまだ終わっていません。", "The test has not ended yet."),
        localized("最後まで答えるか、テストを中止してください。", "Answer all trials, or stop the test."),
    )


def _row(test: BlindTest, answer: Answer) -> tuple[object, ...]:
    trial, names = answer.trial, test.plan.names
    first, second = sorted((trial.a, trial.b))
    reference, other = (first, second) if trial.x in (None, first) else (second, first)
    column = chosen(answer)
    said = "undecided" if column is None else "correct" if column == reference else "incorrect"
    shown = (names[reference], names[other], said, answer.ms, answer.comment)
    ours = (test.plan.kind, trial.line + 1, names[trial.a], names[trial.b], "" if column is None else names[column])
    return tuple(map(harmless, (test.id, trial.number + 1, *shown, *ours)))
