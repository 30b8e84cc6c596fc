"""The lines of the script: their list, with selection, search, commands and autosave; their settings at the side; and their reading below."""

import itertools
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.common.user_notices import set_notice_handler
from app.core.delivery import ENGLISH
from app.core.script.script import Character, Line
from app.ui.dictionary.dictionary_controller import DictionaryController
from app.ui.parameters.preset_bar import PresetBar, PresetEntry
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.project_document import ProjectDictionaryController
from app.ui.reading.line_sounds import LineSoundStore
from app.ui.reading.melody.melody_commands import MelodyCommands
from app.ui.reading.reading_controller import ReadingController
from app.ui.reading.strip_panel import ReadingFold, StripPanel
from app.ui.script.autosave import REMEMBERED_LINE_SETTINGS, Autosave, create_first_line_settings
from app.ui.script.line_commands import LineCommands
from app.ui.script.line_selection import LineSelection
from app.ui.script.list_bars import CharacterFilterBar, CharacterFilterController
from app.ui.script.script_document import LineSeeds
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptDurationMeter, ScriptModel
from app.ui.script.script_panel import ScriptPanel
from app.ui.script.script_search import ScriptSearchController
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner
from app.ui.widgets.containers import ScrollFrame
from app.ui.widgets.dialogs import ask_for_number


