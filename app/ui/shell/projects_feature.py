"""Projects: the file that the lines belong to, and what an opened one brings to the other features; and takes, which it keeps."""

from typing import Protocol

from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.missing_voices_controller import MissingVoicesController
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectContents, ProjectDocument, format_window_title
from app.ui.projects.project_files import RecentProjectsMenu
from app.ui.script.autosave import Autosave
from app.ui.shell.reading_feature import ReadingFeature
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_fold import TakesDeletionController, TakesFold


class ProjectFollower(Protocol):
    """A feature that follows the open project."""

    def follow_project(self) -> object: ...


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
        self.lines = TakesController(self.shelf, *lines, speech, playback, script.banner, names.find_name, voices.is_seeded)
        self.deletion = TakesDeletionController(context.window, self.shelf, actions["delete_takes"])
        # Opens the panel, which is created then; the window restores it after its first paint.
        self.fold = TakesFold(self.lines, actions["show_takes"], context.settings, reading.panel, reading.frame, script.panel.below)
        self.fold.folded.connect(script.scroll_to_selection)
        actions.connect_handlers(
            {"keep_take": self.lines.keep_current, "more_takes": self.lines.render_more, "delete_takes": self.deletion.ask_which_takes}
        )

    def close(self) -> None:
        """Close what is open."""
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
        connect_saving(project, self.files, takes.lines, takes.shelf, script.autosave)
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
        """Close what is open."""
        self.files.close()
        self.missing.close()


def connect_saving(
    project: ProjectDocument, projects: ProjectController, takes: ProjectFollower, shelf: TakeRepository, autosave: Autosave
) -> None:
    """Connect projects with autosave and takes."""
    project.changed.connect(autosave.schedule_save)
    projects.saved.connect(shelf.follow_saved_file)
    # Unused sounds are removed only after the autosave file no longer names them; a crash in between would lose them.
    projects.saved.connect(lambda: autosave.save_now(projects.remove_unused_sounds))
    projects.opened.connect(takes.follow_project)
    projects.opened.connect(lambda: autosave.save_now())
