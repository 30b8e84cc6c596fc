"""The menu of the cast for the selected lines; it is filled when it opens."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.theme.character_colours import create_colour_icon

SWATCH_PX = 16
MORE_ACTIONS = ("reset_deviations", "select_character", "audition_character", "", "show_cast")


class CastMenu(QMenu):
    """Offers all characters, however many, with a check at that of the selected lines.

    Signals:
        chosen(str): id of a character, empty for none.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget, document: ScriptDocument, selection: LineSelection, actions: WindowActions) -> None:
        super().__init__(localize("登場人物", "Character"), parent)
        self._document, self._selection, self._actions = document, selection, actions
        self.menuAction().setObjectName("characters")
        self.aboutToShow.connect(self.fill_menu)

    @Slot()
    def fill_menu(self) -> None:
        """Offer the characters of the script as it is now."""
        self.clear()
        cast, present = self._document.script.cast, self._selection.characters
        for number, character in enumerate(cast, 1):
            key = self._actions.find_key_text(f"character_{number}") if number < 10 else ""
            self._add_choice(character.name, character.id, key, is_checked=present == {character.id}, colour=character.colour)
        if cast:
            none = self._actions.find_key_text("character_none")
            self._add_choice(localize("登場人物なし", "No character"), "", none, is_checked=present == {""})
            self.addSeparator()
        for name in MORE_ACTIONS[0 if cast else -1 :]:
            if name:
                self.addAction(self._actions[name])
            else:
                self.addSeparator()

    def _add_choice(self, name: str, character_id: str, key: str, *, is_checked: bool, colour: int | None = None) -> None:
        text = name.replace("&", "&&")
        action = self.addAction(f"{text}\t{key}" if key else text)
        action.setCheckable(is_checked)
        action.setChecked(is_checked)
        if colour is not None and not is_checked:
            action.setIcon(create_colour_icon(colour, SWATCH_PX, self))
        action.triggered.connect(lambda: self.chosen.emit(character_id))
