"""Files: projects and the takes that they keep; drops, the command line, later starts, and the menu's import and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, SCRIPT_SUFFIXES
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.missing_voices_controller import MissingVoicesController
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectContents, ProjectDocument, format_window_title
from app.ui.projects.project_files import RecentProjectsMenu
from app.ui.script.autosave import Autosave
from app.ui.script.line_commands import LineCommands
from app.ui.shell.script_feature import ReadingFeature, ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_fold import TakesDeletionController, TakesFold
from app.ui.voices.voice_library_actions import VoiceLibraryActions
from app.ui.web_links import format_link_name, is_text_link, is_voice_link, list_dropped_links
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.export.drag_controller import DragController
    from app.ui.export.export_controller import ExportController
    from app.ui.interchange.script_files import ScriptExporter, ScriptImporter


class TakesFeature(WindowFeature):
    """Keeps, renders, shows and deletes takes."""

    def __init__(
        self, context: WindowContext, script: ScriptFeature, playback: LinePlayback, reading: ReadingFeature, voices: VoicesFeature
    ) -> None:
        super().__init__(context)
        actions, speech, names = context.actions, context.speech, voices.choice.names
        # The takes of the open project, and their files.
        self.shelf = TakeRepository(context.project, speech, script.banner.show_error, script.autosave.save_now, context.window)
        lines = (context.document, script.selection, script.seeds)
        self.lines = TakesController(self.shelf, *lines, speech, playback, script.banner, names.find_name, voices.has_noise)
        self.deletion = TakesDeletionController(context.window, self.shelf, actions["delete_takes"])
        # Opens the panel, which is created then; the window restores it after its first paint.
        self.fold = TakesFold(self.lines, actions["show_takes"], context.settings, reading.panel, reading.frame, script.panel.below)
        self.fold.folded.connect(script.scroll_to_selection)
        actions.connect_handlers(
            {"keep_take": self.lines.keep_current, "more_takes": self.lines.render_more, "delete_takes": self.deletion.ask_which_takes}
        )

    def close(self) -> None:
        self.deletion.close()
        self.lines.close()


class ProjectsFeature(WindowFeature):
    """Opens and saves projects, and assigns voices where a project names some that are missing."""

    def __init__(
        self,
        context: WindowContext,
        script: ScriptFeature,
        playback: LinePlayback,
        voices: VoicesFeature,
        takes: TakesFeature,
        recent: RecentProjectsMenu,
    ) -> None:
        super().__init__(context)
        window, project, document, catalog = context.window, context.project, context.document, context.catalog
        contents = ProjectContents(project, document, script.seeds, script.view, catalog, playback.stop_playing)
        self.files = ProjectController(window, project, contents, takes.shelf, recent, script.banner)
        # The voices that the open project names and nobody installed.
        self.missing = MissingVoicesController(window, project, document, catalog, voices.choice, voices.banner)
        connect_saving(project, self.files, takes.lines.follow_project, takes.shelf, script.autosave)
        project.changed.connect(lambda: window.setWindowTitle(format_window_title(project)))
        self.files.opened.connect(self.missing.follow_project)
        self.files.opened.connect(voices.choice.begin_with_default_voice)
        window.setWindowTitle(format_window_title(project))
        context.actions.connect_handlers(
            {
                "new_project": self.files.create_project,
                "open_project": self.files.open_project,
                "save_project": self.files.save_project,
                "save_project_as": self.files.save_project_as,
            }
        )
        embedding = context.actions["embed_sounds"]
        embedding.triggered.connect(lambda is_on: project.change_parts(embeds=is_on))
        project.changed.connect(lambda: embedding.setChecked(project.parts.embeds))
        embedding.setChecked(project.parts.embeds)

    def close(self) -> None:
        self.files.close()
        self.missing.close()


def connect_saving(
    project: ProjectDocument, projects: ProjectController, follow_project: Callable[[], object], shelf: TakeRepository, autosave: Autosave
) -> None:
    project.changed.connect(autosave.schedule_save)
    projects.saved.connect(shelf.follow_saved_file)
    # Unused sounds are removed only after the autosave file no longer names them; a crash in between would lose them.
    projects.saved.connect(lambda: autosave.save_now(projects.remove_unused_sounds))
    projects.opened.connect(follow_project)
    projects.opened.connect(lambda: autosave.save_now())


class FilesFeature(WindowFeature):
    """Opens, imports and exports files."""

    def __init__(self, context: WindowContext, script: ScriptFeature, projects: ProjectController, library: VoiceLibraryActions) -> None:
        super().__init__(context)
        self._script = script
        self.incoming = IncomingFileRouter(script.commands, script.banner)  # takes files and links from everywhere, and says what they are
        self.incoming.accept_drops(context.window)
        projects.opened.connect(self._close_export_result)
        view = script.view
        view.handle_pressed.connect(lambda ids: self.drags.prepare_lines(ids))
        view.drag_requested.connect(lambda ids: self.drags.drag_lines(ids, view.viewport()))
        view.files_dropped.connect(self.incoming.open_files)
        view.links_dropped.connect(self.incoming.open_links)
        self.incoming.project_found.connect(projects.open_file)
        self.incoming.scripts_found.connect(lambda files, row: self.importing.import_files(files, row))
        script.commands.dialogue_pasted.connect(lambda text, row: self.importing.import_text(text, row))
        self.incoming.others_found.connect(library.add_files)
        self.incoming.voice_link_found.connect(partial(library.add_voice, "address"))
        context.actions.connect_handlers(
            {
                "import": lambda: self.importing.choose_files(),
                "export_script": lambda: self.script_export.choose_file(),
                "export": lambda: self.export.open_dialog(),
                "copy_sound": lambda: self.drags.copy_lines(script.selection.ids),
            }
        )

    @cached_property
    def export(self) -> ExportController:
        from app.ui.export.export_controller import ExportController

        context, script = self._context, self._script
        lines = (context.document, script.selection, script.seeds)
        export = ExportController(context.window, *lines, context.catalog, context.speech, context.settings, context.project)
        export.progress_made.connect(script.panel.messages.add_card)
        return export

    @cached_property
    def drags(self) -> DragController:
        """Return what drags and copies lines and takes to other programs."""
        from app.ui.export.drag_controller import DragController

        context = self._context
        return DragController(
            speech=context.speech,
            document=context.document,
            seeds=self._script.seeds,
            settings=context.settings,
            project=context.project,
            banner=self._script.banner,
            name_speaker=context.catalog.describe_speaker,
        )

    @cached_property
    def importing(self) -> ScriptImporter:
        """Return the import of scripts, by File › Import or a drop."""
        from app.interchange.character_assignment import list_voice_assignments
        from app.ui.interchange.script_files import ScriptImporter

        context, script = self._context, self._script
        importer = ScriptImporter(context.window, script.commands, context.document, script.selection, context.catalog, script.banner)
        importer.remembered = lambda: list_voice_assignments(context.document.script.cast)
        importer.references_found.connect(context.project.add_references)
        return importer

    @cached_property
    def script_export(self) -> ScriptExporter:
        from app.ui.interchange.script_files import ScriptExporter

        return ScriptExporter(self._context.window, self._context.document, self._context.catalog, self._script.banner)

    def close(self) -> None:
        self.close_created("drags", "export", "importing", "script_export")

    @Slot()
    def _close_export_result(self) -> None:
        """Close what the last export of the project before came to."""
        if self.is_created("export") and self.export.progress is not None:
            self.export.progress.close_message()


class IncomingFileRouter(QObject):
    """Opens scripts and texts as lines; any other file may be a voice. Nothing is downloaded from a link without asking.

    Signals:
        project_found(Path): the first project among the files; it replaces everything, so scripts opened with it are ignored.
        scripts_found(list[Path], int | None): scripts, tables and texts, and the row before which their lines are inserted.
        others_found(list[Path]): other files.
        voice_link_found(str): the URL of a voice.

    Args:
        banner: the banner that offers to open the link of a text file in the browser.
    """

    project_found = Signal(object)
    scripts_found = Signal(object, object)
    others_found = Signal(object)
    voice_link_found = Signal(str)

    def __init__(self, lines: LineCommands, banner: Banner) -> None:
        super().__init__(lines)
        self._lines, self._banner = lines, banner

    def accept_drops(self, window: QWidget) -> None:
        """Accept drops anywhere on a window."""
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @Slot(object, int)
    def open_files(self, files: Sequence[Path], row: int | None = None) -> None:
        """Open files; their lines are inserted before this row, or below the selected ones."""
        projects = [file for file in files if file.suffix.lower() == PROJECT_SUFFIX]
        scripts = [file for file in files if file.suffix.lower() in SCRIPT_SUFFIXES]
        other_files = [file for file in files if file not in scripts and file not in projects]
        if projects:
            self.project_found.emit(projects[0])
        elif scripts:
            self.scripts_found.emit(scripts, row)
        if other_files:
            self.others_found.emit(other_files)

    @Slot(object, int)
    def open_links(self, links: Sequence[str], row: int | None = None) -> None:
        """Open the first voice link, else the first text link; without either, insert each link as a line."""
        voice, text = next(filter(is_voice_link, links), ""), next(filter(is_text_link, links), "")
        if voice:
            self.voice_link_found.emit(voice)
        elif text:
            self._offer_text_download(text)
        else:
            self._lines.add_text("\n".join(links), self._lines.find_insertion_row() if row is None else row)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept dragged and dropped files and links; leave other events alone."""
        if (
            event.type() == QEvent.Type.DragEnter
            and isinstance(event, QDragEnterEvent)
            # Not the files of our own lines, on their way to another program.
            and event.source() is None
            and (_list_local_files(event) or list_dropped_links(event.mimeData()))
        ):
            event.acceptProposedAction()
            return True
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent) and self._accept_drop(event):
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _accept_drop(self, event: QDropEvent) -> bool:
        """Open the dropped files or links; return False if there are none."""
        if files := _list_local_files(event):
            self.open_files(files)
        elif links := list_dropped_links(event.mimeData()):
            self.open_links(links)
        else:
            return False
        return True

    def _offer_text_download(self, link: str) -> None:
        name = format_link_name(link)
        self._banner.show_message(
            "notice",
            localize(f"「{name}」はまだダウンロードされていません。", f"“{name}” has not been downloaded yet."),
            localize(
                "ブラウザーで保存し、そのファイルをここにドラッグ＆ドロップしてください。",
                "Save it in the browser, then drop the file here.",
            ),
            action=localize("ブラウザーで開く", "Open in browser"),
            on_action=lambda: QDesktopServices.openUrl(QUrl(link)),
        )


def _list_local_files(event: QDropEvent) -> list[Path]:
    """Return the dropped files of this machine; other URLs are not files."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
