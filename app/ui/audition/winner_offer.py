"""What came first in a blind test that has ended is offered to the lines that were compared."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app.audition.winner import takes_of_column, with_settings_of
from app.core.takes import Take
from app.language import localized
from app.ui.audition.result_page import ResultPage
from app.ui.script.document import ScriptDocument


class WinnerOffer(QObject):
    """Gone with the page of the result.

    Args:
        name: of the column that came first.
        takes: that the column was made of.
    """

    def __init__(self, page: ResultPage, document: ScriptDocument, name: str, takes: Sequence[Take]) -> None:
        super().__init__(page)
        self._page, self._document, self._name, self._takes = page, document, name, tuple(takes)
        page.apply_requested.connect(self._apply)
        document.changed.connect(self._show)
        self._show()

    @Slot()
    def _apply(self) -> None:
        """One step back undoes it; texts and readings stay."""
        after = with_settings_of(self._document.script, self._takes)
        self._document.edit(localized("ブラインドテストから適用", "Apply from blind test"), after)

    @Slot()
    def _show(self, *_scripts: object) -> None:
        """Nothing is offered once the lines are gone, as in another project; nothing can be applied twice."""
        script = self._document.script
        if not any(script.find(take.line) for take in self._takes):
            self._page.hide_offer()
        else:
            self._page.show_offer(self._name, applied=with_settings_of(script, self._takes) == script)


def offer_winner(
    page: ResultPage,
    document: ScriptDocument,
    takes: Sequence[Take],
    names: Sequence[str],
    sounds: Sequence[Sequence[str]],
    column: int | None,
) -> None:
    """Offers the column that came first, if there is one and its takes are still known.

    Args:
        takes: all of the project.
        column: see `app.audition.winner.winner_of`.
    """
    found = takes_of_column(sounds, column, takes) if column is not None else ()
    if column is not None and found:
        WinnerOffer(page, document, names[column], found)
