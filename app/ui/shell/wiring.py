"""Which action calls what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from PySide6.QtGui import QAction, QUndoStack

from app.language import localized
from app.ui.actions.actions import Actions
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.preset_shelf import Entry
from app.ui.playback.play_commands import PlayCommands
from app.ui.projects.controller import ProjectController
from app.ui.projects.document import ProjectDocument
from app.ui.script.line_commands import LineCommands
from app.ui.script.selection import Selection
from app.ui.takes.controller import TakesController
from app.ui.takes.deletion import TakesDeletion
from app.ui.voices.catalog import VoiceCatalog
from app.ui.widgets.banner import Banner


def connect_actions(actions: Actions, called: Mapping[str, Callable[[], object]]) -> None:
    """Connects actions by name."""
    for name, call in called.items():
        actions[name].triggered.connect(lambda _checked=False, call=call: call())


def line_actions(commands: LineCommands, select_all: Callable[[], object]) -> dict[str, Callable[[], object]]:
    """What edits the lines."""
    return {
        "cut": commands.cut,
        "copy": commands.copy,
        "paste": commands.paste,
        "select_all": select_all,
        "add_line": commands.add,
        "edit_line": commands.edit,
        "duplicate": commands.duplicate,
        "delete": commands.delete,
        "split_here": commands.split_here,
        "split_sentences": commands.split_sentences,
        "join_lines": commands.join,
        "move_up": commands.move_up,
        "move_down": commands.move_down,
    }


def project_actions(projects: ProjectController) -> dict[str, Callable[[], object]]:
    """What opens and saves projects."""
    return {
        "new_project": projects.new,
        "open_project": projects.open,
        "save_project": projects.save,
        "save_project_as": projects.save_as,
    }


def connect_embedding(action: QAction, project: ProjectDocument) -> None:
    """The mark belongs to the project that is open."""
    action.triggered.connect(lambda is_on: project.change(embeds=is_on))
    project.changed.connect(lambda: action.setChecked(project.parts.embeds))
    action.setChecked(project.parts.embeds)


def play_actions(commands: PlayCommands) -> dict[str, Callable[[], object]]:
    """What speaks and saves lines."""
    return {
        "play": commands.play_or_stop,
        "play_through": commands.play_through,
        "stop": commands.stop,
        "save_line": commands.save_or_stop,
        "save_all": commands.save_all,
        "save_joined": commands.save_joined,
    }


def take_actions(takes: TakesController, deletion: TakesDeletion) -> dict[str, Callable[[], object]]:
    """What keeps, makes and deletes takes."""
    return {"keep_take": takes.keep, "more_takes": takes.more, "delete_takes": deletion.ask}


def connect_undo(actions: Actions, stack: QUndoStack) -> None:
    """Undo and redo, with the name of the step they would take."""
    actions["undo"].triggered.connect(stack.undo)
    actions["redo"].triggered.connect(stack.redo)
    stack.undoTextChanged.connect(lambda step: actions.describe_target("undo", step))
    stack.redoTextChanged.connect(lambda step: actions.describe_target("redo", step))
    for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
        actions[name].setEnabled(possible)
        signal.connect(actions[name].setEnabled)


def offer_precision_tests(actions: Actions, selection: Selection, catalog: VoiceCatalog) -> None:
    """They need a voice that has both precisions."""
    tests: tuple[tuple[str, Literal["sound", "bert"]], ...] = (("fast_test", "sound"), ("bert_test", "bert"))

    def look() -> None:
        voice = catalog.find(selection.settings.voice)
        missing = localized("この行の声が見つかりません", "the voice of this line is missing")
        for name, part in tests:
            actions.withhold(name, missing if voice is None else voice.why_no_int8(part))

    selection.changed.connect(look)
    catalog.changed.connect(look)
    look()


def tell_of_presets(presets: PresetBar, banner: Banner) -> None:
    """Presets are no part of the script's history: one that was removed is put back from the message."""

    def removed(gone: Entry) -> None:
        words = localized(f"プリセット「{gone.kept_as}」を削除しました。", f"The preset “{gone.kept_as}” was deleted.")
        banner.show_message("notice", words, action=localized("元に戻す", "Undo"), then=lambda: presets.restore(gone))

    def taken_in(count: int) -> None:
        words = localized(f"{count} 個のプリセットを読み込みました。", f"Presets imported: {count}.")
        banner.show_message("notice", words)

    presets.removed.connect(removed)
    presets.taken_in.connect(taken_in)
    presets.failed.connect(banner.show_error)
