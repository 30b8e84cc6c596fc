"""The settings of the selected lines in the panel at the side, and what the window shows of the lines."""

from PySide6.QtCore import Slot

from app.common.language import localize
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.preset_collection import PresetEntry
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.autosave import REMEMBERED_LINE_SETTINGS
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.widgets.banner import Banner


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
