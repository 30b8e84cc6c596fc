"""Asks how a longer text that is pasted becomes lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMessageBox, QWidget

from app.core.text_division import Division, divide_text
from app.language import localized
from app.ui.widgets.question import Answer, Role, ask

LEAST_SENTENCES = 4  # fewer are quickly split by hand
MOST_LETTERS = 100_000  # of a longer text nobody wants to wait until it is divided; it comes as it is

TakeLines = Callable[[list[str]], object]


def divisions_of(text: str) -> dict[Division, list[str]]:
    """Return the ways in which a text becomes lines, one of each result; only "line" where there is nothing to ask."""
    ways: dict[Division, list[str]] = {"line": divide_text(text, "line")}
    if len(text) > MOST_LETTERS:
        return ways
    sentences = divide_text(text, "sentence")
    if len(sentences) < LEAST_SENTENCES:
        return ways
    others: dict[Division, list[str]] = {"sentence": sentences, "paragraph": divide_text(text, "paragraph")}
    for way, lines in others.items():
        if lines not in ways.values():
            ways[way] = lines
    return ways


def offer_divisions(parent: QWidget, ways: dict[Division, list[str]], take: TakeLines) -> QMessageBox | None:
    """Asks which of several ways is wanted, and gives its lines to `take`; the only one at once, without a question."""
    if len(ways) == 1:
        take(ways["line"])
        return None
    answers = [
        Answer(f"{title} ({count_lines(len(lines))})", Role.ActionRole, partial(take, lines), tip, is_default=way == "line")
        for way, title, tip in _words()
        if (lines := ways.get(way))
    ]
    question = localized("貼り付けるテキストを、どのように行に分けますか？", "How should the text become lines?")
    hint = localized("あとから「元に戻す」で戻せます。", "You can undo it afterwards.")
    return ask(parent, "Koebako", (question, hint), answers)


def count_lines(count: int) -> str:
    """Return the number of lines in words."""
    return localized(f"{count:,} 行", f"{count:,} line{'s' * (count != 1)}")


def _words() -> tuple[tuple[Division, str, str], ...]:
    return (
        ("line", localized("そのまま", "As it is"), localized("改行ごとに 1 行にします。", "A line for each line of the text.")),
        ("sentence", localized("文ごと", "By sentence"), localized("1 文を 1 行にします。", "A line for each sentence.")),
        (
            "paragraph",
            localized("段落ごと", "By paragraph"),
            localized("空行で区切られた段落を 1 行にします。", "A line for each paragraph between blank lines."),
        ),
    )
