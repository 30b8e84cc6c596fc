"""The cast: who speaks the lines. Its window is created on first use, so that the main window appears sooner."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.core.script.script import Character
from app.ui.actions.action_definitions import CHARACTER_KEYS
from app.ui.cast.cast_commands import CastCommands, CastMenu
from app.ui.cast.cast_files import RecastMemory
from app.ui.playback.line_playback import PlayCommands
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature

if TYPE_CHECKING:
    from app.ui.cast.cast_controller import CastController


class CastFeature(WindowFeature):
    """Gives lines their characters, and opens the window of the cast."""

    def __init__(self, context: WindowContext, script: ScriptFeature, voices: VoicesFeature, playback: PlayCommands) -> None:
        super().__init__(context)
        self._script, self._voices, self._playback = script, voices, playback
        self.commands = CastCommands(context.document, script.selection, script.view)  # edits the characters of the selected lines
        self.menu = CastMenu(script.view, context.document, script.selection, context.actions)  # the cast in the menu of a line
        self._memory = RecastMemory(self, context.document, context.catalog)
        self.menu.chosen.connect(self.commands.assign_to_selection)
        script.panel.add_line_menu(self.menu)
        context.side.character.chosen.connect(self.commands.assign_to_selection)
        context.side.character.reset_requested.connect(self.commands.reset_selection)
        context.actions.connect_handlers(
            {f"character_{number}": partial(self.commands.assign_number, number) for number in CHARACTER_KEYS}
            | {
                "character_none": partial(self.commands.assign_to_selection, ""),
                "reset_deviations": self.commands.reset_selection,
                "select_character": self.commands.select_same_characters,
                "audition_character": self._open_audition,
                "show_cast": lambda: self.cast.open_window(),
            }
        )
        # The cast after which the actions are named.
        self._cast: tuple[Character, ...] | None = None
        context.document.changed.connect(self._name_actions)
        self._name_actions()

    @cached_property
    def cast(self) -> CastController:
        """Return the window of the cast."""
        from app.ui.cast.cast_controller import CastController

        context, script = self._context, self._script
        cast = CastController(
            context.window,
            document=context.document,
            model=script.model,
            selection=script.selection,
            view=script.view,
            project=context.project,
            catalog=context.catalog,
            commands=self.commands,
            actions=context.actions,
            find_voice_name=self._voices.find_name,
        )
        cast.play_requested.connect(self._play_or_stop)
        cast.voices_found.connect(context.project.add_references)
        context.speech.dictionary_changed.connect(cast.checks.forget_readings)
        return cast

    def close(self) -> None:
        """Close what was created."""
        self.close_created("cast")
        self._memory.close()

    @Slot()
    def _open_audition(self) -> None:
        line = self._script.selection.line
        if line is not None and line.character and self.commands.select_audition(line.character):
            self._context.actions["audition"].trigger()

    @Slot(object)
    def _play_or_stop(self, ids: list[str]) -> None:
        if self._playback.is_playing:
            self._playback.stop_playing()
        else:
            self._playback.play_lines(ids)

    @Slot()
    def _name_actions(self) -> None:
        """Name the actions after the characters; those without one are not offered."""
        cast, actions = self._context.document.script.cast, self._context.actions
        if cast is self._cast:
            return
        self._cast = cast
        for number in CHARACTER_KEYS:
            name = f"character_{number}"
            actions.describe_target(name, cast[number - 1].name.replace("&", "&&") if number <= len(cast) else "")
            actions[name].setVisible(number <= len(cast))
        for name in ("character_none", "reset_deviations", "select_character", "audition_character"):
            actions[name].setEnabled(bool(cast))
