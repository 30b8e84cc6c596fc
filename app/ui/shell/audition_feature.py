"""Comparing sounds: the audition board, blind tests, and the Lab, whose candidates are compared by them.

Everything is created on first use, so that the window appears sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Signal, Slot

from app.common.language import localize
from app.ui.playback.line_playback import LinePlayback
from app.ui.playback.speech_settings import read_precisions
from app.ui.projects.project_controller import ProjectController
from app.ui.script.line_selection import LineSelection
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.takes.take_repository import TakeRepository

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.audition.blind_test_controller import BlindTestController
    from app.ui.audition.board_controller import BoardController
    from app.ui.audition.precision_test_controller import PrecisionTestController
    from app.ui.lab.lab_controller import CandidateTestController, LabController
    from app.ui.tasks.process_task import ProcessTask


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
        """Return the audition board."""
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
        """Return the blind tests of takes."""
        from app.ui.audition.blind_test_controller import BlindTestController

        context = self._context
        tests = BlindTestController(context.window, context.project, self._shelf, context.speech, self._voices.find_name, context.document)
        # Otherwise the answers would be stored in another project.
        self._projects.opened.connect(tests.close)
        tests.notice_raised.connect(lambda message, hint: self._script.banner.show_message("notice", message, hint))
        return tests

    @cached_property
    def precision_tests(self) -> PrecisionTestController:
        """Return the ready-made blind tests of float32 and int8."""
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
        """Close what was created."""
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
        """Close the Lab if it was created."""
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
        for name, stage in tests:
            context.actions.disable_action(name, missing if voice is None else voice.explain_missing_int8(stage))

    selection.changed.connect(update_actions)
    context.catalog.changed.connect(update_actions)
    update_actions()