class ScriptFeature(WindowFeature):
    """Shows the lines, edits them and saves them while they change."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        document = context.document
        self.model = ScriptModel(document)
        self.seeds = LineSeeds(document)
        # The column with the list and messages over it, the transport bar, and room below for other features.
        self.panel = ScriptPanel(self.model, context.actions, context.theme)
        self.view, self.transport = self.panel.script, self.panel.transport
        # notice: the banner for what the program noticed, such as unreadable files.
        self.notice, self.banner = self.panel.notice, self.panel.banner  # banner: the banner for what the user's last command led to
        self._notices = NoticeBannerController(self.notice)
        self.selection = LineSelection(document, self.view, create_first_line_settings(context.settings.value))
        self.search = ScriptSearchController(self.panel.search, document, self.view, self.selection)
        self.filter_bar = CharacterFilterBar(context.window)  # for the toolbar
        self.filter = CharacterFilterController(self.filter_bar, document, self.model, self.view)
        self.commands = LineCommands(document, self.model, self.view, self.selection, self.seeds)
        # The file that keeps the script, the project and the selected line between starts.
        self.autosave = Autosave(document, self.seeds, lambda: self.selection.current_id, lambda: context.project.origin)
        self.duration = ScriptDurationMeter(document, self.model)
        # The autosave file also stores the selected line.
        self.selection.changed.connect(self.autosave.schedule_save)
        self.model.filtered.connect(self.search.search_shown_lines)
        self.commands.noticed.connect(lambda text: self.banner.show_message("notice", text))
        self.search.replaced.connect(self._report_replaced)
        context.actions.connect_handlers(self._map_actions())
        context.document.changed.connect(self._show_language)
        context.actions["read_english"].triggered.connect(self.commands.choose_english)
        self._show_language()
        actions, stack = self._context.actions, self._context.document.stack
        actions.connect_handlers({"undo": stack.undo, "redo": stack.redo})
        stack.undoTextChanged.connect(lambda step: actions.describe_target("undo", step))
        stack.redoTextChanged.connect(lambda step: actions.describe_target("redo", step))
        for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
            actions[name].setEnabled(possible)
            signal.connect(actions[name].setEnabled)

    @Slot()
    def _show_language(self, *_scripts: object) -> None:
        """Check the action for English if all lines and characters have it."""
        script = self._context.document.script
        spoken: tuple[Line | Character, ...] = (*script.cast, *script.lines)
        self._context.actions["read_english"].setChecked(bool(spoken) and all(item.settings.latin == ENGLISH for item in spoken))

    def select_first_line(self, remembered: str) -> None:
        """Select the line that was selected when the window closed, or the first one."""
        script = self._context.document.script
        chosen = remembered if script.find_line(remembered) else script.lines[0].id if script.lines else ""
        self.view.select_lines([chosen] if chosen else [])

    @Slot()
    def _ask_for_line(self) -> None:
        script = self._context.document.script
        if script.lines:
            self.view.end_editing()
            count, row = len(script.lines), script.find_index(self.selection.current_id) or 0
            label = localize(f"行の番号（1〜{count:,}）", f"Number of the line (1 to {count:,})")
            texts = (localize("行へ移動", "Go to line"), label, localize("移動", "Go"))
            ask_for_number(self._context.window, texts, (1, count), row + 1, self._go_to_line)

    def _go_to_line(self, number: int) -> None:
        """Select the line of a number; where it is not among the shown ones, show all."""
        lines = self._context.document.script.lines
        line_id = lines[min(number, len(lines)) - 1].id
        if self.view.is_filtered and line_id not in self.view.shown_ids:
            self.filter.show_character(None)
        self.view.select_lines([line_id])
        self.view.setFocus()

    @Slot(int)
    def _report_replaced(self, count: int) -> None:
        places = "place" if count == 1 else "places"
        self.banner.show_message("notice", localize(f"{count:,} か所を置き換えました。", f"Replaced in {count:,} {places}."))

    @Slot()
    def scroll_to_selection(self) -> None:
        """Bring the selected line into view, as after another part of the window took room from the list."""
        self.view.scroll_to_line(self.selection.current_id)

    def close(self) -> None:
        """Send later notices to the log alone."""
        self._notices.close()

    def _map_actions(self) -> dict[str, Callable[[], object]]:
        commands = self.commands
        return {
            "cut": commands.cut_lines,
            "copy": commands.copy_lines,
            "paste": commands.paste_lines,
            "select_all": self.view.selectAll,
            "add_line": commands.add_line,
            "edit_line": commands.edit_current_line,
            "duplicate": commands.insert_copies,
            "delete": commands.delete_lines,
            "split_here": commands.split_at_cursor,
            "split_sentences": commands.split_sentences,
            "join_lines": commands.join_lines,
            "move_up": commands.move_up,
            "move_down": commands.move_down,
            "find": self.search.open_search,
            "replace": self.search.open_replace,
            "focus_messages": self.panel.messages.focus_newest,
            "past_messages": self.panel.messages.show_past_messages,
            "go_to_line": self._ask_for_line,
        }


class NoticeBannerController(QObject):
    """Accepts notices from every thread, and adds new ones to those that the user has not closed."""

    _noticed = Signal(object)

    def __init__(self, banner: Banner) -> None:
        super().__init__(banner)
        self._banner = banner
        self._errors: list[AppError] = []
        # A signal carries the notice from any thread to the window's own, the only one that may touch widgets.
        self._noticed.connect(self._show_notice)
        set_notice_handler(self._noticed.emit)

    def close(self) -> None:
        """Send later notices to the log alone."""
        set_notice_handler(None)

    @Slot(object)
    def _show_notice(self, error: AppError) -> None:
        if not self._banner.is_wanted:
            self._errors.clear()
        self._errors.append(error)
        self._banner.show_messages("notice", [(item.message, item.hint) for item in self._errors])


class ParametersFeature(WindowFeature):
    """Changes the settings of the selected lines, by hand or by a preset; keeps those of one line for the lines of the next start."""

    def __init__(self, context: WindowContext, script: ScriptFeature, playback: LinePlayback) -> None:
        super().__init__(context)
        self._script = script
        side, project = context.side, context.project
        side.edited.connect(script.commands.change_setting)
        side.line_pause.edited.connect(script.commands.change_pause)
        side.preset_selected.connect(script.commands.change_settings)
        side.folded.connect(lambda: context.settings.change_settings(expression_open=side.expression.is_open))
        connect_preset_messages(side.presets, script.banner)
        project.changed.connect(lambda: side.presets.show_project(project.parts.presets))
        side.presets.project_changed.connect(lambda presets: project.change_parts(presets=presets))
        side.presets.show_project(project.parts.presets)
        context.document.changed.connect(self._show_length)
        script.selection.changed.connect(self._show_selection)
        script.seeds.changed.connect(self._show_selection)
        playback.line_began.connect(self._show_playing)

    def show_all(self) -> None:
        """Show the lines as the window opens with them."""
        self._show_length()
        self._show_selection()

    @Slot()
    def _show_length(self, *_scripts: object) -> None:
        lines = self._context.document.script.lines
        self._script.transport.show_length(len(lines), sum(len(line.text) for line in lines))

    @Slot()
    def _show_selection(self) -> None:
        selection, side = self._script.selection, self._context.side
        settings = selection.settings if selection.line is None else self._script.seeds.apply_last_seed(selection.line).settings
        side.show_settings(settings, len(selection.ids), selection.mixed_settings)
        side.line_pause.show_pauses(selection.pauses)
        cast = self._context.document.script.cast
        side.show_characters(cast, selection.characters if cast else (), selection.deviations if cast else ())
        self._context.settings.change_settings(**{name: getattr(settings, name) for name in REMEMBERED_LINE_SETTINGS})

    @Slot(str)
    def _show_playing(self, line_id: str) -> None:
        view = self._script.view
        # Selecting another line would close the editor that the user types in.
        is_shown = not view.is_filtered or line_id in view.shown_ids
        if is_shown and self._context.settings.value.follow and view.editor is None:
            view.select_lines([line_id])
        else:
            view.scroll_to_line(line_id)


def connect_preset_messages(presets: PresetBar, banner: Banner) -> None:
    # Presets are no part of the undo history, so the message is the only way to restore one.
    def show_removed(preset: PresetEntry) -> None:
        message = localize(f"プリセット「{preset.stored_name}」を削除しました。", f"The preset “{preset.stored_name}” was deleted.")
        banner.show_message("notice", message, action=localize("元に戻す", "Undo"), on_action=lambda: presets.restore_preset(preset))

    def show_imported(count: int) -> None:
        banner.show_message("notice", localize(f"{count} 個のプリセットを読み込みました。", f"Presets imported: {count}."))

    presets.preset_removed.connect(show_removed)
    presets.presets_imported.connect(show_imported)
    presets.failed.connect(banner.show_error)


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
        buttons = (panel.reset_phrase, panel.reset_all, panel.emoji, melody.fold, melody.pen, melody.more)
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
        reading.speaks_english = self.can_speak_english
        self._button.picker_opening.connect(self._update_before_editing)
        self._button.emoji_picked.connect(self._insert_emoji)
        catalog.changed.connect(self._update_after_catalog)
        selection.changed.connect(self._update_button)

    def can_speak_emoji(self, line: Line) -> bool:
        """Return True if the voice of a line speaks emoji; False if the voice is not installed."""
        voice = self._catalog.find_voice(line.settings.voice)
        return voice is not None and voice.manifest.emoji

    def can_speak_english(self, line: Line) -> bool:
        """Return True if the voice of a line speaks English; False if the voice is not installed."""
        voice = self._catalog.find_voice(line.settings.voice)
        return voice is not None and voice.architecture.speaks_english

    @Slot()
    def _update_button(self, *_what: object) -> None:
        line = self._selection.line
        self._button.setVisible(line is not None and self.can_speak_emoji(line))

    @Slot()
    def _update_after_catalog(self) -> None:
        self._update_button()
        self._strip.update_voice_support()

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
