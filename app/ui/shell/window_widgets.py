"""What is seen in the main window, laid out, and the documents that it shows."""

from __future__ import annotations

from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from app.settings import Settings
from app.ui.actions.actions import Actions
from app.ui.latency.dock import LatencyDock
from app.ui.parameters.side_panel import USUAL_WIDTH, SidePanel
from app.ui.projects.document import ProjectDocument
from app.ui.script.autosave import Autosave
from app.ui.script.document import ScriptDocument
from app.ui.script.first_script import line_settings, open_script
from app.ui.script.line_commands import LineCommands
from app.ui.script.panel import ScriptPanel
from app.ui.script.script_model import ScriptModel
from app.ui.script.search import Search
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.settings.store import SettingsStore
from app.ui.shell.columns import Columns
from app.ui.shell.dock_room import DockRoom
from app.ui.shell.first_paint import FirstPaint
from app.ui.shell.latency_fold import LatencyFold
from app.ui.shell.layout import lay_out
from app.ui.shell.menus import Menus
from app.ui.shell.notices import Notices
from app.ui.shell.status_line import StatusLine
from app.ui.shell.toolbar import EditBar
from app.ui.synthesis.controller import SpeechController
from app.ui.theme.icons import icon
from app.ui.theme.theme import Theme, apply_palette, chosen_theme

LOW = 400  # pixels of height below which the toolbar leaves its room to the lines; menus and keys have all of it


class WindowWidgets(QMainWindow):
    """Lines at the left, voice at the right, measurements below, and the documents that they show.

    Attributes:
        first_paint: when voices are looked for, and the first one is opened.
        kept: what else was kept of the script.
    """

    def __init__(self, settings: Settings, speech: SpeechController) -> None:
        super().__init__()
        self.setWindowIcon(icon("koebako"))
        self.settings = SettingsStore(settings, self)
        self.controller = speech
        self.first_paint = FirstPaint(self)
        script, self.kept = open_script(settings)
        theme = chosen_theme(settings.theme)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.application = application
        apply_palette(self.application, theme)  # the rest follows with `theme_switcher`
        self.document = ScriptDocument(script, self)  # before the actions: at the end its history is emitted to them until it is gone
        self.project = ProjectDocument(self.document, self.kept.origin)
        self.window_actions = Actions(self)
        self._make_columns(theme)
        self._make_bars(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low window, as a small screen at a scale of 200 % has, shows no toolbar."""
        super().resizeEvent(event)
        self.edit_bar.setVisible(self.height() >= LOW)

    def _make_columns(self, theme: Theme) -> None:
        kept = self.settings.value
        self.model = ScriptModel(self.document)
        self.seeds = TakeSeeds(self.document)
        self.left = ScriptPanel(self.model, self.window_actions, theme)
        self.notice, self.banner = self.left.notice, self.left.banner
        self._notices = Notices(self.notice)
        self.script, self.transport = self.left.script, self.left.transport
        self.selection = Selection(self.document, self.script, line_settings(kept))
        self.search = Search(self.left.search, self.document, self.script, self.selection)
        self.commands = LineCommands(self.document, self.model, self.script, self.selection, self.seeds)
        self.script_file = Autosave(self.document, self.seeds, lambda: self.selection.current_id, lambda: self.project.origin)
        self.side = SidePanel()
        self.side.expression.set_open(kept.expression_open)
        self.columns = Columns(self.left, self.side, USUAL_WIDTH, kept.side_width)

    def _make_bars(self, theme: Theme) -> None:
        self.latency = LatencyDock(self.controller.history, theme)
        self.status = StatusLine(self.settings.value.backend)
        self.edit_bar = EditBar(self.window_actions)
        self.menus = Menus(self.window_actions, self.settings)
        self.window_actions.draw(QColor(theme.text))
        lay_out(self, self.left.above, self.columns, self.menus, self.edit_bar, self.status, self.latency, self.settings.value)
        self._dock_room = DockRoom(self, self.latency, self.columns)
        self.latency_fold = LatencyFold(self, self.latency, self.settings)
        self.menus.view.addAction(self.latency.toggleViewAction())
        self.script.setFocus()
