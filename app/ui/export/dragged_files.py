"""Makes the files that are dragged or copied: planned in the background, rendered by the synthesis thread as those of an export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from app.common.errors import AppError
from app.core.synthesis_types import Float32
from app.export.drag_folder import create_drag_subfolder, remove_old_drags
from app.export.export_plan import NumberedLine, PlanContext, PlannedFile, plan_files
from app.export.export_renderer import WrittenFile
from app.export.export_settings import ExportSettings, SidecarKind
from app.settings.user_settings import DraggedTexts, Settings
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.synthesis.synthesis_jobs import ExportFileJob, ExportResult

_SIDECARS_BY_CHOICE: dict[DraggedTexts, tuple[SidecarKind, ...]] = {"none": (), "txt": ("txt",), "txt_lab": ("txt", "lab")}
OnFilesMade = Callable[[list[Path]], object]
OnFilesFailed = Callable[[AppError], object]


def choose_drag_settings(export: ExportSettings, settings: Settings) -> ExportSettings:
    """Return the settings of dragged files: WAV files named as the export page names them, with the texts that the user chose."""
    return ExportSettings(
        pattern=export.pattern,
        subtype=export.subtype if export.sound == "wav" else "",
        rate=export.rate,
        stereo=export.stereo,
        sidecars=_SIDECARS_BY_CHOICE[settings.drag_texts],
        existing="number",
        encoding=settings.drag_encoding,
    )


class DraggedFileMaker(QObject):
    """Makes files for some lines at a time; another request replaces the one before, whose files are not waited for."""

    def __init__(self, speech: SpeechController, parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._request = 0
        self._background = BackgroundThread(self, "dragged files")
        self._background.run_work(remove_old_drags)

    def make_files(
        self,
        lines: Sequence[NumberedLine],
        settings: ExportSettings,
        context: PlanContext,
        *,
        on_made: OnFilesMade,
        on_failed: OnFilesFailed,
        recorded: tuple[Float32, int] | None = None,
    ) -> None:
        """Make the files of these lines and pass their paths to `on_made`, sidecars included, the sounds first.

        Args:
            recorded: samples `(T,)` and rate (Hz) that the only line had when it was heard; without them it is rendered.
        """
        self._request += 1
        number = self._request

        def plan_request() -> tuple[ExportSettings, list[PlannedFile]]:
            placed = replace(settings, folder=str(create_drag_subfolder()))
            return placed, plan_files(lines, placed, context)

        def post_jobs(plan: tuple[ExportSettings, list[PlannedFile]]) -> None:
            if number == self._request:
                self._post_jobs(number, *plan, on_made, on_failed, recorded)

        self._background.run_work(plan_request, post_jobs, on_failed)

    def close(self) -> None:
        """Wait for the running work."""
        self._request += 1
        self._background.close()

    def _post_jobs(
        self,
        number: int,
        settings: ExportSettings,
        files: list[PlannedFile],
        on_made: OnFilesMade,
        on_failed: OnFilesFailed,
        recorded: tuple[Float32, int] | None,
    ) -> None:
        made: list[WrittenFile] = []

        def add_result(result: ExportResult) -> None:
            if isinstance(result.result, WrittenFile):
                made.append(result.result)
            if len(made) == len(files) and number == self._request:
                on_made([item.file for item in made] + [path for item in made for path in item.sidecars])

        def report_failure(_job: ExportFileJob, error: AppError) -> None:
            if number == self._request:
                self._request += 1
                on_failed(error)

        for item in files:
            self._speech.export_file(ExportFileJob(item, settings, add_result, report_failure, recorded=recorded))
