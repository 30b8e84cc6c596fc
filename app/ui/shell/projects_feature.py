"""Projects: the file that the lines belong to, and what an opened one brings to the other features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from app.ui.actions.window_actions import WindowActions
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.missing_voices_controller import MissingVoicesController
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectContents, ProjectDocument, format_window_title
from app.ui.projects.recent_projects import RecentProjectsMenu
from app.ui.script.autosave import Autosave
from app.ui.shell.script_feature import ScriptFeature, connect_actions
from app.ui.shell.takes_feature import TakesFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.takes.take_repository import TakeRepository


class ProjectFollower(Protocol):
    """A feature that follows the open project."""

    def follow_project(self) -> object: ...


class ProjectsFeature(QObject):
    """Opens and saves projects, and assigns voices where a project names some that are missing.

    Attributes:
        files: opens, saves and creates projects.
        missing: the voices that the open project names and nobody installed.

    Args:
        recent: the menu of recent projects.
    """

    def __init__(
        self,
        *,
        window: QMainWindow,
        script: ScriptFeature,
        project: ProjectDocument,
        playback: LinePlayback,
        voices: VoicesFeature,
        takes: TakesFeature,
        actions: WindowActions,
        recent: RecentProjectsMenu,
    ) -> None:
        super().__init__(window)
        document, banner = script.document, script.banner
        contents = ProjectContents(project, document, script.seeds, script.view, voices.catalog, playback.stop_playing)
        self.files = ProjectController(window, project, contents, takes.shelf, recent, banner)
        self.missing = MissingVoicesController(window, project, document, voices.catalog, voices.choice, voices.banner)
        connect_saving(project, self.files, takes.lines, takes.shelf, script.autosave)
        project.changed.connect(lambda: window.setWindowTitle(format_window_title(project)))
        self.files.opened.connect(self.missing.follow_project)
        self.files.opened.connect(voices.choice.begin_with_default_voice)
        window.setWindowTitle(format_window_title(project))
        called: dict[str, Callable[[], object]] = {
            "new_project": self.files.create_project,
            "open_project": self.files.open_project,
            "save_project": self.files.save_project,
            "save_project_as": self.files.save_project_as,
        }
        connect_actions(actions, called)
        connect_embedding(actions["embed_sounds"], project)

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


def connect_embedding(action: QAction, project: ProjectDocument) -> None:
    """Connect the check mark of an action with the open project, which stores it."""
    action.triggered.connect(lambda is_on: project.change_parts(embeds=is_on))
    project.changed.connect(lambda: action.setChecked(project.parts.embeds))
    action.setChecked(project.parts.embeds)
