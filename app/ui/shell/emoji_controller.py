"""Emoji in the lines of a window: whose voices speak them, and how one is put into a text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.core.script import Line
from app.ui.reading.controller import ReadingController
from app.ui.script.list import ScriptList
from app.ui.script.selection import Selection
from app.ui.voices.catalog import VoiceCatalog


class EmojiController(QObject):
    """Shows the button for emoji where the voice of the line speaks them, and types what is picked."""

    def __init__(self, view: ScriptList, selection: Selection, catalog: VoiceCatalog, reading: ReadingController) -> None:
        super().__init__(view)
        self._view, self._selection, self._catalog, self._reading = view, selection, catalog, reading
        self._place: int | None = None  # of the cursor when the picker opened
        self._button = reading.panel.emoji
        reading.speaks_emoji = self.speaks
        self._button.opening.connect(self._on_opening)
        self._button.picked.connect(self._on_picked)
        catalog.changed.connect(self._on_catalog)
        selection.changed.connect(self._follow)

    def speaks(self, line: Line) -> bool:
        """Whether the voice of a line speaks emoji; False for one that is not here."""
        voice = self._catalog.find(line.settings.voice)
        return voice is not None and voice.manifest.emoji

    @Slot()
    def _follow(self, *_what: object) -> None:
        line = self._selection.line
        self._button.setVisible(line is not None and self.speaks(line))

    @Slot()
    def _on_catalog(self) -> None:
        self._follow()
        self._reading.follow_voices()

    @Slot()
    def _on_opening(self) -> None:
        editor = self._view.editor
        self._place = None if editor is None else editor.textCursor().position()

    @Slot(str)
    def _on_picked(self, symbol: str) -> None:
        """Types it where the cursor was, or else at the end of the line."""
        if self._view.editor is None:
            self._view.edit_line(self._view.currentIndex().row())
        editor = self._view.editor
        if editor is None:
            return
        cursor = editor.textCursor()
        if self._place is not None:
            cursor.setPosition(min(self._place, editor.document().characterCount() - 1))
        cursor.insertText(symbol)
        editor.setTextCursor(cursor)
        editor.setFocus()
