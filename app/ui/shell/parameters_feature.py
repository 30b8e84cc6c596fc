"""The settings of the selected lines in the panel at the side, and what the window shows of the lines."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.preset_collection import PresetEntry
from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.line_playback import LinePlayback
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.autosave import REMEMBERED_LINE_SETTINGS
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.script_panel import TransportBar
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.script_feature import ScriptFeature
from app.ui.widgets.banner import Banner


class ParametersFeature(QObject):
    """Changes the settings of the selected lines, by hand or by a preset."""

    def __init__(
        self,
        *,
        window: QWidget,
        script: ScriptFeature,
        project: ProjectDocument,
        playback: LinePlayback,
        side: SidePanel,
        settings: SettingsStore,
    ) -> None:
        super().__init__(window)
        self.side = side
        shown = (side, script.transport, script.view, settings)
        self._line_views = LineViewUpdater(script.document, script.selection, script.seeds, playback, *shown)
        side.edited.connect(script.commands.change_setting)
        side.preset_selected.connect(script.commands.change_settings)
        side.folded.connect(lambda: settings.change_settings(expression_open=side.expression.is_open))
        connect_preset_messages(side.presets, script.banner)
        project.changed.connect(lambda: side.presets.show_project(project.parts.presets))
        side.presets.project_changed.connect(lambda kept: project.change_parts(presets=kept))
        side.presets.show_project(project.parts.presets)

    def show_all(self) -> None:
        """Show the lines and the presets as the window opens with them."""
        self._line_views.show_all()

    def load_presets(self) -> None:
        """Load the user's presets."""
        self.side.presets.load_presets()


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
        cast = self._document.script.cast
        self._side.show_characters(cast, self._selection.characters if cast else (), self._selection.deviations if cast else ())
        self._settings.change_settings(**{name: getattr(settings, name) for name in REMEMBERED_LINE_SETTINGS})

    @Slot(str)
    def _show_playing(self, line_id: str) -> None:
        # Selecting another line would close the editor that the user types in.
        is_shown = not self._lines.is_filtered or line_id in self._lines.shown_ids
        if is_shown and self._settings.value.follow and self._lines.editor is None:
            self._lines.select_lines([line_id])
        else:
            self._lines.scroll_to_line(line_id)


def connect_preset_messages(presets: PresetBar, banner: Banner) -> None:
    """Show messages about presets in the banner."""

    # Presets are no part of the undo history, so the message is the only way to restore one.
    def show_removed(preset: PresetEntry) -> None:
        words = localize(f"プリセット「{preset.stored_name}」を削除しました。", f"The preset “{preset.stored_name}” was deleted.")
        banner.show_message("notice", words, action=localize("元に戻す", "Undo"), on_action=lambda: presets.restore_preset(preset))

    def show_imported(count: int) -> None:
        words = localize(f"{count} 個のプリセットを読み込みました。", f"Presets imported: {count}.")
        banner.show_message("notice", words)

    presets.preset_removed.connect(show_removed)
    presets.presets_imported.connect(show_imported)
    presets.failed.connect(banner.show_error)
