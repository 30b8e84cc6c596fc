"""A finished test as a table, and as a page to be read, printed and passed on, which loads nothing, runs nothing and holds no sound.

The first columns of the table are those of webMUSHRA's `paired_comparison.csv`, in a MUSHRA test of its `mushra.csv`, so that its evaluations read
it; ours follow.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from html import escape

from app.audition.blind_test import ANCHORS_HZ, BlindTest, BlindTestPlan, TrialAnswer, find_chosen_column
from app.audition.blind_test_result import compute_blind_test_result
from app.audition.blind_test_words import build_place_table, describe_blind_test_verdict, describe_test_kind, list_details
from app.common.errors import InputError
from app.common.language import get_language, localize
from app.core.text.spreadsheet_cells import escape_formula

ANSWER_COLUMNS = (
    *("session_test_id", "trial_id", "choice_reference", "choice_non_reference", "choice_answer", "choice_time", "choice_comment"),
    *("kind", "line", "sound_a", "sound_b", "chosen"),
    *("text", "voice_a", "speaker_a", "style_a", "voice_b", "speaker_b", "style_b", "begun"),
)
RATING_COLUMNS = (
    *("session_test_id", "trial_id", "rating_stimulus", "rating_score", "rating_time", "rating_comment", "line"),
    *("text", "voice", "speaker", "style", "begun"),
)

MINUTE_LENGTH = len("2026-01-31T12:34")

_SHEET_STYLE = (
    "body{font:15px/1.6 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1d2129;background:#fff}"
    "h1{font-size:1.4rem}table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccd2da;padding:.25rem .6rem;text-align:left}"
    "td.n{text-align:right}details{margin:1rem 0;word-break:break-all}summary{cursor:pointer}@media(prefers-color-scheme:dark){body{background:#1d2129;color:#e8eaee}th,td{border-color:#4a5261}}"
)


def build_csv_sheet(test: BlindTest) -> str:
    """Return one row for each answer or rating, as UTF-8 that spreadsheets open; raise InputError while the test continues, for the sheet names the
    sounds behind the letters.

    The "reference" is X in an ABX test, and in pairs the one of the two that comes first in the plan: "correct" says that it was chosen,
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
    verdict = "undecided" if column is None else "correct" if column == reference else "incorrect"
    answer_cells = (names[reference], names[other], verdict, answer.ms, answer.comment)
    ours = (test.plan.kind, trial.line + 1, names[trial.a], names[trial.b], "" if column is None else names[column])
    origin = (test.plan.find_text(trial.line), *(test.plan.find_source(trial.line, trial.a)), *(test.plan.find_source(trial.line, trial.b)))
    return tuple(map(escape_formula, (test.id, trial.number + 1, *answer_cells, *ours, *origin, test.begun)))


def _build_rating_rows(test: BlindTest, answer: TrialAnswer) -> Iterator[tuple[object, ...]]:
    trial = answer.trial
    stimuli = (*test.plan.names, "reference", *(f"anchor{hertz // 100}" for hertz in ANCHORS_HZ))
    for column, (name, value) in enumerate(zip(stimuli, answer.ratings, strict=True)):
        origin = (test.plan.find_text(trial.line), *test.plan.find_source(trial.line, column), test.begun)
        yield tuple(map(escape_formula, (test.id, trial.number + 1, name, value, answer.ms, "", trial.line + 1, *origin)))


def build_html_sheet(test: BlindTest) -> str:
    """Return the page in the language in use; raise InputError while the test continues."""
    check_test_ended(test)
    plan, result = test.plan, compute_blind_test_result(test)
    kind = describe_test_kind(plan.kind, len(plan.names), by_reference=bool(plan.references))
    title = localize(f"ブラインドテスト：{kind}", f"Blind test: {kind}")
    parts = [f"<p>{escape(describe_blind_test_verdict(result, plan.names, by_reference=bool(plan.references)))}</p>"]
    if test.begun:
        parts.insert(0, f"<p>{escape(localize('日時：', 'Date: ') + format_begin_time(test))}</p>")
    if places := build_place_table(test):
        parts.append(_build_table(*places))
    if plan.sources:
        parts.append(_build_sources_table(plan))
    if plan.is_rated:
        rows = ((answer.trial.number + 1, _name_line(plan, answer.trial.line), *answer.ratings) for answer in test.answers)
        parts.append(_build_table(("#", localize("文", "Sentence"), *plan.list_column_names()), rows))
    else:
        parts.append(_build_answers_table(test))
    lines = "<br>".join(map(escape, list_details(test)))
    return _build_page(title, [*parts, f"<details><summary>{localize('詳細', 'Details')}</summary><p>{lines}</p></details>"])


def format_begin_time(test: BlindTest) -> str:
    """Return when a test was begun, as its place had it; empty where it is not known."""
    return test.begun[:MINUTE_LENGTH].replace("T", " ")


def _build_sources_table(plan: BlindTestPlan) -> str:
    """Return who speaks the sounds: a row for each of them, and several where it differs from line to line."""
    head = (localize("音声", "Sound"), localize("声", "Voice"), localize("話者", "Speaker"), localize("スタイル", "Style"))
    names = (*plan.names, localize("参照", "Reference"))
    rows = dict.fromkeys((names[column], *row[column]) for column in range(len(plan.sources[0])) for row in plan.sources)
    return _build_table(head, rows)


def _name_line(plan: BlindTestPlan, line: int) -> str | int:
    """Return the sentence of a line, or its number where the sentence is not known."""
    return plan.find_text(line) or line + 1


def _build_page(title: str, parts: Iterable[str]) -> str:
    """Return a page of these parts, which are HTML, under a title, which is not."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    top = f'<!DOCTYPE html>\n<html lang="{get_language()}"><head>{head}{policy}<title>{escape(title)}</title><style>{_SHEET_STYLE}</style></head>'
    return top + "<body>\n" + "\n".join([f"<h1>{escape(title)}</h1>", *parts]) + "\n</body></html>\n"


def _build_answers_table(test: BlindTest) -> str:
    names = test.plan.names
    head = ("#", localize("文", "Sentence"), "A", "B", *(["X"] if test.plan.has_x else []), localize("回答", "Answer"))
    head += (localize("時間（秒）", "Time (s)"), localize("メモ", "Note"))
    rows = []
    for answer in test.answers:
        trial, column = answer.trial, find_chosen_column(answer)
        answer_text = localize("どちらでもない", "no preference") if column is None else f"{answer.choice.upper()}: {names[column]}"
        x = [names[trial.x]] if trial.x is not None else []
        sounds = (names[trial.a], names[trial.b], *x)
        rows.append((trial.number + 1, _name_line(test.plan, trial.line), *sounds, answer_text, f"{answer.ms / 1000:.1f}", answer.comment))
    return _build_table(head, rows)


def _build_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table with numbers aligned to the right."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join("<tr>" + "".join(map(_build_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _build_cell(value: object) -> str:
    return f'<td class="n">{value}</td>' if isinstance(value, int) else f"<td>{escape(str(value))}</td>"
