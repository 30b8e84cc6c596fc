"""The lines of the script: the list that shows them, its banners, selection, search, commands and autosave file; and their settings at the side."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError
from app.common.language import localize
from app.common.user_notices import set_notice_handler
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.preset_collection import PresetEntry
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.autosave import REMEMBERED_LINE_SETTINGS, Autosave, create_first_line_settings
from app.ui.script.line_commands import LineCommands
from app.ui.script.line_selection import LineSelection
from app.ui.script.list_bars import CharacterFilterController
from app.ui.script.script_document import LineSeeds
from app.ui.script.script_model import ScriptDurationMeter, ScriptModel
from app.ui.script.script_panel import ScriptPanel
from app.ui.script.script_search import ScriptSearchController
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.widgets.banner import Banner


class ScriptFeature(WindowFeature):
    """Shows the lines, edits them and saves them while they change."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        document = context.document
        self.model = ScriptModel(document)
        self.seeds = LineSeeds(document)
        # The column with the list, its banners above it, the transport bar, and room below for other features.
        self.panel = ScriptPanel(self.model, context.actions, context.theme)
        self.view, self.transport = self.panel.script, self.panel.transport
        # notice: the banner for what the program noticed, such as unreadable files.
        self.notice, self.banner = self.panel.notice, self.panel.banner  # banner: the banner for what the user's last command led to
        self._notices = NoticeBannerController(self.notice)
        self.selection = LineSelection(document, self.view, create_first_line_settings(context.settings.value))
        self.search = ScriptSearchController(self.panel.search, document, self.view, self.selection)
        self.filter = CharacterFilterController(self.panel.filter, document, self.model, self.view)
        self.commands = LineCommands(document, self.model, self.view, self.selection, self.seeds)
        # The file that keeps the script, the project and the selected line between starts.
        self.autosave = Autosave(document, self.seeds, lambda: self.selection.current_id, lambda: context.project.origin)
        self.duration = ScriptDurationMeter(document, self.model)
        # The autosave file also stores the selected line.
        self.selection.changed.connect(self.autosave.schedule_save)
        self.model.filtered.connect(self.search.search_shown_lines)
        self.commands.noticed.connect(lambda text: self.banner.show_message("notice", text))
        context.actions.connect_handlers(self._map_actions())
        actions, stack = self._context.actions, self._context.document.stack
        actions.connect_handlers({"undo": stack.undo, "redo": stack.redo})
        stack.undoTextChanged.connect(lambda step: actions.describe_target("undo", step))
        stack.redoTextChanged.connect(lambda step: actions.describe_target("redo", step))
        for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
            actions[name].setEnabled(possible)
            signal.connect(actions[name].setEnabled)

    def select_first_line(self, remembered: str) -> None:
        """Select the line that was selected when the window closed, or the first one."""
        script = self._context.document.script
        chosen = remembered if script.find_line(remembered) else script.lines[0].id if script.lines else ""
        self.view.select_lines([chosen] if chosen else [])

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
    """Show messages about presets in the banner."""

    # Presets are no part of the undo history, so the message is the only way to restore one.
    def show_removed(preset: PresetEntry) -> None:
        message = localize(f"プリセット「{preset.stored_name}」を削除しました。", f"The preset “{preset.stored_name}” was deleted.")
        banner.show_message("notice", message, action=localize("元に戻す", "Undo"), on_action=lambda: presets.restore_preset(preset))

    def show_imported(count: int) -> None:
        banner.show_message("notice", localize(f"{count} 個のプリセットを読み込みました。", f"Presets imported: {count}."))

    presets.preset_removed.connect(show_removed)
    presets.presets_imported.connect(show_imported)
    presets.failed.connect(banner.show_error)
