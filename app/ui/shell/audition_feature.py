"""Casting: who speaks the lines, and what is compared by ear: the audition board, blind tests, and the Lab, whose candidates are compared by them.

Everything is created on first use, so that the window appears sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Signal, Slot

from app.common.language import localize
from app.core.script.script import Character
from app.ui.actions.action_definitions import CHARACTER_KEYS
from app.ui.cast.cast_commands import CastCommands, CastMenu
from app.ui.cast.cast_files import RecastMemory
from app.ui.playback.line_playback import LinePlayback, PlayCommands
from app.ui.playback.speech_settings import read_precisions
from app.ui.projects.project_controller import ProjectController
from app.ui.script.line_selection import LineSelection
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.controls import escape_mnemonic

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.audition.blind_test_controller import BlindTestController
    from app.ui.audition.board_controller import BoardController
    from app.ui.audition.precision_test_controller import PrecisionTestController
    from app.ui.cast.cast_controller import CastController
    from app.ui.lab.lab_controller import CandidateTestController, LabController
    from app.ui.tasks.process_task import ProcessTask


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
            blends=self._voices.blends,
        )
        cast.play_requested.connect(self._play_or_stop)
        cast.stop_requested.connect(self._stop_or_close)
        cast.voices_found.connect(context.project.add_references)
        context.speech.dictionary_changed.connect(cast.checks.forget_readings)
        return cast

    def close(self) -> None:
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
    def _stop_or_close(self) -> None:
        """Stop what is spoken; where nothing is, close the window of the cast."""
        if self._playback.is_playing:
            self._playback.stop_playing()
        else:
            self.cast.close_window()

    @Slot()
    def _name_actions(self) -> None:
        """Name the actions after the characters; those without one are not offered."""
        cast, actions = self._context.document.script.cast, self._context.actions
        if cast is self._cast:
            return
        self._cast = cast
        for number in CHARACTER_KEYS:
            name = f"character_{number}"
            actions.describe_target(name, escape_mnemonic(cast[number - 1].name) if number <= len(cast) else "")
            actions[name].setVisible(number <= len(cast))
        for name in ("character_none", "reset_deviations", "select_character", "audition_character"):
            actions[name].setEnabled(bool(cast))


class AuditionFeature(WindowFeature):
    """Opens the board and blind tests of takes, voices and precisions.

    Signals:
        drag_requested(Line, QWidget, tuple[Float32, int]): the line of a cell is dragged to another program from this widget, with its
            sound or None.
    """

    drag_requested = Signal(object, object, object)

    def __init__(
        self,
        context: WindowContext,
        script: ScriptFeature,
        projects: ProjectController,
        shelf: TakeRepository,
        voices: VoicesFeature,
        playback: LinePlayback,
    ) -> None:
        super().__init__(context)
        self._script, self._projects, self._shelf, self._voices, self._playback = script, projects, shelf, voices, playback
        voices.library.compare_requested.connect(self.open_board)
        context.side.card.precision.test_requested.connect(lambda: self.precision_tests.begin_test("sound"))
        context.actions.connect_handlers(
            {
                "audition": self.open_board,
                "blind_test": lambda: self.blind_tests.open_line_test(script.selection.current_id),
                "fast_test": lambda: self.precision_tests.begin_test("sound"),
                "bert_test": lambda: self.precision_tests.begin_test("bert"),
            }
        )
        enable_precision_tests(context, script.selection)

    @cached_property
    def board(self) -> BoardController:
        from app.ui.audition.board_cells import BoardTakeKeeper
        from app.ui.audition.board_controller import BoardController

        context = self._context
        lines = (context.document, self._script.selection, self._script.seeds)
        board = BoardController(context.window, *lines, context.catalog, context.speech, self._playback, context.side.presets)
        board.about_to_open.connect(BoardTakeKeeper(board.cells, self._shelf).show_kept_takes)
        # The lines on the board belong to the project that was open before.
        self._projects.opened.connect(board.close)
        board.drag_requested.connect(self.drag_requested)
        board.compare_requested.connect(lambda takes: self.blind_tests.compare_takes(takes, board.cells.find_take_sound))
        return board

    @cached_property
    def blind_tests(self) -> BlindTestController:
        from app.ui.audition.blind_test_controller import BlindTestController

        context = self._context
        names = context.catalog.find_voice, self._voices.find_name
        tests = BlindTestController(context.window, context.project, self._shelf, context.speech, *names, context.document)
        # Otherwise the answers would be stored in another project.
        self._projects.opened.connect(tests.close)
        tests.notice_raised.connect(lambda message, hint: self._script.banner.show_message("notice", message, hint))
        return tests

    @cached_property
    def precision_tests(self) -> PrecisionTestController:
        """Return the ready-made blind tests of both precisions."""
        from app.ui.audition.precision_test_controller import PrecisionTestController

        lines, settings = (self._context.document, self._script.selection, self._script.seeds), self._context.settings
        return PrecisionTestController(self.blind_tests, self._shelf, *lines, self._context.speech, lambda: read_precisions(settings.value))

    @cached_property
    def candidate_tests(self) -> CandidateTestController:
        """Return the blind tests of the Lab's candidates."""
        from app.ui.lab.lab_controller import CandidateTestController

        return CandidateTestController(self.blind_tests, self._shelf)

    @Slot(object)
    def open_board(self, voices: Sequence[str] = ()) -> None:
        """Open the audition board with these voices, if any."""
        self.board.open_board(voices)

    def close(self) -> None:
        self.close_created("candidate_tests", "blind_tests", "board")


