"""The cast: who speaks the lines. Its window is created on first use, so that the main window appears sooner."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from app.ui.actions.action_definitions import CHARACTER_KEYS
from app.ui.actions.window_actions import WindowActions
from app.ui.cast.cast_commands import CastCommands, CastMenu
from app.ui.cast.recast_memory import RecastMemory
from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.play_commands import PlayCommands
from app.ui.projects.project_document import ProjectDocument
from app.ui.shell.script_feature import ScriptFeature, connect_actions
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.synthesis.speech_controller import SpeechController

if TYPE_CHECKING:
    from app.ui.cast.cast_controller import CastController


class CastFeature(QObject):
    """Gives lines their characters, and opens the window of the cast.

    Attributes:
        commands: edits the characters of the selected lines.
        menu: the cast in the menu of a line.
    """

    def __init__(
        self,
        *,
        window: QMainWindow,
        script: ScriptFeature,
        project: ProjectDocument,
        voices: VoicesFeature,
        playback: PlayCommands,
        side: SidePanel,
        speech: SpeechController,
        actions: WindowActions,
    ) -> None:
        super().__init__(window)
        self._window, self._script, self._project = window, script, project
        self._voices, self._playback, self._speech, self._actions = voices, playback, speech, actions
        self.commands = CastCommands(script.document, script.selection, script.view)
        self.menu = CastMenu(script.view, script.document, script.selection, actions)
        self._memory = RecastMemory(self, script.document, voices.catalog)
        self.menu.chosen.connect(self.commands.assign_to_selection)
        script.panel.add_line_menu(self.menu)
        side.character.chosen.connect(self.commands.assign_to_selection)
        side.character.reset_requested.connect(self.commands.reset_selection)
        called: dict[str, Callable[[], object]] = {
            f"character_{number}": partial(self.commands.assign_number, number) for number in CHARACTER_KEYS
        }
        called |= {
            "character_none": partial(self.commands.assign_to_selection, ""),
            "reset_deviations": self.commands.reset_selection,
            "select_character": self.commands.select_same_characters,
            "audition_character": self._open_audition,
            "show_cast": lambda: self.cast.open_window(),
        }
        connect_actions(actions, called)
        self._named: object = None
        script.document.changed.connect(self._name_actions)
        self._name_actions()

    @cached_property
    def cast(self) -> CastController:
        """Return the window of the cast."""
        from app.ui.cast.cast_controller import CastController

        script = self._script
        made = CastController(
            self._window,
            document=script.document,
            model=script.model,
            selection=script.selection,
            view=script.view,
            project=self._project,
            catalog=self._voices.catalog,
            commands=self.commands,
            actions=self._actions,
            find_voice_name=self._voices.find_name,
        )
        made.play_requested.connect(self._play_or_stop)
        made.voices_found.connect(self._project.add_references)
        self._speech.dictionary_changed.connect(made.checks.forget_readings)
        return made

    def close(self) -> None:
        """Close what was created."""
        if "cast" in self.__dict__:
            self.cast.close()
        self._memory.close()

    @Slot()
    def _open_audition(self) -> None:
        line = self._script.selection.line
        if line is not None and line.character and self.commands.select_audition(line.character):
            self._actions["audition"].trigger()

    @Slot(object)
    def _play_or_stop(self, ids: list[str]) -> None:
        if self._playback.is_playing:
            self._playback.stop_playing()
        else:
            self._playback.play_lines(ids)

    @Slot()
    def _name_actions(self) -> None:
        """Name the actions after the characters; those without one are not offered."""
        cast = self._script.document.script.cast
        if cast is self._named:
            return
        self._named = cast
        for number in CHARACTER_KEYS:
            name = f"character_{number}"
            self._actions.describe_target(name, cast[number - 1].name.replace("&", "&&") if number <= len(cast) else "")
            self._actions[name].setVisible(number <= len(cast))
        for name in ("character_none", "reset_deviations", "select_character", "audition_character"):
            self._actions[name].setEnabled(bool(cast))
