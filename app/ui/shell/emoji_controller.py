"""Shows and inserts emoji in lines whose voice speaks them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.core.script import Line
from app.ui.reading.reading_controller import ReadingController
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_list import ScriptList
from app.ui.voices.voice_catalog import VoiceCatalog


class EmojiController(QObject):
    """Shows the emoji button if the voice of the line speaks emoji, and types the picked one."""

    def __init__(self, view: ScriptList, selection: LineSelection, catalog: VoiceCatalog, reading: ReadingController) -> None:
        super().__init__(view)
        self._view, self._selection, self._catalog, self._reading = view, selection, catalog, reading
        # Position of the cursor when the picker opened.
        self._place: int | None = None
        self._button = reading.panel.emoji
        reading.speaks_emoji = self.can_speak_emoji
        self._button.picker_opening.connect(self._update_before_editing)
        self._button.emoji_picked.connect(self._insert_emoji)
        catalog.changed.connect(self._update_after_catalog)
        selection.changed.connect(self._update_button)

    def can_speak_emoji(self, line: Line) -> bool:
        """Return True if the voice of a line speaks emoji; False if the voice is not installed."""
        voice = self._catalog.find_voice(line.settings.voice)
        return voice is not None and voice.manifest.emoji

    @Slot()
    def _update_button(self, *_what: object) -> None:
        line = self._selection.line
        self._button.setVisible(line is not None and self.can_speak_emoji(line))

    @Slot()
    def _update_after_catalog(self) -> None:
        self._update_button()
        self._reading.update_emoji_support()

    @Slot()
    def _update_before_editing(self) -> None:
        editor = self._view.editor
        self._place = None if editor is None else editor.textCursor().position()

    @Slot(str)
    def _insert_emoji(self, symbol: str) -> None:
        """Insert an emoji at the cursor's last position, or at the end of the line."""
        if self._view.editor is None:
            self._view.edit_line(self._view.currentIndex().row())
        editor = self._view.editor
        if editor is None:
            return
        cursor = editor.textCursor()
        if self._place is not None:
            # The text may have become shorter while the picker was open; characterCount includes the final paragraph mark.
            cursor.setPosition(min(self._place, editor.document().characterCount() - 1))
        cursor.insertText(symbol)
        editor.setTextCursor(cursor)
        editor.setFocus()
