"""The parts of a window that its features share, and the base of the features."""

from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from app.ui.actions.window_actions import WindowActions
from app.ui.parameters.side_panel import SidePanel
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.script_document import ScriptDocument
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import Theme
from app.ui.voices.voice_catalog import VoiceCatalog


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowContext:
    """Holds what every feature may use; all of it is there before the first feature is created."""

    window: QMainWindow
    settings: SettingsStore
    actions: WindowActions
    document: ScriptDocument
    project: ProjectDocument
    speech: SpeechController
    catalog: VoiceCatalog
    side: SidePanel
    theme: Theme


class WindowFeature(QObject):
    """A part of the window; what few starts need it creates on first use (`cached_property`), so that the window appears sooner."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._context = context

    def is_created(self, name: str) -> bool:
        """Return whether the controller of a `cached_property` was used already."""
        # Reading it by name would create it.
        return name in self.__dict__

    def close_created(self, *names: str) -> None:
        """Close those controllers that were created."""
        for name in filter(self.is_created, names):
            getattr(self, name).close()
