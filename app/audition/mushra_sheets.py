"""The ratings of a finished MUSHRA test: a table with the columns of webMUSHRA's `mushra.csv`, and a page."""

from __future__ import annotations

import csv
import io
from html import escape

from app.audition.csv_sheet import create_not_ended_error
from app.audition.html_sheet import build_page, build_table, describe_seal
from app.audition.mushra import ANCHORS_HZ, MushraTest
from app.audition.mushra_result import MushraResult, compute_mushra_result, describe_mushra_verdict
from app.audition.shared_ranks import describe_rank
from app.common.language import localize
from app.core.spreadsheet_cells import escape_formula

MUSHRA_COLUMNS = ("session_test_id", "trial_id", "rating_stimulus", "rating_score", "rating_time", "rating_comment", "line")
MUSHRA_METHOD = "MUSHRA"


def build_mushra_csv(test: MushraTest) -> str:
    """Return one row for each rating, as UTF-8 that spreadsheets open; raise InputError while the test continues. Times are milliseconds.

    Reference and anchors have webMUSHRA's names: `reference`, `anchor35`, `anchor70`.
    """
    _require_result(test)
    stimuli = (*test.plan.names, "reference", *(f"anchor{hertz // 100}" for hertz in ANCHORS_HZ))
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(MUSHRA_COLUMNS)
    for rating in test.ratings:
        trial = rating.trial
        for name, value in zip(stimuli, rating.values, strict=True):
            rows.writerow(map(escape_formula, (test.id, trial.number + 1, name, value, rating.ms, "", trial.line + 1)))
    return "\ufeff" + text.getvalue()


def build_mushra_html(test: MushraTest) -> str:
    """Return the page in the language in use; raise InputError while the test continues."""
    result = _require_result(test)
    names = test.plan.list_column_names()
    title = localize(f"ブラインドテスト：{MUSHRA_METHOD}", f"Blind test: {MUSHRA_METHOD}")
    lines = [(rating.trial.number + 1, rating.trial.line + 1, *rating.values) for rating in test.ratings]
    parts = [
        f"<p>{escape(describe_mushra_verdict(result, test.plan.names))}</p>",
        build_table(list_score_titles(), build_score_rows(result, names)),
        build_table(("#", localize("行", "Line"), *names), lines),
        describe_seal(test.seed, test.commitment),
    ]
    return build_page(title, parts)


def list_score_titles() -> tuple[str, ...]:
    """Return the titles of `build_score_rows`."""
    spread = localize("四分位範囲", "Quartiles")
    return localize("順位", "Rank"), localize("音声", "Sound"), localize("中央値", "Median"), spread, localize("平均", "Mean")


def build_score_rows(result: MushraResult, names: tuple[str, ...]) -> list[tuple[str, str, str, str, str]]:
    """Return the compared sounds, the best first and with their places, then reference and anchors."""
    placed = [(describe_rank(result.ranks, column), column) for column in result.order]
    rows = []
    for place, column in (*placed, *(("", column) for column in range(len(placed), len(names)))):
        score = result.scores[column]
        rows.append((place, names[column], f"{score.median:g}", f"{score.low:g} – {score.high:g}", f"{score.mean:.1f}"))
    return rows


def _require_result(test: MushraTest) -> MushraResult:
    result = compute_mushra_result(test)
    if result is None:
        raise create_not_ended_error()
    return result
