"""The selected lines, and the settings that a new line begins with."""

from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.script.characters import list_deviations
from app.core.script.script import Line, LineSettings
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList


class LineSelection(QObject):
    """The current line of a list and those selected with it, as the document has them now.

    Signals:
        changed(): other lines are selected, or a selected one was edited.

    Args:
        defaults: settings of the first line of an empty script.
    """

    changed = Signal()

    def __init__(self, document: ScriptDocument, view: ScriptList, defaults: LineSettings) -> None:
        super().__init__(view)
        self._document, self._view, self._defaults = document, view, defaults
        view.line_selected.connect(self.changed)
        document.changed.connect(lambda _before, _after: self.changed.emit())

    @property
    def current_id(self) -> str:
        """Return the id of the line that keys go to; empty if there is none."""
        return self._view.current_id

    @property
    def ids(self) -> list[str]:
        """Return the ids of the selected lines, in their order."""
        return self._view.selected_ids

    @property
    def shown_ids(self) -> list[str]:
        """Return the ids of the lines that the list shows: all, or those of one character."""
        return self._view.shown_ids

    @property
    def line(self) -> Line | None:
        return self._document.script.find_line(self._view.current_id)

    @property
    def settings(self) -> LineSettings:
        """Return the settings of the current line, or of the first line that an empty script will get."""
        line = self.line
        return self._defaults if line is None else line.settings

    @property
    def mixed_settings(self) -> frozenset[str]:
        """Return the names of the settings in which the selected lines differ."""
        several = {id(line.settings): line.settings for line in self._list_castings()}.values()
        return frozenset(item.name for item in fields(LineSettings) if len({getattr(settings, item.name) for settings in several}) > 1)

    @property
    def pauses(self) -> frozenset[float | None]:
        """Return the pauses before the next line that selected lines have; None is that of a line without its own."""
        ids = set(self.ids)
        return frozenset(line.pause_after_s for line in self._document.script.lines if line.id in ids)

    @property
    def characters(self) -> frozenset[str]:
        """Return the ids of the characters of the selected lines; empty is that of lines without one."""
        return frozenset(line.character for line in self._list_castings())

    @property
    def deviations(self) -> frozenset[str]:
        """Return the names of the settings in which selected lines differ from their characters."""
        cast = {one.id: one for one in self._document.script.cast}
        return frozenset(
            name for line in self._list_castings() if line.character in cast for name in list_deviations(line, cast[line.character])
        )

    def _list_castings(self) -> list[Line]:
        """Return a selected line for each pair of settings and character: many lines share a pair."""
        script, ids = self._document.script, self.ids
        # Not all lines in search of the selected ones: that took half of the time in which a project of 30,000 lines was shown.
        chosen = script.lines if len(ids) == len(script.lines) else filter(None, map(script.find_line, ids))
        return list({(id(line.settings), line.character): line for line in chosen}.values())

    @property
    def voices(self) -> frozenset[str]:
        """Return the ids of the voices of the selected lines, or of the first line that an empty script will get."""
        return frozenset(line.settings.voice for line in self._list_castings()) or frozenset({self.settings.voice})

    def change_defaults(self, **changes: Any) -> None:
        """Give the first line of an empty script other settings."""
        self._defaults = replace(self._defaults, **changes)
        self.changed.emit()
