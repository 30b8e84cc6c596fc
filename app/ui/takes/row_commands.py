"""What can be done to one take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.core.takes import Take, restored
from app.language import localized
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.takes.listening import TakeListening
from app.ui.takes.shelf import TakeShelf
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.takes.model import Row


class RowCommands(QObject):
    """Acts on a take of the selected line.

    Attributes:
        named: what is done, by name.
    """

    def __init__(
        self,
        shelf: TakeShelf,
        listening: TakeListening,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        banner: Banner,
    ) -> None:
        super().__init__(shelf)
        self._shelf, self._listening = shelf, listening
        self._document, self._selection, self._seeds, self._banner = document, selection, seeds, banner
        self.named = {"play": self._play, "compare": self._compare, "star": self._star, "restore": self._restore, "delete": self._delete}

    def _play(self, row: Row) -> None:
        self._listening.play(row.take)

    def _compare(self, row: Row) -> None:
        line = self._selection.line
        if line is not None and line.text.strip():
            self._listening.compare(row.take, self._seeds.applied(line))

    def _star(self, row: Row) -> None:
        book = self._shelf.book
        if row.number:
            book.change(row.take.id, starred=not row.take.starred)
        else:  # what is starred is to stay
            self._shelf.keep_heard(row.take.id, lambda take: book.change(take.id, starred=True))

    def _restore(self, row: Row) -> None:
        script, line = self._document.script, self._selection.line
        if line is None or line.id != row.take.line:
            return
        self._seeds.forget([line.id])
        lines = tuple(restored(other, row.take) if other.id == line.id else other for other in script.lines)
        self._document.edit(localized("テイクの設定に戻す", "Restore take"), replace(script, lines=lines))

    def _delete(self, row: Row) -> None:
        book, take = self._shelf.book, row.take
        if not row.number:
            return
        place = book.takes.index(take)
        book.remove(take)
        self._banner.show_message(
            "notice",
            localized(f"{row.name}を削除しました。", f"{row.name} was deleted."),
            action=localized("元に戻す", "Undo"),
            then=lambda: self._put_back(take, place),
        )

    def _put_back(self, take: Take, place: int) -> None:
        if not self._shelf.book.put_back(take, place):
            self._banner.show_message(
                "notice",
                localized("このテイクは元に戻せません。", "This take cannot be restored."),
                localized("テイクをまとめて削除したときに、音声も削除されました。", "Its sound was deleted with all the others."),
            )
