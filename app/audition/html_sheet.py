"""A finished test as one page, to be read, printed and passed on: it loads nothing, runs nothing and holds no sound."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from app.audition.blind_test import BlindTest
from app.audition.bradley_terry import Ranking
from app.audition.rank_table import rank_head, rank_rows
from app.audition.results import result_of
from app.audition.scores import chosen
from app.audition.sheets import check_ended
from app.audition.verdicts import kind_words, verdict_of
from app.language import language, localized

_STYLE = (
    "body{font:15px/1.6 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1d2129;background:#fff}"
    "h1{font-size:1.4rem}table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccd2da;padding:.25rem .6rem;text-align:left}"
    "td.n{text-align:right}code{word-break:break-all}@media(prefers-color-scheme:dark){body{background:#1d2129;color:#e8eaee}th,td{border-color:#4a5261}}"
)


def html_sheet(test: BlindTest) -> str:
    """The page in the language in use. Raises InputError while the test continues."""
    check_ended(test)
    kind = kind_words(test.plan.kind)
    title = localized(f"ブラインドテスト：{kind}", f"Blind test: {kind}")
    result = result_of(test)
    parts = [f"<p>{escape(verdict_of(result, test.plan.names, by_reference=bool(test.plan.references)))}</p>"]
    if isinstance(result, Ranking):
        parts.append(table(rank_head(), rank_rows(result, test.plan.names)))
    parts += [_answers(test), seal_words(test.seed, test.commitment)]
    return page(title, parts)


def page(title: str, parts: Iterable[str]) -> str:
    """A page of these parts, which are HTML, under a title, which is not."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    top = f'<!DOCTYPE html>\n<html lang="{language()}"><head>{head}{policy}<title>{escape(title)}</title><style>{_STYLE}</style></head>'
    return top + "<body>\n" + "\n".join([f"<h1>{escape(title)}</h1>", *parts]) + "\n</body></html>\n"


def _answers(test: BlindTest) -> str:
    names = test.plan.names
    head = ("#", localized("行", "Line"), "A", "B", *(["X"] if _has_x(test) else []), localized("回答", "Answer"))
    head += (localized("時間（秒）", "Time (s)"), localized("メモ", "Note"))
    rows = []
    for answer in test.answers:
        trial, column = answer.trial, chosen(answer)
        said = localized("どちらでもない", "no preference") if column is None else f"{answer.choice.upper()}: {names[column]}"
        x = [names[trial.x]] if trial.x is not None else []
        sounds = (names[trial.a], names[trial.b], *x)
        rows.append((trial.number + 1, trial.line + 1, *sounds, said, f"{answer.ms / 1000:.1f}", answer.comment))
    return table(head, rows)


def seal_words(seed: str, commitment: str) -> str:
    """What decided the order of the sounds, and that it was not changed."""
    words = localized(
        "音声の並びは次のシードから決まりました。シードの SHA-256 は、テストの前に表示された値と一致します。",
        "This seed decided the order of the sounds. Its SHA-256 is the value shown before the test.",
    )
    return f"<p>{escape(words)}</p><p><code>{escape(seed)}</code><br>SHA-256: <code>{escape(commitment)}</code></p>"


def _has_x(test: BlindTest) -> bool:
    return test.plan.has_x


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Numbers stand at the right."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return f'<td class="n">{value}</td>' if isinstance(value, int) else f"<td>{escape(str(value))}</td>"
