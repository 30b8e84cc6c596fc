"""Features that few starts need, created on first use so that the window appears sooner."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.ui.playback.speech_settings import read_precisions
from app.ui.shell.window_controllers import WindowControllers

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.audition.blind_test_controller import BlindTestController
    from app.ui.audition.board_controller import BoardController
    from app.ui.audition.precision_test_controller import PrecisionTestController
    from app.ui.export.export_controller import ExportController
    from app.ui.interchange.script_exporter import ScriptExporter
    from app.ui.interchange.script_importer import ScriptImporter
    from app.ui.lab.candidate_test_controller import CandidateTestController
    from app.ui.lab.lab_controller import LabController
    from app.ui.service.service_controller import ServiceController
    from app.ui.tasks.process_task import ProcessTask
    from app.ui.voices.natural_voices_controller import NaturalVoicesController

LAZY_FEATURE_NAMES = ("candidate_tests", "blind_tests", "board", "export", "importing", "lab", "script_export", "natural", "service")


class LazyFeatures(WindowControllers):
    """The window with features that are created on first use."""

    def close_features(self) -> None:
        """Close the features that were created."""
        for name in LAZY_FEATURE_NAMES:
            # A `cached_property` is in `__dict__` only after its first use; reading it by name would create the feature.
            if (room := self.__dict__.get(name)) is not None:
                room.close()

    def open_board(self, voices: Sequence[str] = ()) -> None:
        """Open the audition board with these voices, if any."""
        self.board.open_board(voices)

    @cached_property
    def board(self) -> BoardController:
        """Return the audition board."""
        from app.ui.audition.board_controller import BoardController
        from app.ui.audition.board_take_keeper import BoardTakeKeeper

        scripts = (self.document, self.selection, self.seeds)
        made = BoardController(self, *scripts, self.catalog, self.controller, self.playback, self.side.presets)
        made.about_to_open.connect(BoardTakeKeeper(made.cells, self.takes.shelf).show_kept_takes)
        # The lines on the board belong to the project that was open before.
        self.projects.opened.connect(made.close)
        made.compare_requested.connect(lambda takes: self.blind_tests.compare_takes(takes, made.cells.find_take_sound))
        return made

    @cached_property
    def blind_tests(self) -> BlindTestController:
        """Return the blind tests of takes."""
        from app.ui.audition.blind_test_controller import BlindTestController

        made = BlindTestController(self, self.project, self.takes.shelf, self.controller, self._find_voice_name, self.document)
        # Otherwise the answers would be stored in another project.
        self.projects.opened.connect(made.close)
        made.notice_raised.connect(lambda message, hint: self.banner.show_message("notice", message, hint))
        return made

    @cached_property
    def precision_tests(self) -> PrecisionTestController:
        """Return the ready-made blind tests of float32 and int8."""
        from app.ui.audition.precision_test_controller import PrecisionTestController

        scripts = (self.document, self.selection, self.seeds)
        return PrecisionTestController(
            self.blind_tests, self.takes.shelf, *scripts, self.controller, lambda: read_precisions(self.settings.value)
        )

    @cached_property
    def export(self) -> ExportController:
        """Return the feature of File › Export."""
        from app.ui.export.export_controller import ExportController

        parts = (self.document, self.selection, self.seeds, self.catalog, self.controller, self.settings, self.project)
        made = ExportController(self, *parts)
        made.progress_made.connect(self.left.below.addWidget)
        return made

    @cached_property
    def importing(self) -> ScriptImporter:
        """Return the import of scripts, by File › Import or a drop."""
        from app.ui.interchange.script_importer import ScriptImporter

        made = ScriptImporter(self, self.commands, self.document, self.selection, self.catalog, self.banner)
        made.remembered = lambda: self.project.parts.characters
        made.references_found.connect(self.project.add_references)
        return made

    @cached_property
    def lab(self) -> LabController:
        """Return the feature of Help › Lab."""
        from app.ui.lab.lab_controller import LabController

        made = LabController(self, self.catalog, self.licences, self._install_candidate)
        made.help_requested.connect(self.dialogs.open_page)
        made.hear_requested.connect(lambda source, row: self.candidate_tests.begin_test(source, row))
        return made

    @cached_property
    def candidate_tests(self) -> CandidateTestController:
        """Return the blind tests of the lab's candidates."""
        from app.ui.lab.candidate_test_controller import CandidateTestController

        return CandidateTestController(self.blind_tests, self.takes.shelf)

    def _install_candidate(self, source: str, row: Row) -> ProcessTask:
        from app.ui.lab.candidate_test_controller import build_candidate_command

        using = [voice.id for voice in self.catalog.voices if source in (voice.manifest.id, voice.manifest.bert)]
        return self.voice_tasks.install_candidate(using, build_candidate_command(source, row, "--install"))

    @cached_property
    def script_export(self) -> ScriptExporter:
        """Return the feature of File › Export script."""
        from app.ui.interchange.script_exporter import ScriptExporter

        return ScriptExporter(self, self.document, self.catalog, self.banner)

    @cached_property
    def natural(self) -> NaturalVoicesController:
        """Return the page of natural voices."""
        from app.ui.voices.natural_voices_controller import NaturalVoicesController

        made = NaturalVoicesController(self, self.catalog, self.voice_tasks, self.voices, self.selection)
        made.sample_requested.connect(self.samples.play_recording)
        made.speak_requested.connect(self.play_commands.play_if_silent)
        return made

    @cached_property
    def service(self) -> ServiceController:
        """Return the local service, which is created when it is first switched on."""
        from app.ui.service.service_controller import ServiceController

        made = ServiceController(self, self.settings, self.controller, self.banner)
        self.status.insertPermanentWidget(1, made.button)
        self.voice_tasks.disk_changed.connect(made.refresh_voices)
        return made

    @Slot()
    def create_service_if_enabled(self, *_settings: object) -> None:
        """Create the service if the settings enable it; it follows later changes by itself."""
        if self.settings.value.service:
            self.service  # noqa: B018  # made by being asked for

    def _find_voice_name(self, voice: str) -> str:
        found = self.catalog.find_voice(voice)
        return found.name if found is not None else self.voices.names.find_name(voice)
