"""The commands that act on one take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.common.language import localize
from app.core.takes import LineTake, restore_line
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.takes.take_listening import TakePlayback
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.takes.take_model import TakeRow


class TakeCommands(QObject):
    """Runs commands on a take of the selected line.

    Attributes:
        named: the commands by name.
    """

    def __init__(
        self,
        shelf: TakeRepository,
        listening: TakePlayback,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        banner: Banner,
    ) -> None:
        super().__init__(shelf)
        self._shelf, self._listening = shelf, listening
        self._document, self._selection, self._seeds, self._banner = document, selection, seeds, banner
        self.named = {
            "play": self._play_take,
            "compare": self._compare_take,
            "star": self._toggle_star,
            "restore": self._restore_settings,
            "delete": self._delete_take,
        }

    def _play_take(self, row: TakeRow) -> None:
        self._listening.play_take(row.take)

    def _compare_take(self, row: TakeRow) -> None:
        line = self._selection.line
        if line is not None and line.text.strip():
            self._listening.compare_with_line(row.take, self._seeds.apply_last_seed(line))

    def _toggle_star(self, row: TakeRow) -> None:
        book = self._shelf.book
        if row.number:
            book.change_take(row.take.id, starred=not row.take.starred)
        # A starred take is meant to stay, so an unsaved one is kept first.
        else:
            self._shelf.keep_recent(row.take.id, lambda take: book.change_take(take.id, starred=True))

    def _restore_settings(self, row: TakeRow) -> None:
        script, line = self._document.script, self._selection.line
        if line is None or line.id != row.take.line:
            return
        self._seeds.forget_seeds([line.id])
        lines = tuple(restore_line(other, row.take) if other.id == line.id else other for other in script.lines)
        self._document.apply_edit(localize("テイクの設定に戻す", "Restore take"), replace(script, lines=lines))

    def _delete_take(self, row: TakeRow) -> None:
        book, take = self._shelf.book, row.take
        if not row.number:
            return
        place = book.takes.index(take)
        book.remove_take(take)
        self._banner.show_message(
            "notice",
            localize(f"{row.name}を削除しました。", f"{row.name} was deleted."),
            action=localize("元に戻す", "Undo"),
            on_action=lambda: self._restore_take(take, place),
        )

    def _restore_take(self, take: LineTake, position: int) -> None:
        if not self._shelf.book.restore_take(take, position):
            self._banner.show_message(
                "notice",
                localize("このテイクは元に戻せません。", "This take cannot be restored."),
                localize("テイクをまとめて削除したときに、音声も削除されました。", "Its sound was deleted with all the others."),
            )