class LabFeature(WindowFeature):
    """Opens the Lab, which looks into the graphs of voices.

    Args:
        open_page: opens a page of the user guide.
    """

    def __init__(
        self,
        context: WindowContext,
        selection: LineSelection,
        voices: VoicesFeature,
        audition: AuditionFeature,
        open_page: Callable[[str], object],
    ) -> None:
        super().__init__(context)
        self._voices, self._audition, self._open_page = voices, audition, open_page
        for source in (voices.library.lab_requested, context.side.card.lab_requested):
            source.connect(lambda voice: self.lab.open_window(voice))
        context.actions.connect_handlers({"lab": lambda: self.lab.open_window(None if self.lab.window else selection.settings.voice)})

    @cached_property
    def lab(self) -> LabController:
        """Return the window of the Lab, which is created on first use."""
        from app.ui.lab.lab_controller import LabController

        lab = LabController(self._context.window, self._context.catalog, self._voices.licences, self._install_candidate)
        lab.help_requested.connect(self._open_page)
        lab.hear_requested.connect(lambda source, row: self._audition.candidate_tests.begin_blind_test(source, row))
        return lab

    def close(self) -> None:
        self.close_created("lab")

    def _install_candidate(self, source: str, row: Row) -> ProcessTask:
        from app.ui.lab.lab_controller import build_candidate_command

        using = [voice.id for voice in self._context.catalog.voices if source in (voice.manifest.id, voice.manifest.bert)]
        return self._voices.tasks.install_candidate(using, build_candidate_command(source, row, "--install"))


def enable_precision_tests(context: WindowContext, selection: LineSelection) -> None:
    """Enable the precision tests while the voice of the line has both precisions."""
    tests: tuple[tuple[str, Literal["sound", "bert"]], ...] = (("fast_test", "sound"), ("bert_test", "bert"))

    def update_actions() -> None:
        voice = context.catalog.find_voice(selection.settings.voice)
        missing = localize("この行の声が見つかりません", "the voice of this line is missing")
        for name, part in tests:
            reason = missing if voice is None else voice.explain_missing_fast(part)
            details = reason if voice is None else voice.explain_missing_int8(part)
            context.actions.disable_action(name, reason, details if details != reason else "")

    selection.changed.connect(update_actions)
    context.catalog.changed.connect(update_actions)
    update_actions()
