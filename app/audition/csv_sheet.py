"""Answers as a table. The first columns are those of webMUSHRA's `paired_comparison.csv`, in a MUSHRA test of its `mushra.csv`, so that its
evaluations read it; ours follow.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from app.audition.answer_counts import find_chosen_column
from app.audition.blind_test import ANCHORS_HZ, BlindTest, TrialAnswer
from app.audition.blind_test_result import compute_blind_test_result
from app.common.errors import InputError
from app.common.language import localize
from app.core.text.spreadsheet_cells import escape_formula

ANSWER_COLUMNS = (
    *("session_test_id", "trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
    *("kind", "line", "sound_a", "sound_b", "chosen"),
)
RATING_COLUMNS = ("session_test_id", "trial_id", "rating_stimulus", "rating_score", "rating_time", "rating_comment", "line")


def build_csv_sheet(test: BlindTest) -> str:
    """Return one row for each answer or rating, as UTF-8 that spreadsheets open; raise InputError while the test continues, for the sheet names the
    sounds behind the letters.

    The "reference" is X in an ABX test, and in pairs the one of the two that stands first in the plan: "correct" says that it was chosen,
    "incorrect" the other one, "undecided" neither. Times are milliseconds. Reference and anchors have webMUSHRA's names: `reference`, `anchor35`, `anchor70`.
    """
    check_test_ended(test)
    text = io.StringIO()
    rows = csv.writer(text)
    if test.plan.is_rated:
        rows.writerow(RATING_COLUMNS)
        rows.writerows(row for answer in test.answers for row in _build_rating_rows(test, answer))
    else:
        rows.writerow(ANSWER_COLUMNS)
        rows.writerows(_build_row(test, answer) for answer in test.answers)
    return "\ufeff" + text.getvalue()


def check_test_ended(test: BlindTest) -> None:
    """Raise InputError while a test continues."""
    if compute_blind_test_result(test) is None and not test.stopped:
        raise InputError(
            localize("テストはまだ終わっていません。", "The test has not ended yet."),
            localize("最後まで答えるか、テストを中止してください。", "Answer all trials, or stop the test."),
        )


def _build_row(test: BlindTest, answer: TrialAnswer) -> tuple[object, ...]:
    trial, names = answer.trial, test.plan.names
    first, second = sorted((trial.a, trial.b))
    reference, other = (first, second) if trial.x in (None, first) else (second, first)
    column = find_chosen_column(answer)
    said = "undecided" if column is None else "correct" if column == reference else "incorrect"
    shown = (names[reference], names[other], said, answer.ms, answer.comment)
    ours = (test.plan.kind, trial.line + 1, names[trial.a], names[trial.b], "" if column is None else names[column])
    return tuple(map(escape_formula, (test.id, trial.number + 1, *shown, *ours)))


def _build_rating_rows(test: BlindTest, answer: TrialAnswer) -> Iterator[tuple[object, ...]]:
    trial = answer.trial
    stimuli = (*test.plan.names, "reference", *(f"anchor{hertz // 100}" for hertz in ANCHORS_HZ))
    for name, value in zip(stimuli, answer.ratings, strict=True):
        yield tuple(map(escape_formula, (test.id, trial.number + 1, name, value, answer.ms, "", trial.line + 1)))
