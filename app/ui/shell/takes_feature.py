"""Takes: renderings of lines that are kept, and the panel that shows them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.ui.actions.window_actions import WindowActions
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.project_document import ProjectDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.reading_feature import ReadingFeature
from app.ui.shell.script_feature import ScriptFeature, connect_actions
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_fold import TakesDeletionController, TakesFold


class TakesFeature(QObject):
    """Keeps, renders, shows and deletes takes.

    Attributes:
        shelf: the takes of the open project, and their files.
        lines: the takes of the selected line.
        fold: opens the panel, which is created then; the window restores it after its first paint.

    Args:
        name_of: returns the name of a voice that may not be installed.
        is_seeded: returns whether another seed makes the voice of an id sound otherwise.
    """

    def __init__(
        self,
        *,
        window: QWidget,
        script: ScriptFeature,
        project: ProjectDocument,
        playback: LinePlayback,
        reading: ReadingFeature,
        speech: SpeechController,
        actions: WindowActions,
        settings: SettingsStore,
        name_of: Callable[[str], str],
        is_seeded: Callable[[str], bool],
    ) -> None:
        super().__init__(window)
        self.shelf = TakeRepository(project, speech, script.banner.show_error, script.autosave.save_now, window)
        lines = (script.document, script.selection, script.seeds)
        self.lines = TakesController(self.shelf, *lines, speech, playback, script.banner, name_of, is_seeded)
        self.deletion = TakesDeletionController(window, self.shelf, actions["delete_takes"])
        self.fold = TakesFold(self.lines, actions["show_takes"], settings, reading.panel, reading.frame, script.panel.below)
        self.fold.folded.connect(script.scroll_to_selection)
        called: dict[str, Callable[[], object]] = {
            "keep_take": self.lines.keep_current,
            "more_takes": self.lines.render_more,
            "delete_takes": self.deletion.ask_which_takes,
        }
        connect_actions(actions, called)

    def close(self) -> None:
        """Close what is open."""
        self.deletion.close()
        self.lines.close()
