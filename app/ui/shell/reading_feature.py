"""The reading of the selected line: the strip below the list, emoji, sounds that are kept, and the dictionaries."""

import itertools

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.script.script import Line
from app.ui.dictionary.dictionary_controller import DictionaryController
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.project_document import ProjectDictionaryController
from app.ui.reading.line_sounds import LineSoundStore
from app.ui.reading.melody.melody_commands import MelodyCommands
from app.ui.reading.reading_controller import ReadingController
from app.ui.reading.strip_panel import ReadingFold, StripPanel
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_list import ScriptList
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.scroll_frame import ScrollFrame


class ReadingFeature(WindowFeature):
    """Shows and changes how the selected line is read."""

    def __init__(self, context: WindowContext, script: ScriptFeature, playback: LinePlayback) -> None:
        super().__init__(context)
        actions, speech = context.actions, context.speech
        self.panel = StripPanel(context.theme)
        self.frame = ScrollFrame(self.panel)  # the widget that scrolls the strip in a low window
        script.panel.below.insertWidget(0, self.frame)
        panel = self.panel
        melody = panel.melody
        buttons = (panel.emoji, melody.fold, melody.pen, melody.more, panel.reset_phrase, panel.reset_all)
        stops = (script.view, panel.title, panel.reading.edit, *buttons, panel.strip, panel.lane)
        # The strip is created after the buttons below it, so Qt's default tab order would be wrong.
        for first, second in itertools.pairwise(stops):
            QWidget.setTabOrder(first, second)
        self.strip = ReadingController(self.panel, context.document, script.selection, speech, playback)
        self.fold = ReadingFold(self.panel, actions["show_strip"], context.settings, "strip")
        self.fold.folded.connect(script.scroll_to_selection)
        self.melody = MelodyCommands(self.panel.lane, self.panel.melody, actions)
        self.panel.strip.add_melody_commands = self.melody.add_to_menu
        self.melody_fold = ReadingFold(self.panel.melody, actions["show_melody"], context.settings, "melody")
        self.melody_fold.folded.connect(script.scroll_to_selection)
        self.emoji = EmojiController(script.view, script.selection, context.catalog, self.strip)
        self.project_words = ProjectDictionaryController(context.project, speech, script.banner)
        self.dictionary = DictionaryController(
            context.window, actions["dictionary"], script.selection, speech, playback, script.notice, self.project_words
        )
        self.panel.reading.dictionary_requested.connect(self.dictionary.open_dialog)
        # The file that keeps the waveforms of lines between starts.
        self.kept_sounds = LineSoundStore(self.strip.sounds, context.document, script.model)

    def close(self) -> None:
        """Forget the words of the project, and wait until those of the user are written and nothing is measured."""
        self.strip.pitches.close()
        self.project_words.close()
        self.dictionary.close()


class EmojiController(QObject):
    """Shows the emoji button if the voice of the line speaks emoji, and types the picked one."""

    def __init__(self, view: ScriptList, selection: LineSelection, catalog: VoiceCatalog, reading: ReadingController) -> None:
        super().__init__(view)
        self._view, self._selection, self._catalog, self._strip = view, selection, catalog, reading
        # Position of the cursor when the picker opened.
        self._cursor_position: int | None = None
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
        self._strip.update_emoji_support()

    @Slot()
    def _update_before_editing(self) -> None:
        editor = self._view.editor
        self._cursor_position = None if editor is None else editor.textCursor().position()

    @Slot(str)
    def _insert_emoji(self, symbol: str) -> None:
        """Insert an emoji at the cursor's last position, or at the end of the line."""
        if self._view.editor is None:
            self._view.edit_line(self._view.currentIndex().row())
        editor = self._view.editor
        if editor is None:
            return
        cursor = editor.textCursor()
        if self._cursor_position is not None:
            # The text may have become shorter while the picker was open; characterCount includes the final paragraph mark.
            cursor.setPosition(min(self._cursor_position, editor.document().characterCount() - 1))
        cursor.insertText(symbol)
        editor.setTextCursor(cursor)
        editor.setFocus()
