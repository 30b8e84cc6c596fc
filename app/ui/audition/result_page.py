"""The page of a finished test: its verdict, the sounds behind the letters, and the offer of the winner's settings."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QPushButton, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.audition.blind_test import BlindTest, find_chosen_column
from app.audition.blind_test_result import (
    apply_take_settings,
    apply_to_character,
    compute_blind_test_result,
    find_sole_character,
    find_winner,
    list_column_takes,
    list_winning_values,
)
from app.audition.blind_test_words import Table, build_place_table, describe_blind_test_verdict, list_details
from app.common.language import localize
from app.core.script.project import LineTake
from app.core.script.script import Character, Script
from app.ui.audition.details_fold import DetailsFold
from app.ui.script.script_document import ScriptDocument
from app.ui.widgets.controls import ElidedButton, PlainLabel, create_button, describe_control, escape_mnemonic, escape_tip, fill_box

VISIBLE_RANK_ROWS = 4  # more rows would leave no room for the answers below; the rest scrolls


class ResultPage(QWidget):
    """Shows the result of a test.

    Signals:
        csv_requested(), html_requested(): The sheet is to be saved in that format.
        apply_requested(): The compared lines are to take the winner's settings.
        character_requested(): The character of the compared lines is to take what was compared.
    """

    csv_requested = Signal()
    html_requested = Signal()
    apply_requested = Signal()
    character_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.verdict, self.details = PlainLabel("", "heading", wraps=True), DetailsFold()
        tip = localize("音声の順位と、選ばれた回数です。", "Place of each sound, and how often it was chosen.")
        self.rank_table = _create_table(localize("順位", "Places"), tip)
        self.rank_table.hide()
        self.table = _create_table(localize("回答", "Answers"), localize("各試行の音声と回答です。", "Sounds and answer of each trial."))
        csv = create_button(
            localize("CSV に保存…", "Save as CSV…"),
            localize("回答を表として保存します。", "Saves the answers as a table."),
            self.csv_requested.emit,
        )
        html = create_button(
            localize("HTML に保存…", "Save as HTML…"),
            localize("結果をページとして保存します。", "Saves the result as a page."),
            self.html_requested.emit,
        )
        self.apply_button = create_button("", "", self.apply_requested.emit, style="primary")
        self.character_button = ElidedButton("", "")
        self.character_button.setAutoDefault(False)
        self.character_button.clicked.connect(self.character_requested)
        self.hide_offer()
        row = fill_box(QHBoxLayout(), csv, html, None, self.character_button, self.apply_button)
        fill_box(QVBoxLayout(self), self.verdict, self.rank_table, (self.table, 1), self.details, row, spacing=10)

    def show_test(self, test: BlindTest) -> None:
        """Show the result of a test that has ended, and every answer; ratings are shown as the scores that they lead to."""
        plan, result = test.plan, compute_blind_test_result(test)
        self.verdict.setText(describe_blind_test_verdict(result, plan.names, by_reference=bool(plan.references)))
        self.details.show_lines(list_details(test))
        places = build_place_table(test)
        self.rank_table.setVisible(places is not None and not plan.is_rated)
        if plan.is_rated:
            _fill_table(self.table, *(places or ((), ())))
            return
        _fill_table(self.table, *_build_answers_table(test))
        if places is not None:
            _fill_table(self.rank_table, *places)
            rows_height = self.rank_table.rowHeight(0) * min(VISIBLE_RANK_ROWS, len(plan.names))
            header_height = self.rank_table.horizontalHeader().sizeHint().height()
            self.rank_table.setFixedHeight(header_height + rows_height + 2 * self.rank_table.frameWidth())

    def show_offer(self, name: str, *, is_applied: bool) -> None:
        """Offer to give the winner's settings to the lines; disable the button where they have them already."""
        text = localize("行に適用済み", "Applied to the lines") if is_applied else localize("1位を行に適用", "Apply the winner")
        tip = localize(
            f"比べた行に「{name}」の声と設定を適用し、同じ音声になるように固定します。テキストと読みは変わりません。",
            f"The compared lines get the voice and settings of “{name}”, and keep its sound. Text and readings stay.",
        )
        _show_offer_button(self.apply_button, text, tip, is_applied=is_applied)

    def show_character_offer(self, character: str, name: str, *, is_applied: bool) -> None:
        """Offer to give the winner's settings to the character of the lines, by name; disable the button where the character has them."""
        applied = localize(f"「{character}」に適用済み", f"Applied to {character}")
        text = applied if is_applied else localize(f"「{character}」に適用", f"Apply to {character}")
        tip = localize(
            f"「{character}」に、比べた設定を「{name}」から適用します。「{character}」の行にも反映され、行ごとの設定は残ります。",
            f"{character} gets the compared settings of “{name}”. The character's lines follow and keep what you set for them.",
        )
        _show_offer_button(self.character_button, text, tip, is_applied=is_applied)

    def hide_offer(self) -> None:
        """Hide the offers, where there is no single winner or its lines are gone."""
        self.apply_button.hide()
        self.character_button.hide()


