"""Commands that give lines a character, and select the lines of one."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Slot

from app.common.language import localize
from app.core.script.characters import assign_character, reset_deviations
from app.core.script.script import Character, Line
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList

MAX_AUDITIONED_LINES = 12  # with a few voices these are as many sounds as anybody listens to


class CastCommands(QObject):
    """Edits the characters of the selected lines; each command is one step of undo."""

    def __init__(self, document: ScriptDocument, selection: LineSelection, view: ScriptList) -> None:
        super().__init__(view)
        self._document, self._selection, self._view = document, selection, view

    def assign_number(self, number: int) -> None:
        """Give the selected lines the character of this number, from 1; there may be none."""
        cast = self._document.script.cast
        if number <= len(cast):
            self.assign_to_selection(cast[number - 1].id)

    def assign_to_selection(self, character_id: str) -> None:
        """Give the selected lines a character, or none for an empty id."""
        script = self._document.script
        self._document.apply_edit(
            localize("登場人物を設定", "Assign character"), assign_character(script, self._selection.ids, character_id)
        )

    @Slot()
    def reset_selection(self) -> None:
        """Give the selected lines all settings of their characters again."""
        after = reset_deviations(self._document.script, self._selection.ids)
        self._document.apply_edit(localize("登場人物の設定に戻す", "Use character's settings"), after)

    @Slot()
    def select_same_characters(self) -> None:
        """Select all lines of the characters of the selected lines."""
        if self._selection.ids:
            self.select_lines_of(self._selection.characters)

    def select_lines_of(self, character_ids: Collection[str]) -> None:
        """Select all lines of some characters."""
        self._view.end_editing()
        self._view.select_lines([line.id for line in self._document.script.lines if line.character in character_ids])

    def select_audition(self, character_id: str) -> bool:
        """Select the first lines of a character that have text, from the current one on; return False if there are none."""
        lines = self._document.script.lines
        spoken = [line.id for line in lines if line.character == character_id and line.text.strip()]
        current = self._selection.current_id
        start = spoken.index(current) if current in spoken else 0
        wanted = spoken[start : start + MAX_AUDITIONED_LINES]
        if wanted:
            self._view.end_editing()
            self._view.select_lines(wanted)
        return bool(wanted)

    def find_sample_line(self, character: Character) -> Line | None:
        """Return a line of a character to listen to: the current one if it is theirs, else the first with text, or None."""
        current = self._selection.line
        if current is not None and current.character == character.id and current.text.strip():
            return current
        lines = self._document.script.lines
        return next((line for line in lines if line.character == character.id and line.text.strip()), None)
