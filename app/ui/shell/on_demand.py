"""Rooms that few starts need: each is made when it is first asked for, so that the window is there sooner."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.ui.playback.speech_settings import precisions_of
from app.ui.shell.window_controllers import WindowControllers

if TYPE_CHECKING:
    from app.lab.rows import Row
    from app.ui.audition.blind_tests import BlindTests
    from app.ui.audition.board_controller import BoardController
    from app.ui.audition.precision_tests import PrecisionTests
    from app.ui.export.controller import ExportController
    from app.ui.interchange.importing import Importing
    from app.ui.interchange.script_export import ScriptExport
    from app.ui.lab.candidate_tests import CandidateTests
    from app.ui.lab.controller import LabController
    from app.ui.service.controller import ServiceController
    from app.ui.tasks.process import ProcessTask
    from app.ui.voices.natural_voices import NaturalVoices

ROOMS = ("candidate_tests", "blind_tests", "board", "export", "importing", "lab", "script_export", "natural", "service")


class RoomsOnDemand(WindowControllers):
    """What the rest of the window can do without until then."""

    def close_rooms(self) -> None:
        """Closes those that were made."""
        for name in ROOMS:
            if (room := self.__dict__.get(name)) is not None:
                room.close()

    def open_board(self, voices: Sequence[str] = ()) -> None:
        """Shows the audition board, with these voices if there are any."""
        self.board.open(voices)

    @cached_property
    def board(self) -> BoardController:
        """The audition board."""
        from app.ui.audition.board_controller import BoardController
        from app.ui.audition.board_keeping import BoardKeeping

        scripts = (self.document, self.selection, self.seeds)
        made = BoardController(self, *scripts, self.catalog, self.controller, self.playback, self.side.presets)
        made.opening.connect(BoardKeeping(made.cells, self.takes.shelf).know)
        self.projects.opened.connect(made.close)  # its lines are those of the project before
        made.compare_requested.connect(lambda takes: self.blind_tests.compare(takes, made.cells.sound_of))
        return made

    @cached_property
    def blind_tests(self) -> BlindTests:
        """Blind tests of takes."""
        from app.ui.audition.blind_tests import BlindTests

        made = BlindTests(self, self.project, self.takes.shelf, self.controller, self._name_of, self.document)
        self.projects.opened.connect(made.close)  # or its answers would be kept in another project
        made.noticed.connect(lambda message, hint: self.banner.show_message("notice", message, hint))
        return made

    @cached_property
    def precision_tests(self) -> PrecisionTests:
        """Ready-made blind tests of float32 and int8."""
        from app.ui.audition.precision_tests import PrecisionTests

        scripts = (self.document, self.selection, self.seeds)
        return PrecisionTests(self.blind_tests, self.takes.shelf, *scripts, self.controller, lambda: precisions_of(self.settings.value))

    @cached_property
    def export(self) -> ExportController:
        """File › Export."""
        from app.ui.export.controller import ExportController

        parts = (self.document, self.selection, self.seeds, self.catalog, self.controller, self.settings, self.project)
        made = ExportController(self, *parts)
        made.progress_made.connect(self.left.below.addWidget)
        return made

    @cached_property
    def importing(self) -> Importing:
        """File › Import, and scripts that are dropped."""
        from app.ui.interchange.importing import Importing

        made = Importing(self, self.commands, self.document, self.selection, self.catalog, self.banner)
        made.remembered = lambda: self.project.parts.characters
        made.brought.connect(self.project.take_in)
        return made

    @cached_property
    def lab(self) -> LabController:
        """Help › Lab."""
        from app.ui.lab.controller import LabController

        made = LabController(self, self.catalog, self.licences, self._install_candidate)
        made.help_requested.connect(self.dialogs.open_page)
        made.hear_requested.connect(lambda source, row: self.candidate_tests.begin(source, row))
        return made

    @cached_property
    def candidate_tests(self) -> CandidateTests:
        """Blind tests of the lab's candidates."""
        from app.ui.lab.candidate_tests import CandidateTests

        return CandidateTests(self.blind_tests, self.takes.shelf)

    def _install_candidate(self, source: str, row: Row) -> ProcessTask:
        from app.ui.lab.candidate_tests import candidate_work

        using = [voice.id for voice in self.catalog.voices if source in (voice.manifest.id, voice.manifest.bert)]
        return self.voice_tasks.take_candidate(using, candidate_work(source, row, "--install"))

    @cached_property
    def script_export(self) -> ScriptExport:
        """File › Export script."""
        from app.ui.interchange.script_export import ScriptExport

        return ScriptExport(self, self.document, self.catalog, self.banner)

    @cached_property
    def natural(self) -> NaturalVoices:
        """The page of natural voices."""
        from app.ui.voices.natural_voices import NaturalVoices

        made = NaturalVoices(self, self.catalog, self.voice_tasks, self.voices, self.selection)
        made.sample_requested.connect(self.samples.play)
        made.speak_requested.connect(self.play_commands.play_if_silent)
        return made

    @cached_property
    def service(self) -> ServiceController:
        """The local service, from when it is first switched on."""
        from app.ui.service.controller import ServiceController

        made = ServiceController(self, self.settings, self.controller, self.banner)
        self.status.insertPermanentWidget(1, made.button)
        self.voice_tasks.disk_changed.connect(made.refresh)
        return made

    @Slot()
    def offer_service(self, *_settings: object) -> None:
        """Makes the service where it is wanted; it then follows the settings by itself."""
        if self.settings.value.service:
            self.service  # noqa: B018  # made by being asked for

    def _name_of(self, voice: str) -> str:
        found = self.catalog.find(voice)
        return found.name if found is not None else self.voices.names.find(voice)
