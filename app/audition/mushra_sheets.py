"""The ratings of a finished MUSHRA test: a table with the columns of webMUSHRA's `mushra.csv`, and a page."""

from __future__ import annotations

import csv
import io
from html import escape

from app.audition.html_sheet import page, seal_words, table
from app.audition.mushra import ANCHORS_HZ, MushraTest
from app.audition.mushra_result import MushraResult, result_of, verdict_of
from app.audition.places import place_words
from app.audition.sheets import not_ended
from app.core.spreadsheets import harmless
from app.language import localized

COLUMNS = ("session_test_id", "trial_id", "rating_stimulus", "rating_score", "rating_time", "rating_comment", "line")
METHOD = "MUSHRA"


def mushra_csv(test: MushraTest) -> str:
    """One row for each rating; opens in spreadsheets as UTF-8. Raises InputError while the test continues. Times are milliseconds.

    Reference and anchors have webMUSHRA's names: `reference`, `anchor35`, `anchor70`.
    """
    _ended(test)
    stimuli = (*test.plan.names, "reference", *(f"anchor{hertz // 100}" for hertz in ANCHORS_HZ))
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for rating in test.ratings:
        trial = rating.trial
        for name, value in zip(stimuli, rating.values, strict=True):
            rows.writerow(map(harmless, (test.id, trial.number + 1, name, value, rating.ms, "", trial.line + 1)))
    return "\ufeff" + text.getvalue()


def mushra_html(test: MushraTest) -> str:
    """The page in the language in use. Raises InputError while the test continues."""
    result = _ended(test)
    names = test.plan.column_names()
    title = localized(f"ブラインドテスト：{METHOD}", f"Blind test: {METHOD}")
    lines = [(rating.trial.number + 1, rating.trial.line + 1, *rating.values) for rating in test.ratings]
    parts = [
        f"<p>{escape(verdict_of(result, test.plan.names))}</p>",
        table(score_head(), score_rows(result, names)),
        table(("#", localized("行", "Line"), *names), lines),
        seal_words(test.seed, test.commitment),
    ]
    return page(title, parts)


def score_head() -> tuple[str, ...]:
    """Titles of `score_rows`."""
    spread = localized("四分位範囲", "Quartiles")
    return localized("順位", "Rank"), localized("音声", "Sound"), localized("中央値", "Median"), spread, localized("平均", "Mean")


def score_rows(result: MushraResult, names: tuple[str, ...]) -> list[tuple[str, str, str, str, str]]:
    """The compared sounds, the best first and with their places, then reference and anchors."""
    placed = [(place_words(result.places, column), column) for column in result.order]
    rows = []
    for place, column in (*placed, *(("", column) for column in range(len(placed), len(names)))):
        score = result.scores[column]
        rows.append((place, names[column], f"{score.median:g}", f"{score.low:g} – {score.high:g}", f"{score.mean:.1f}"))
    return rows


def _ended(test: MushraTest) -> MushraResult:
    result = result_of(test)
    if result is None:
        raise not_ended()
    return result
