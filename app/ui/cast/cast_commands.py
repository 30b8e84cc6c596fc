"""Commands and their menu: they give lines a character, select the lines of one, and make a cast of the voices that lines have."""

from collections.abc import Callable, Collection
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from app.common.language import localize
from app.core.script.characters import CastBuilder, assign_character, reset_deviations
from app.core.script.script import Character, Line, LineSettings, Script
from app.ui.actions.window_actions import WindowActions
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.theme.theme import create_colour_icon
from app.ui.widgets.controls import escape_mnemonic

MAX_AUDITIONED_LINES = 12  # with a few voices these are as many sounds as anybody listens to

SWATCH_PX = 16
MORE_ACTIONS = ("reset_deviations", "select_character", "audition_character", "", "show_cast")


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
        label = localize("登場人物を設定", "Assign character")
        self._document.apply_edit(label, assign_character(script, self._selection.ids, character_id))

    @Slot()
    def reset_selection(self) -> None:
        """Give the selected lines all settings of their characters again."""
        script = reset_deviations(self._document.script, self._selection.ids)
        self._document.apply_edit(localize("登場人物の設定に戻す", "Use character's settings"), script)

    @Slot()
    def select_same_characters(self) -> None:
        """Select all lines of the characters of the selected lines."""
        if self._selection.ids:
            self.select_lines_of(self._selection.characters)

    def select_lines_of(self, character_ids: Collection[str]) -> None:
        self._view.end_editing()
        self._view.select_lines([line.id for line in self._document.script.lines if line.character in character_ids])

    def select_audition(self, character_id: str) -> bool:
        """Select the first lines of a character that have text, from the current one on; return False if there are none."""
        lines = self._document.script.lines
        spoken = [line.id for line in lines if line.character == character_id and line.text.strip()]
        current = self._selection.current_id
        start = spoken.index(current) if current in spoken else 0
        ids = spoken[start : start + MAX_AUDITIONED_LINES]
        if ids:
            self._view.end_editing()
            self._view.select_lines(ids)
        return bool(ids)

    def find_sample_line(self, character: Character) -> Line | None:
        """Return a line of a character to listen to: the current one if it is theirs, else the first with text, or None."""
        current = self._selection.line
        if current is not None and current.character == character.id and current.text.strip():
            return current
        lines = self._document.script.lines
        return next((line for line in lines if line.character == character.id and line.text.strip()), None)


def create_cast_of_voices(script: Script, name_voice: Callable[[LineSettings], str]) -> Script:
    """Give each line without a character one that is called after its voice; no line sounds otherwise than before.

    Args:
        name_voice: the name of the voice and speaker of settings.
    """
    builder = CastBuilder(script.cast)
    characters: dict[tuple[str, str], Character] = {}
    lines = []
    for line in script.lines:
        settings, key = line.settings, (line.settings.voice, line.settings.speaker)
        if not line.character and key not in characters and not builder.is_full:
            characters[key] = builder.add_character(name_voice(settings), settings)
        lines.append(line if line.character or key not in characters else replace(line, character=characters[key].id))
    return replace(script, lines=tuple(lines), cast=builder.cast)


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
        cast, selected = self._document.script.cast, self._selection.characters
        for number, character in enumerate(cast, 1):
            key = self._actions.find_key_text(f"character_{number}") if number < 10 else ""
            self._add_choice(character.name, character.id, key, is_checked=selected == {character.id}, colour=character.colour)
        if cast:
            none = self._actions.find_key_text("character_none")
            self._add_choice(localize("登場人物なし", "No character"), "", none, is_checked=selected == {""})
            self.addSeparator()
        for name in MORE_ACTIONS[0 if cast else -1 :]:
            if name:
                self.addAction(self._actions[name])
            else:
                self.addSeparator()

    def _add_choice(self, name: str, character_id: str, key: str, *, is_checked: bool, colour: int | None = None) -> None:
        text = escape_mnemonic(name)
        action = self.addAction(f"{text}\t{key}" if key else text)
        action.setCheckable(is_checked)
        action.setChecked(is_checked)
        if colour is not None and not is_checked:
            action.setIcon(create_colour_icon(colour, SWATCH_PX, self))
        action.triggered.connect(lambda: self.chosen.emit(character_id))
