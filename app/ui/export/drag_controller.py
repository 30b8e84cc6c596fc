"""Drags lines and takes out of the window as files, and copies them to the clipboard.

A drag begins only when its files are there. A target may read the addresses as soon as the mouse is over it, and on Windows and X11 both
programs would freeze while it waits for data that are still being made; a file that exists causes no wait anywhere.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QMimeData, QObject, QPoint, QRect, QSize, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QCursor, QDrag, QGuiApplication, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError
from app.common.files.paths import find_data_dir, list_subfolders
from app.common.files.private_data_dir import make_private_folder
from app.common.language import localize
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import Float32
from app.export.export_plan import NumberedLine, PlanContext, PlannedFile, build_numbered_lines, list_character_names, plan_files
from app.export.export_renderer import WrittenFile
from app.export.export_settings import ExportSettings, SidecarKind
from app.export.export_tasks import ExportTask
from app.export.safe_file_names import SpeakerNames
from app.settings.user_settings import DraggedTexts, Settings
from app.ui.background_thread import BackgroundThread
from app.ui.export.export_run import ExportProject, ExportSettingsMemory
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import draw_icon
from app.ui.widgets.banner import Banner

RELEASE_POLL_MS = 100

ICON_SIZE_PX, MARGIN_PX, CORNER_PX = 20, 8, 6
MAX_NAME_WIDTH_PX = 240
POINTER_OFFSET = QPoint(-12, -12)  # from the tip of the pointer, which would hide the name otherwise

_SIDECARS_BY_CHOICE: dict[DraggedTexts, tuple[SidecarKind, ...]] = {"none": (), "txt": ("txt",), "txt_lab": ("txt", "lab")}
DraggedFileUse = Literal["drag", "copy"]
OnFilesMade = Callable[[list[Path]], object]
OnFilesFailed = Callable[[AppError], object]

MIN_KEPT_S = 24 * 3600.0  # nobody says when the other program has read a file; a clipboard or an open video project may hold it for hours


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


def find_drag_folder() -> Path:
    """Return the folder, which need not exist."""
    return find_data_dir() / "dragged"


def create_drag_subfolder() -> Path:
    """Create an empty folder for the files of one drag, so that each has the name of the pattern. Raise OutputFileError."""
    folder = find_drag_folder()
    try:
        make_private_folder(folder)
        return Path(tempfile.mkdtemp(prefix="", dir=folder))
    except OSError as exc:
        raise build_write_error(folder, exc) from exc


def remove_old_drags(now_s: float | None = None) -> None:
    """Remove the files of drags that are older than a day."""
    limit = (time.time() if now_s is None else now_s) - MIN_KEPT_S
    for folder in list_subfolders(find_drag_folder()):
        try:
            is_old = folder.stat().st_mtime < limit
        except OSError:
            continue
        if is_old:
            shutil.rmtree(folder, ignore_errors=True)


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
        """Make the files of these lines and pass their paths to `on_made`, the sounds first; `recorded` is the sound of the only line, if it was heard."""
        request = self._newest[use] = object()

        def is_newest() -> bool:
            return self._newest.get(use) is request

        def plan_request() -> tuple[ExportSettings, list[PlannedFile]]:
            placed = replace(settings, folder=str(create_drag_subfolder()))
            return placed, plan_files(lines, placed, context)

        def report_failure(error: AppError) -> None:
            if is_newest():
                del self._newest[use]
                on_failed(error)

        results: list[WrittenFile] = []

        def post_jobs(plan: tuple[ExportSettings, list[PlannedFile]]) -> None:
            placed, files = plan

            def add_result(result: WrittenFile) -> None:
                results.append(result)
                if len(results) == len(files) and is_newest():
                    on_made([item.file for item in results] + [path for item in results for path in item.sidecars])

            for item in files if is_newest() else ():
                self._speech.export_file(ExportTask(item, recorded=recorded), placed, add_result, report_failure)

        self._background.run_work(plan_request, post_jobs, report_failure)

    def close(self) -> None:
        """Wait for the running work."""
        self._newest.clear()
        self._background.close()


class DragController(QObject):
    """Makes the files at the press of a handle, and begins the drag when they are there and the mouse has moved."""

    def __init__(
        self,
        *,
        speech: SpeechController,
        document: ScriptDocument,
        seeds: LineSeeds,
        settings: SettingsStore,
        project: ExportProject,
        banner: Banner,
        name_speaker: Callable[[LineSettings], SpeakerNames],
    ) -> None:
        super().__init__(banner)
        self._document, self._seeds, self._settings = document, seeds, settings
        self._project, self._banner, self._name_speaker = project, banner, name_speaker
        self._memory = ExportSettingsMemory(settings, project)
        self._maker = DraggedFileMaker(speech, self)
        self._prepared_lines: tuple[Line, ...] = ()
        self._files: list[Path] = []
        self._source: QWidget | None = None
        # The files may never come, as when the user stops all writing; the release of the button ends the waiting all the same.
        self._watch = QTimer(self, interval=RELEASE_POLL_MS)
        self._watch.timeout.connect(self._watch_button)

    @Slot(object)
    def prepare_lines(self, ids: Sequence[str]) -> None:
        """Begin to make the files of lines whose handle is pressed."""
        self._prepare_files(self._find_lines(ids))

    def drag_lines(self, ids: Sequence[str], source: QWidget) -> None:
        self._start_drag(self._find_lines(ids), source)

    def drag_line(self, line: Line, source: QWidget, recorded: tuple[Float32, int] | None = None) -> None:
        """Drag the file of a line as it is given, such as a take; `recorded` is its sound `(T,)` and rate (Hz), without which it is rendered."""
        number = next((number for number, other in enumerate(self._document.script.lines, 1) if other.id == line.id), 1)
        lines = [NumberedLine(number, line)]
        if recorded is not None:  # what is ready may be a rendering, or another take with the same settings
            self._prepare_files(lines, recorded)
        self._start_drag(lines, source)

    def copy_lines(self, ids: Sequence[str]) -> None:
        """Copy the files of lines to the clipboard as soon as they are there."""
        lines = self._find_lines(ids)
        if lines:
            self._make_files(lines, "copy", self._copy_files, self._banner.show_error)
        else:
            self._banner.show_message("notice", localize("読み上げるテキストが空です。", "The text is empty."))

    def close(self) -> None:
        """Make nothing more."""
        self._end_waiting()
        self._maker.close()

    def _find_lines(self, ids: Sequence[str]) -> list[NumberedLine]:
        chosen, lines = set(ids), build_numbered_lines(self._document.script.lines)
        return [NumberedLine(item.number, self._seeds.apply_last_seed(item.line)) for item in lines if item.line.id in chosen]

    def _prepare_files(self, lines: list[NumberedLine], recorded: tuple[Float32, int] | None = None) -> None:
        self._prepared_lines, self._files = tuple(item.line for item in lines), []
        if lines:
            self._make_files(lines, "drag", self._keep_files, self._end_failed_drag, recorded)

    def _start_drag(self, lines: list[NumberedLine], source: QWidget) -> None:
        if self._prepared_lines != tuple(item.line for item in lines):
            self._prepare_files(lines)
        self._source = source
        if self._files:
            self._drag_files()
        elif lines:
            # Quiet: the pointer says that the file is on its way.
            source.setCursor(QCursor(Qt.CursorShape.BusyCursor))
            self._watch.start()

    def _make_files(
        self,
        lines: list[NumberedLine],
        use: DraggedFileUse,
        on_made: OnFilesMade,
        on_failed: OnFilesFailed,
        recorded: tuple[Float32, int] | None = None,
    ) -> None:
        export = choose_drag_settings(self._memory.settings, self._settings.value)
        context = PlanContext(self._project.name, cache(self._name_speaker), date.today(), list_character_names(self._document.script.cast))
        self._maker.make_files(lines, export, context, use=use, on_made=on_made, on_failed=on_failed, recorded=recorded)

    def _keep_files(self, files: list[Path]) -> None:
        self._files = files
        if self._source is not None:
            self._drag_files()

    def _drag_files(self) -> None:
        """Begin the drag, unless the button was released meanwhile: then the files are there for the next one."""
        source, files = self._source, self._files
        self._end_waiting()
        if source is not None and QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self._prepared_lines, self._files = (), []
            _begin_drag(source, files)

    def _copy_files(self, files: list[Path]) -> None:
        QGuiApplication.clipboard().setMimeData(build_file_data(files))
        self._banner.show_message(
            "notice",
            localize(f"コピーしました: {files[0].name}", f"Copied: {files[0].name}"),
            localize("ほかのアプリに貼り付けられます。", "Paste it into another program."),
        )

    def _end_failed_drag(self, error: AppError) -> None:
        self._prepared_lines = ()
        self._end_waiting()
        self._banner.show_error(error)

    @Slot()
    def _watch_button(self) -> None:
        if not QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self._end_waiting()

    def _end_waiting(self) -> None:
        self._watch.stop()
        if self._source is not None:
            self._source.unsetCursor()
            self._source = None


def build_file_data(files: Sequence[Path]) -> QMimeData:
    """Return files as other programs take them from a drag or the clipboard."""
    data = QMimeData()
    urls = [QUrl.fromLocalFile(str(file)) for file in files]
    data.setUrls(urls)
    # GNOME's file manager pastes this alone.
    data.setData("x-special/gnome-copied-files", b"\n".join([b"copy", *(bytes(url.toEncoded().data()) for url in urls)]))
    return data


def draw_drag_picture(source: QWidget, files: Sequence[Path]) -> QPixmap:
    """Return the picture of dragged files in the font and the resolution of the widget that they are dragged from."""
    # The program's colours: those of a list may be transparent, as its style sheet has it.
    metrics, colors, ratio = source.fontMetrics(), QGuiApplication.palette(), source.devicePixelRatioF()
    name = metrics.elidedText(files[0].name, Qt.TextElideMode.ElideMiddle, MAX_NAME_WIDTH_PX)
    more = localize(f"ほか {len(files) - 1:,} 件", f"and {len(files) - 1:,} more") if len(files) > 1 else ""
    width = 3 * MARGIN_PX + ICON_SIZE_PX + metrics.horizontalAdvance(name)
    width += MARGIN_PX + metrics.horizontalAdvance(more) if more else 0
    size = QSize(width, max(ICON_SIZE_PX, metrics.height()) + 2 * MARGIN_PX)
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(source.font())
    painter.setPen(QPen(colors.color(QPalette.ColorRole.Mid)))
    painter.setBrush(colors.color(QPalette.ColorRole.Base))
    painter.drawRoundedRect(QRect(QPoint(0, 0), size).adjusted(1, 1, -1, -1), CORNER_PX, CORNER_PX)
    icon = draw_icon("drag_out", colors.color(QPalette.ColorRole.Text)).pixmap(QSize(ICON_SIZE_PX, ICON_SIZE_PX), ratio)
    painter.drawPixmap(QPoint(MARGIN_PX, (size.height() - ICON_SIZE_PX) // 2), icon)
    room = QRect(2 * MARGIN_PX + ICON_SIZE_PX, 0, size.width(), size.height())
    painter.setPen(colors.color(QPalette.ColorRole.Text))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(colors.color(QPalette.ColorRole.PlaceholderText))
    painter.drawText(room.translated(metrics.horizontalAdvance(name) + MARGIN_PX, 0), Qt.AlignmentFlag.AlignVCenter, more)
    painter.end()
    return picture


def _begin_drag(source: QWidget, files: Sequence[Path]) -> None:
    drag = QDrag(source)
    drag.setMimeData(build_file_data(files))
    drag.setPixmap(draw_drag_picture(source, files))
    drag.setHotSpot(POINTER_OFFSET)
    # Only a copy: a move would take the file away before another program has read it.
    drag.exec(Qt.DropAction.CopyAction, Qt.DropAction.CopyAction)
