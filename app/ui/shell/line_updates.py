"""Shows in the window what the lines are: how many, how the selected ones are spoken, which one plays."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.playback import Playback
from app.ui.script.document import ScriptDocument
from app.ui.script.first_script import SHARED
from app.ui.script.list import ScriptList
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.script.transport import Transport
from app.ui.settings.store import SettingsStore


class LineUpdates(QObject):
    """Brings lines to where they are shown.

    Args:
        settings: keeps how the selected line is spoken, for the lines of the next start.
    """

    def __init__(
        self,
        document: ScriptDocument,
        selection: Selection,
        seeds: TakeSeeds,
        playback: Playback,
        side: SidePanel,
        transport: Transport,
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

    def show(self) -> None:
        """Shows all of it."""
        self._show_length()
        self._show_selection()

    @Slot()
    def _show_length(self, *_scripts: object) -> None:
        lines = self._document.script.lines
        self._transport.show_length(len(lines), sum(len(line.text) for line in lines))

    @Slot()
    def _show_selection(self) -> None:
        line = self._selection.line
        settings = self._selection.settings if line is None else self._seeds.applied(line).settings
        self._side.show_settings(settings, len(self._selection.ids), self._selection.mixed)
        self._settings.change(**{name: getattr(settings, name) for name in SHARED})

    @Slot(str)
    def _show_playing(self, line_id: str) -> None:
        if self._settings.value.follow and self._lines.editor is None:
            self._lines.choose([line_id])
        else:
            self._lines.show_line(line_id)
