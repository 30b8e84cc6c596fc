"""The offer to give the winner's settings of an ended blind test to the lines that were compared, or to their character."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.audition.blind_test import BlindTest
from app.audition.winner_settings import (
    apply_take_settings,
    apply_to_character,
    find_sole_character,
    find_winner,
    list_column_takes,
    list_winning_values,
)
from app.common.language import localize
from app.core.script.script import Character, Script
from app.core.script.takes import LineTake
from app.ui.audition.result_page import ResultPage
from app.ui.script.script_document import ScriptDocument


class WinnerOffer(QObject):
    """Offers the winner on a result page, and is destroyed with that page.

    Args:
        name: The name of the winning column.
        columns: The takes of each column.
        winner: The winning column.
    """

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
        after = apply_take_settings(self._document.script, self._takes)
        self._document.apply_edit(localize("ブラインドテストから適用", "Apply from blind test"), after)

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
            self._page.hide_character_offer()
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
    columns = [list_column_takes(plan.sounds, place, takes) for place in range(len(plan.names))]
    if winner is not None and columns[winner]:
        WinnerOffer(page, document, plan.names[winner], columns, winner)
