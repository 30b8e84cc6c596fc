"""Asks how a longer text that is pasted becomes lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.language import localize
from app.core.script.text_division import Division, divide_text
from app.ui.widgets.question_box import ButtonRole, DialogButton, show_question

MIN_DIVIDED_SENTENCES = 4  # fewer are quickly split by hand
MAX_DIVIDED_CHARS = 100_000  # of a longer text nobody wants to wait until it is divided; it comes as it is

LinesCallback = Callable[[list[str]], object]


def find_divisions(text: str) -> dict[Division, list[str]]:
    """Return the ways in which a text becomes lines, one of each result; only "line" where there is nothing to ask."""
    ways: dict[Division, list[str]] = {"line": divide_text(text, "line")}
    if len(text) > MAX_DIVIDED_CHARS:
        return ways
    sentences = divide_text(text, "sentence")
    if len(sentences) < MIN_DIVIDED_SENTENCES:
        return ways
    others: dict[Division, list[str]] = {"sentence": sentences, "paragraph": divide_text(text, "paragraph")}
    for way, lines in others.items():
        if lines not in ways.values():
            ways[way] = lines
    return ways


def offer_divisions(parent: QWidget, lines_by_division: dict[Division, list[str]], on_chosen: LinesCallback) -> QMessageBox | None:
    """Ask for one of several divisions and pass its lines to `on_chosen`; the only one is passed at once, without a question."""
    if len(lines_by_division) == 1:
        on_chosen(lines_by_division["line"])
        return None
    answers = [
        DialogButton(
            f"{title} ({format_line_count(len(lines))})", ButtonRole.ActionRole, partial(on_chosen, lines), tip, is_default=way == "line"
        )
        for way, title, tip in _list_division_labels()
        if (lines := lines_by_division.get(way))
    ]
    question = localize("貼り付けるテキストを、どのように行に分けますか？", "How should the text become lines?")
    hint = localize("あとから「元に戻す」で戻せます。", "You can undo it afterwards.")
    return show_question(parent, "Koebako", (question, hint), answers)


def format_line_count(count: int) -> str:
    """Return the number of lines in words."""
    return localize(f"{count:,} 行", f"{count:,} line{'s' * (count != 1)}")


def _list_division_labels() -> tuple[tuple[Division, str, str], ...]:
    return (
        ("line", localize("そのまま", "As it is"), localize("改行ごとに 1 行にします。", "A line for each line of the text.")),
        ("sentence", localize("文ごと", "By sentence"), localize("1 文を 1 行にします。", "A line for each sentence.")),
        (
            "paragraph",
            localize("段落ごと", "By paragraph"),
            localize("空行で区切られた段落を 1 行にします。", "A line for each paragraph between blank lines."),
        ),
    )
