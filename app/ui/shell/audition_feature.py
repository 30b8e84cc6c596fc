"""Comparing sounds: the audition board, blind tests, and the Lab, whose candidates are compared by them.

Everything is created on first use, so that the window appears sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.line_playback import LinePlayback
from app.ui.playback.speech_settings import read_precisions
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.line_selection import LineSelection
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.script_feature import ScriptFeature, connect_actions
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.voices.voice_catalog import VoiceCatalog

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.audition.blind_test_controller import BlindTestController
    from app.ui.audition.board_controller import BoardController
    from app.ui.audition.precision_test_controller import PrecisionTestController
    from app.ui.lab.candidate_test_controller import CandidateTestController
    from app.ui.lab.lab_controller import LabController
    from app.ui.tasks.process_task import ProcessTask


class AuditionFeature(QObject):
    """Opens the board and blind tests of takes, voices and precisions.

    Signals:
        drag_requested(Line, QWidget, tuple[Float32, int]): the line of a cell is dragged to another program from this widget, with its
            sound or None.
    """

    drag_requested = Signal(object, object, object)

    def __init__(
        self,
        *,
        window: QMainWindow,
        script: ScriptFeature,
        project: ProjectDocument,
        projects: ProjectController,
        shelf: TakeRepository,
        voices: VoicesFeature,
        playback: LinePlayback,
        speech: SpeechController,
        side: SidePanel,
        settings: SettingsStore,
        actions: WindowActions,
    ) -> None:
        super().__init__(window)
        self._window, self._script, self._project, self._projects, self._shelf = window, script, project, projects, shelf
        self._voices, self._playback, self._speech, self._side, self._settings = voices, playback, speech, side, settings
        voices.library.compare_requested.connect(self.open_board)
        side.card.precision.test_requested.connect(lambda: self.precision_tests.begin_test("sound"))
        connect_actions(
            actions,
            {
                "audition": self.open_board,
                "blind_test": lambda: self.blind_tests.open_line_test(script.selection.current_id),
                "fast_test": lambda: self.precision_tests.begin_test("sound"),
                "bert_test": lambda: self.precision_tests.begin_test("bert"),
            },
        )
        enable_precision_tests(actions, script.selection, voices.catalog)

    @cached_property
    def board(self) -> BoardController:
        """Return the audition board."""
        from app.ui.audition.board_cells import BoardTakeKeeper
        from app.ui.audition.board_controller import BoardController

        lines = (self._script.document, self._script.selection, self._script.seeds)
        made = BoardController(self._window, *lines, self._voices.catalog, self._speech, self._playback, self._side.presets)
        made.about_to_open.connect(BoardTakeKeeper(made.cells, self._shelf).show_kept_takes)
        # The lines on the board belong to the project that was open before.
        self._projects.opened.connect(made.close)
        made.drag_requested.connect(self.drag_requested)
        made.compare_requested.connect(lambda takes: self.blind_tests.compare_takes(takes, made.cells.find_take_sound))
        return made

    @cached_property
    def blind_tests(self) -> BlindTestController:
        """Return the blind tests of takes."""
        from app.ui.audition.blind_test_controller import BlindTestController

        made = BlindTestController(self._window, self._project, self._shelf, self._speech, self._voices.find_name, self._script.document)
        # Otherwise the answers would be stored in another project.
        self._projects.opened.connect(made.close)
        made.notice_raised.connect(lambda message, hint: self._script.banner.show_message("notice", message, hint))
        return made

    @cached_property
    def precision_tests(self) -> PrecisionTestController:
        """Return the ready-made blind tests of float32 and int8."""
        from app.ui.audition.precision_test_controller import PrecisionTestController

        lines = (self._script.document, self._script.selection, self._script.seeds)
        return PrecisionTestController(self.blind_tests, self._shelf, *lines, self._speech, lambda: read_precisions(self._settings.value))

    @cached_property
    def candidate_tests(self) -> CandidateTestController:
        """Return the blind tests of the Lab's candidates."""
        from app.ui.lab.candidate_test_controller import CandidateTestController

        return CandidateTestController(self.blind_tests, self._shelf)

    @Slot(object)
    def open_board(self, voices: Sequence[str] = ()) -> None:
        """Open the audition board with these voices, if any."""
        self.board.open_board(voices)

    def open_lines_board(self, line_ids: Collection[str]) -> None:
        """Open the audition board with these lines, as those of a character."""
        self.board.open_board((), line_ids)

    def open_cast_board(self, line_ids: Collection[str] = ()) -> None:
        """Open the audition board with candidate casts for these lines, by default the selected ones."""
        self.board.open_cast_board(line_ids)

    def close(self) -> None:
        """Close what was created."""
        for name in ("candidate_tests", "blind_tests", "board"):
            # A `cached_property` is in `__dict__` only after its first use; reading it by name would create the controller.
            if (made := self.__dict__.get(name)) is not None:
                made.close()


class LabFeature(QObject):
    """Opens the Lab, which looks into the graphs of voices.

    Args:
        open_page: opens a page of the user guide.
    """

    def __init__(
        self,
        *,
        window: QMainWindow,
        selection: LineSelection,
        voices: VoicesFeature,
        side: SidePanel,
        audition: AuditionFeature,
        open_page: Callable[[str], object],
        actions: WindowActions,
    ) -> None:
        super().__init__(window)
        self._window, self._voices, self._audition, self._open_page = window, voices, audition, open_page
        for source in (voices.library.lab_requested, side.card.lab_requested):
            source.connect(lambda voice: self.lab.open_window(voice))
        connect_actions(actions, {"lab": lambda: self.lab.open_window(None if self.lab.window else selection.settings.voice)})

    @cached_property
    def lab(self) -> LabController:
        """Return the window of the Lab, which is created on first use."""
        from app.ui.lab.lab_controller import LabController

        made = LabController(self._window, self._voices.catalog, self._voices.licences, self._install_candidate)
        made.help_requested.connect(self._open_page)
        made.hear_requested.connect(lambda source, row: self._audition.candidate_tests.begin_blind_test(source, row))
        return made

    def close(self) -> None:
        """Close the Lab if it was created."""
        if "lab" in self.__dict__:
            self.lab.close()

    def _install_candidate(self, source: str, row: Row) -> ProcessTask:
        from app.ui.lab.candidate_test_controller import build_candidate_command

        using = [voice.id for voice in self._voices.catalog.voices if source in (voice.manifest.id, voice.manifest.bert)]
        return self._voices.tasks.install_candidate(using, build_candidate_command(source, row, "--install"))


def enable_precision_tests(actions: WindowActions, selection: LineSelection, catalog: VoiceCatalog) -> None:
    """Enable the precision tests while the voice of the line has both precisions."""
    tests: tuple[tuple[str, Literal["sound", "bert"]], ...] = (("fast_test", "sound"), ("bert_test", "bert"))

    def update_action() -> None:
        voice = catalog.find_voice(selection.settings.voice)
        missing = localize("この行の声が見つかりません", "the voice of this line is missing")
        for name, part in tests:
            actions.disable_action(name, missing if voice is None else voice.explain_missing_int8(part))

    selection.changed.connect(update_action)
    catalog.changed.connect(update_action)
    update_action()