def _show_offer_button(button: QPushButton, text: str, tip: str, *, is_applied: bool) -> None:
    button.setText(escape_mnemonic(text))
    describe_control(button, text, escape_tip(tip))
    button.setEnabled(not is_applied)
    button.show()


def _build_answers_table(test: BlindTest) -> Table:
    """Return a row for each answer; with the sentences where there are several."""
    names, has_texts = test.plan.names, len(test.plan.texts) > 1
    head = ["#", *([localize("文", "Sentence")] if has_texts else []), "A", "B", *(["X"] if test.plan.has_x else [])]
    head.append(localize("回答", "Answer"))
    rows = []
    for index, answer in enumerate(test.answers):
        trial, column = answer.trial, find_chosen_column(answer)
        answer_text = localize("どちらでもない", "No preference") if column is None else f"{answer.choice.upper()}: {names[column]}"
        text = [test.plan.find_text(trial.line)] if has_texts else []
        rows.append(
            [str(index + 1), *text, names[trial.a], names[trial.b], *([names[trial.x]] if trial.x is not None else []), answer_text]
        )
    return head, rows


def _create_table(name: str, tip: str) -> QTableWidget:
    """Return a read-only table."""
    table = describe_control(QTableWidget(), name, tip)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.verticalHeader().hide()
    table.setObjectName("takes")
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return table


def _fill_table(table: QTableWidget, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table.setColumnCount(len(titles))
    table.setHorizontalHeaderLabels(list(titles))
    table.setRowCount(len(rows))
    for place, row in enumerate(rows):
        for number, text in enumerate(row):
            table.setItem(place, number, QTableWidgetItem(text))
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)


class WinnerOffer(QObject):
    """Offers the winner on a result page, and is destroyed with that page."""

    def __init__(self, page: ResultPage, document: ScriptDocument, name: str, columns: Sequence[Sequence[LineTake]], winner: int) -> None:
        super().__init__(page)
        self._page, self._document, self._name, self._takes = page, document, name, tuple(columns[winner])
        self._values = list_winning_values(columns, winner)
        page.apply_requested.connect(self._apply_winner)
        page.character_requested.connect(self._apply_to_character)
        document.changed.connect(self._update_offer)
        self._update_offer()

    @Slot()
    def _apply_winner(self) -> None:
        """Apply the settings of the winning takes in one undo step; texts and readings stay."""
        script = apply_take_settings(self._document.script, self._takes)
        self._document.apply_edit(localize("ブラインドテストから適用", "Apply from blind test"), script)

    @Slot()
    def _apply_to_character(self) -> None:
        """Apply what was compared to the character of the lines in one undo step; its other lines follow."""
        if (character := self._find_character()) is not None:
            label = localize("ブラインドテストから登場人物に適用", "Apply from blind test to character")
            self._document.apply_edit(label, self._recast_script(character))

    @Slot()
    def _update_offer(self, *_scripts: object) -> None:
        """Show, disable or hide the offers after an edit of the script."""
        # The lines are gone in another project, and settings that the lines already have cannot be applied twice.
        script = self._document.script
        if not any(script.find_line(take.line) for take in self._takes):
            self._page.hide_offer()
            return
        self._page.show_offer(self._name, is_applied=apply_take_settings(script, self._takes) == script)
        character = self._find_character() if self._values else None
        if character is None:
            self._page.character_button.hide()
        else:
            self._page.show_character_offer(character.name, self._name, is_applied=self._recast_script(character) == script)

    def _find_character(self) -> Character | None:
        return find_sole_character(self._document.script, [take.line for take in self._takes])

    def _recast_script(self, character: Character) -> Script:
        return apply_to_character(self._document.script, character.id, self._values, [take.line for take in self._takes])


def offer_winner(page: ResultPage, document: ScriptDocument, takes: Sequence[LineTake], test: BlindTest) -> None:
    """Offer the winning column of an ended test, if there is one and its takes are still known.

    Args:
        takes: All takes of the project.
    """
    plan, winner = test.plan, find_winner(test)
    columns = [list_column_takes(plan.sounds, column, takes) for column in range(len(plan.names))]
    if winner is not None and columns[winner]:
        WinnerOffer(page, document, plan.names[winner], columns, winner)
