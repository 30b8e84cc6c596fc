"""The widgets of the main window, their layout, and the documents that they show."""

from __future__ import annotations

from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from app.settings.user_settings import Settings
from app.ui.actions.window_actions import WindowActions
from app.ui.latency.latency_dock import LatencyDock
from app.ui.parameters.side_panel import USUAL_WIDTH, SidePanel
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.autosave import Autosave
from app.ui.script.line_commands import LineCommands
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_model import ScriptModel
from app.ui.script.script_panel import ScriptPanel
from app.ui.script.script_search import ScriptSearchController
from app.ui.script.startup_script import create_first_line_settings, open_startup_script
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.column_splitter import ColumnSplitter
from app.ui.shell.dock_height import DockHeightKeeper
from app.ui.shell.first_paint import FirstPaintWatcher
from app.ui.shell.latency_fold import LatencyFold
from app.ui.shell.menu_bar import MenuBar
from app.ui.shell.notice_banner import NoticeBannerController
from app.ui.shell.status_line import StatusLine
from app.ui.shell.toolbar import EditToolBar
from app.ui.shell.window_layout import lay_out_window
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import Theme, apply_palette, resolve_theme
from app.ui.theme.themed_icons import draw_icon

# Window height in pixels; below it the lines get the toolbar's room, as menus and keys have all of its actions.
NO_TOOLBAR_HEIGHT = 400


class WindowWidgets(QMainWindow):
    """Creates the documents and the widgets that show them: lines at the left, the voice at the right, measurements below.

    Attributes:
        first_paint: reports the first paint, after which voices are scanned and the first one is opened.
        kept: the other values that the autosave file holds beside the script.
    """

    def __init__(self, settings: Settings, speech: SpeechController) -> None:
        super().__init__()
        self.setWindowIcon(draw_icon("koebako"))
        self.settings = SettingsStore(settings, self)
        self.controller = speech
        self.first_paint = FirstPaintWatcher(self)
        script, self.kept = open_startup_script(settings)
        theme = resolve_theme(settings.theme)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.application = application
        # The style sheet follows with `theme_switcher`.
        apply_palette(self.application, theme)
        # The document is created before the actions: when it is deleted its undo stack still emits signals to them.
        self.document = ScriptDocument(script, self)
        self.project = ProjectDocument(self.document, self.kept.origin)
        self.window_actions = WindowActions(self)
        self._make_columns(theme)
        self._make_bars(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the toolbar in a low window, as on a small screen at a scale of 200 %."""
        super().resizeEvent(event)
        self.edit_bar.setVisible(self.height() >= NO_TOOLBAR_HEIGHT)

    def _make_columns(self, theme: Theme) -> None:
        kept = self.settings.value
        self.model = ScriptModel(self.document)
        self.seeds = LineSeeds(self.document)
        self.left = ScriptPanel(self.model, self.window_actions, theme)
        self.notice, self.banner = self.left.notice, self.left.banner
        self._notices = NoticeBannerController(self.notice)
        self.script, self.transport = self.left.script, self.left.transport
        self.selection = LineSelection(self.document, self.script, create_first_line_settings(kept))
        self.search = ScriptSearchController(self.left.search, self.document, self.script, self.selection)
        self.commands = LineCommands(self.document, self.model, self.script, self.selection, self.seeds)
        self.script_file = Autosave(self.document, self.seeds, lambda: self.selection.current_id, lambda: self.project.origin)
        self.side = SidePanel()
        self.side.expression.set_open(kept.expression_open)
        self.columns = ColumnSplitter(self.left, self.side, USUAL_WIDTH, kept.side_width)

    def _make_bars(self, theme: Theme) -> None:
        self.latency = LatencyDock(self.controller.history, theme)
        self.status = StatusLine(self.settings.value.backend)
        self.edit_bar = EditToolBar(self.window_actions)
        self.menus = MenuBar(self.window_actions, self.settings)
        self.window_actions.draw_icons(QColor(theme.text))
        lay_out_window(self, self.left.above, self.columns, self.menus, self.edit_bar, self.status, self.latency, self.settings.value)
        self._dock_room = DockHeightKeeper(self, self.latency, self.columns)
        self.latency_fold = LatencyFold(self, self.latency, self.settings)
        self.menus.view.addAction(self.latency.toggleViewAction())
        self.script.setFocus()
