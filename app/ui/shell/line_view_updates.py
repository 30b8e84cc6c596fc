"""Shows the state of the lines in the window: their number, the settings of the selected ones, the playing one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_seeds import LineSeeds
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.startup_script import REMEMBERED_LINE_SETTINGS
from app.ui.script.transport_bar import TransportBar
from app.ui.settings.settings_store import SettingsStore


class LineViewUpdater(QObject):
    """Updates the widgets that show lines.

    Args:
        settings: stores the settings of the selected line, for the lines of the next start.
    """

    def __init__(
        self,
        document: ScriptDocument,
        selection: LineSelection,
        seeds: LineSeeds,
        playback: LinePlayback,
        side: SidePanel,
        transport: TransportBar,
        lines: ScriptList,
        settings: SettingsStore,
    ) -> None:
        super().__init__(lines)
        self._document, self._selection, self._seeds = document, selection, seeds
        self._side, self._transport, self._lines, self._settings = side, transport, lines, settings
        document.changed.connect(self._show_length)
        selection.changed.connect(self._show_selection)
        seeds.changed.connect(self._show_selection)
        playback.line_began.connect(self._show_playing)

    def show_all(self) -> None:
        """Show everything."""
        self._show_length()
        self._show_selection()

    @Slot()
    def _show_length(self, *_scripts: object) -> None:
        lines = self._document.script.lines
        self._transport.show_length(len(lines), sum(len(line.text) for line in lines))

    @Slot()
    def _show_selection(self) -> None:
        line = self._selection.line
        settings = self._selection.settings if line is None else self._seeds.apply_last_seed(line).settings
        self._side.show_settings(settings, len(self._selection.ids), self._selection.mixed_settings)
        self._settings.change_settings(**{name: getattr(settings, name) for name in REMEMBERED_LINE_SETTINGS})

    @Slot(str)
    def _show_playing(self, line_id: str) -> None:
        # Selecting another line would close the editor that the user types in.
        if self._settings.value.follow and self._lines.editor is None:
            self._lines.select_lines([line_id])
        else:
            self._lines.scroll_to_line(line_id)
