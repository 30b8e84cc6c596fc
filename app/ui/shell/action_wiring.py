"""Connects actions with the functions that they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from PySide6.QtGui import QAction, QUndoStack

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.preset_collection import PresetEntry
from app.ui.playback.play_commands import PlayCommands
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectDocument
from app.ui.script.line_commands import LineCommands
from app.ui.script.line_selection import LineSelection
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_deletion import TakesDeletionController
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner


def connect_actions(actions: WindowActions, handlers: Mapping[str, Callable[[], object]]) -> None:
    """Connect actions with functions by name."""
    for name, call in handlers.items():
        actions[name].triggered.connect(lambda _checked=False, call=call: call())


def map_line_actions(commands: LineCommands, select_all: Callable[[], object]) -> dict[str, Callable[[], object]]:
    """Return the functions of actions that edit lines."""
    return {
        "cut": commands.cut_lines,
        "copy": commands.copy_lines,
        "paste": commands.paste_lines,
        "select_all": select_all,
        "add_line": commands.add_line,
        "edit_line": commands.edit_current_line,
        "duplicate": commands.insert_copies,
        "delete": commands.delete_lines,
        "split_here": commands.split_at_cursor,
        "split_sentences": commands.split_sentences,
        "join_lines": commands.join_lines,
        "move_up": commands.move_up,
        "move_down": commands.move_down,
    }


def map_project_actions(projects: ProjectController) -> dict[str, Callable[[], object]]:
    """Return the functions of actions that open and save projects."""
    return {
        "new_project": projects.create_project,
        "open_project": projects.open_project,
        "save_project": projects.save_project,
        "save_project_as": projects.save_project_as,
    }


def connect_embedding(action: QAction, project: ProjectDocument) -> None:
    """Connect the check mark of an action with the open project, which stores it."""
    action.triggered.connect(lambda is_on: project.change_parts(embeds=is_on))
    project.changed.connect(lambda: action.setChecked(project.parts.embeds))
    action.setChecked(project.parts.embeds)


def map_play_actions(commands: PlayCommands) -> dict[str, Callable[[], object]]:
    """Return the functions of actions that play and save lines."""
    return {
        "play": commands.play_or_stop,
        "play_through": commands.play_through,
        "stop": commands.stop_playing,
        "save_line": commands.save_or_stop,
        "save_all": commands.save_all_lines,
        "save_joined": commands.save_joined_lines,
    }


def map_take_actions(takes: TakesController, deletion: TakesDeletionController) -> dict[str, Callable[[], object]]:
    """Return the functions of actions that keep, render and delete takes."""
    return {"keep_take": takes.keep_current, "more_takes": takes.render_more, "delete_takes": deletion.ask_which_takes}


def connect_undo(actions: WindowActions, stack: QUndoStack) -> None:
    """Connect undo and redo, and show the name of the step that each would take."""
    actions["undo"].triggered.connect(stack.undo)
    actions["redo"].triggered.connect(stack.redo)
    stack.undoTextChanged.connect(lambda step: actions.describe_target("undo", step))
    stack.redoTextChanged.connect(lambda step: actions.describe_target("redo", step))
    for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
        actions[name].setEnabled(possible)
        signal.connect(actions[name].setEnabled)


def enable_precision_tests(actions: WindowActions, selection: LineSelection, catalog: VoiceCatalog) -> None:
    """Enable the precision tests while the voice of the line has both precisions."""
    tests: tuple[tuple[str, Literal["sound", "bert"]], ...] = (("fast_test", "sound"), ("bert_test", "bert"))

    def update_action() -> None:
        voice = catalog.find_voice(selection.settings.voice)
        missing = localize("この行の声が見つかりません", "the voice of this line is missing")
        for name, part in tests:
            actions.disable_action(name, missing if voice is None else voice.explain_missing_int8(part))

    selection.changed.connect(update_action)
    catalog.changed.connect(update_action)
    update_action()


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
