"""A finished test as one page, to be read, printed and passed on: it loads nothing, runs nothing and holds no sound."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from app.audition.answer_counts import find_chosen_column
from app.audition.blind_test import BlindTest
from app.audition.blind_test_result import compute_blind_test_result
from app.audition.blind_test_verdict import describe_blind_test_verdict, describe_test_kind
from app.audition.csv_sheet import check_test_ended
from app.audition.rank_table import build_place_table
from app.common.language import get_language, localize

_SHEET_STYLE = (
    "body{font:15px/1.6 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1d2129;background:#fff}"
    "h1{font-size:1.4rem}table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccd2da;padding:.25rem .6rem;text-align:left}"
    "td.n{text-align:right}code{word-break:break-all}@media(prefers-color-scheme:dark){body{background:#1d2129;color:#e8eaee}th,td{border-color:#4a5261}}"
)


def build_html_sheet(test: BlindTest) -> str:
    """Return the page in the language in use; raise InputError while the test continues."""
    check_test_ended(test)
    kind = describe_test_kind(test.plan.kind)
    title = localize(f"ブラインドテスト：{kind}", f"Blind test: {kind}")
    result = compute_blind_test_result(test)
    parts = [f"<p>{escape(describe_blind_test_verdict(result, test.plan.names, by_reference=bool(test.plan.references)))}</p>"]
    if places := build_place_table(result, test.plan.list_column_names()):
        parts.append(_build_table(*places))
    answers = _build_ratings_table(test) if test.plan.is_rated else _build_answers_table(test)
    return _build_page(title, [*parts, answers, _describe_seal(test.seed, test.commitment)])


def _build_page(title: str, parts: Iterable[str]) -> str:
    """Return a page of these parts, which are HTML, under a title, which is not."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    top = f'<!DOCTYPE html>\n<html lang="{get_language()}"><head>{head}{policy}<title>{escape(title)}</title><style>{_SHEET_STYLE}</style></head>'
    return top + "<body>\n" + "\n".join([f"<h1>{escape(title)}</h1>", *parts]) + "\n</body></html>\n"


def _build_answers_table(test: BlindTest) -> str:
    names = test.plan.names
    head = ("#", localize("行", "Line"), "A", "B", *(["X"] if test.plan.has_x else []), localize("回答", "Answer"))
    head += (localize("時間（秒）", "Time (s)"), localize("メモ", "Note"))
    rows = []
    for answer in test.answers:
        trial, column = answer.trial, find_chosen_column(answer)
        said = localize("どちらでもない", "no preference") if column is None else f"{answer.choice.upper()}: {names[column]}"
        x = [names[trial.x]] if trial.x is not None else []
        sounds = (names[trial.a], names[trial.b], *x)
        rows.append((trial.number + 1, trial.line + 1, *sounds, said, f"{answer.ms / 1000:.1f}", answer.comment))
    return _build_table(head, rows)


def _build_ratings_table(test: BlindTest) -> str:
    rows = ((answer.trial.number + 1, answer.trial.line + 1, *answer.ratings) for answer in test.answers)
    return _build_table(("#", localize("行", "Line"), *test.plan.list_column_names()), rows)


def _describe_seal(seed: str, commitment: str) -> str:
    """Describe what decided the order of the sounds, and that it was not changed."""
    words = localize(
        "音声の並びは次のシードから決まりました。シードの SHA-256 は、テストの前に表示された値と一致します。",
        "This seed decided the order of the sounds. Its SHA-256 is the value shown before the test.",
    )
    return f"<p>{escape(words)}</p><p><code>{escape(seed)}</code><br>SHA-256: <code>{escape(commitment)}</code></p>"


def _build_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table with numbers aligned to the right."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join("<tr>" + "".join(map(_build_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _build_cell(value: object) -> str:
    return f'<td class="n">{value}</td>' if isinstance(value, int) else f"<td>{escape(str(value))}</td>"
