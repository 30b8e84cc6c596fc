"""The offer to give the winner's settings of an ended blind test to the lines that were compared."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.audition.winner_settings import apply_take_settings, list_column_takes
from app.common.language import localize
from app.core.takes import LineTake
from app.ui.audition.result_page import ResultPage
from app.ui.script.script_document import ScriptDocument


class WinnerOffer(QObject):
    """Offers the winner on a result page, and is destroyed with that page.

    Args:
        name: The name of the winning column.
        takes: The takes of the winning column.
    """

    def __init__(self, page: ResultPage, document: ScriptDocument, name: str, takes: Sequence[LineTake]) -> None:
        super().__init__(page)
        self._page, self._document, self._name, self._takes = page, document, name, tuple(takes)
        page.apply_requested.connect(self._apply_winner)
        document.changed.connect(self._update_offer)
        self._update_offer()

    @Slot()
    def _apply_winner(self) -> None:
        """Apply the settings of the winning takes in one undo step; texts and readings stay."""
        after = apply_take_settings(self._document.script, self._takes)
        self._document.apply_edit(localize("ブラインドテストから適用", "Apply from blind test"), after)

    @Slot()
    def _update_offer(self, *_scripts: object) -> None:
        """Show, disable or hide the offer after an edit of the script."""
        # The lines are gone in another project, and settings that the lines already have cannot be applied twice.
        script = self._document.script
        if not any(script.find_line(take.line) for take in self._takes):
            self._page.hide_offer()
        else:
            self._page.show_offer(self._name, is_applied=apply_take_settings(script, self._takes) == script)


def offer_winner(
    page: ResultPage,
    document: ScriptDocument,
    takes: Sequence[LineTake],
    names: Sequence[str],
    sounds: Sequence[Sequence[str]],
    column: int | None,
) -> None:
    """Offer the winning column, if there is one and its takes are still known.

    Args:
        takes: All takes of the project.
        column: The winning column, see `app.audition.winner_settings.find_winner`.
    """
    found = list_column_takes(sounds, column, takes) if column is not None else ()
    if column is not None and found:
        WinnerOffer(page, document, names[column], found)
