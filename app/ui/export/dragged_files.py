"""Makes the files that are dragged or copied: planned in the background, rendered by the synthesis thread as those of an export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject

from app.common.errors import AppError
from app.core.synthesis_types import Float32
from app.export.drag_folder import create_drag_subfolder, remove_old_drags
from app.export.export_plan import NumberedLine, PlanContext, PlannedFile, plan_files
from app.export.export_renderer import WrittenFile
from app.export.export_settings import ExportSettings, SidecarKind
from app.export.file_task import FileTask
from app.settings.user_settings import DraggedTexts, Settings
from app.ui.background_thread import BackgroundThread
from app.ui.synthesis.speech_controller import SpeechController

_SIDECARS_BY_CHOICE: dict[DraggedTexts, tuple[SidecarKind, ...]] = {"none": (), "txt": ("txt",), "txt_lab": ("txt", "lab")}
DraggedFileUse = Literal["drag", "copy"]
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
    """Makes files for some lines at a time; another request for the same use replaces the one before, whose files are not waited for."""

    def __init__(self, speech: SpeechController, parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._newest: dict[DraggedFileUse, object] = {}
        self._background = BackgroundThread(self, "dragged files")
        self._background.run_work(remove_old_drags)

    def make_files(
        self,
        lines: Sequence[NumberedLine],
        settings: ExportSettings,
        context: PlanContext,
        *,
        use: DraggedFileUse,
        on_made: OnFilesMade,
        on_failed: OnFilesFailed,
        recorded: tuple[Float32, int] | None = None,
    ) -> None:
        """Make the files of these lines and pass their paths to `on_made`, sidecars included, the sounds first.

        Args:
            recorded: samples `(T,)` and rate (Hz) that the only line had when it was heard; without them it is rendered.
        """
        request = self._newest[use] = object()

        def is_newest() -> bool:
            return self._newest.get(use) is request

        def plan_request() -> tuple[ExportSettings, list[PlannedFile]]:
            placed = replace(settings, folder=str(create_drag_subfolder()))
            return placed, plan_files(lines, placed, context)

        def post_jobs(plan: tuple[ExportSettings, list[PlannedFile]]) -> None:
            if is_newest():
                self._post_jobs(is_newest, *plan, on_made, report_failure, recorded)

        def report_failure(error: AppError) -> None:
            if is_newest():
                del self._newest[use]
                on_failed(error)

        self._background.run_work(plan_request, post_jobs, report_failure)

    def close(self) -> None:
        """Wait for the running work."""
        self._newest.clear()
        self._background.close()

    def _post_jobs(
        self,
        is_newest: Callable[[], bool],
        settings: ExportSettings,
        files: list[PlannedFile],
        on_made: OnFilesMade,
        on_failed: OnFilesFailed,
        recorded: tuple[Float32, int] | None,
    ) -> None:
        made: list[WrittenFile] = []

        def add_result(written: WrittenFile) -> None:
            made.append(written)
            if len(made) == len(files) and is_newest():
                on_made([item.file for item in made] + [path for item in made for path in item.sidecars])

        for item in files:
            self._speech.export_file(FileTask(item, settings, recorded=recorded), add_result, on_failed)
