"""A finished test: what it shows, what stood behind the letters, and the seed that decided it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest
from app.audition.bradley_terry import Ranking
from app.audition.rank_table import rank_head, rank_rows
from app.audition.results import result_of
from app.audition.scores import chosen
from app.audition.verdicts import verdict_of
from app.language import localized
from app.ui.audition.parts import button
from app.ui.plain_text import PlainLabel, plain_tip

PLACES = 4  # rows that are seen without scrolling


class ResultPage(QWidget):
    """Shows the result.

    Signals:
        csv_requested(), html_requested(): the sheets are to be saved.
        apply_requested(): the lines are to speak as what came first.
    """

    csv_requested = Signal()
    html_requested = Signal()
    apply_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.verdict, self.seed = PlainLabel(), PlainLabel()
        self.verdict.setWordWrap(True)
        self.seed.setObjectName("muted")
        self.seed.setWordWrap(True)
        self.seed.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.seed.setToolTip(
            localized(
                "A・B・X の並びを決めたシードと、その SHA-256 です。", "The seed that decided the order of A, B and X, and its SHA-256."
            )
        )
        self.places = _table(localized("順位", "Places"), localized("音声の順位と強さです。", "Place and strength of each sound."))
        self.places.hide()
        self.table = _table(localized("回答", "Answers"), localized("各試行の音声と回答です。", "Sounds and answer of each trial."))
        csv = button(
            localized("CSV に保存…", "Save as CSV…"),
            localized("回答を表として保存します。", "Saves the answers as a table."),
            self.csv_requested.emit,
        )
        html = button(
            localized("HTML に保存…", "Save as HTML…"),
            localized("結果をページとして保存します。", "Saves the result as a page."),
            self.html_requested.emit,
        )
        self.apply = button("", "", self.apply_requested.emit, primary=True)
        self.hide_offer()
        row = QHBoxLayout()
        row.addWidget(csv)
        row.addWidget(html)
        row.addStretch()
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.verdict)
        column.addWidget(self.places)
        column.addWidget(self.table, 1)
        column.addWidget(self.seed)
        column.addLayout(row)

    def show_test(self, test: BlindTest) -> None:
        """The result and every answer of a test that has ended."""
        names = test.plan.names
        has_x, by_reference = test.plan.has_x, bool(test.plan.references)
        head = ["#", "A", "B", *(["X"] if has_x else []), localized("回答", "Answer")]
        rows = []
        for place, answer in enumerate(test.answers):
            trial, column = answer.trial, chosen(answer)
            said = localized("どちらでもない", "No preference") if column is None else f"{answer.choice.upper()}: {names[column]}"
            rows.append([str(place + 1), names[trial.a], names[trial.b], *([names[trial.x]] if trial.x is not None else []), said])
        result = result_of(test)
        self.show_words(verdict_of(result, names, by_reference=by_reference), test.seed, test.commitment)
        self.show_table(head, rows)
        self.places.setVisible(isinstance(result, Ranking))
        if isinstance(result, Ranking):
            _fill(self.places, rank_head(), rank_rows(result, names))
            shown = self.places.rowHeight(0) * min(PLACES, len(names))
            self.places.setFixedHeight(self.places.horizontalHeader().sizeHint().height() + shown + 2 * self.places.frameWidth())

    def show_offer(self, name: str, *, applied: bool) -> None:
        """Offers the settings of what came first to the lines; where they have them already there is nothing to do."""
        words = localized("行に適用済み", "Applied to the lines") if applied else localized("1位を行に適用", "Apply the winner")
        self.apply.setText(words)
        self.apply.setAccessibleName(words)
        tip = localized(
            f"比べた行に「{name}」の声と設定を適用します。テキストと読みは変わりません。シードは固定します。",
            f"The compared lines get the voice and settings of “{name}”. Text and readings stay, and the seed is locked.",
        )
        self.apply.setToolTip(plain_tip(tip))
        self.apply.setEnabled(not applied)
        self.apply.show()

    def hide_offer(self) -> None:
        """Nothing came first alone, or its lines are gone."""
        self.apply.hide()

    def show_words(self, verdict: str, seed: str, commitment: str) -> None:
        """What the test shows, and what decided the order."""
        self.verdict.setText(verdict)
        self.seed.setText(localized("シード: ", "Seed: ") + f"{seed}\nSHA-256: {commitment}")

    def show_table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """The answers, or what they come to; the first column is as narrow as it can be."""
        _fill(self.table, head, rows)


def _table(name: str, tip: str) -> QTableWidget:
    """To be read only."""
    table = QTableWidget()
    table.setAccessibleName(name)
    table.setToolTip(tip)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.verticalHeader().hide()
    return table


def _fill(table: QTableWidget, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table.setColumnCount(len(head))
    table.setHorizontalHeaderLabels(list(head))
    table.setRowCount(len(rows))
    for place, row in enumerate(rows):
        for number, text in enumerate(row):
            table.setItem(place, number, QTableWidgetItem(text))
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
