"""Which action calls what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QWidget

from app.core.text_lines import SUFFIXES
from app.language import localized
from app.ui.actions.actions import Actions
from app.ui.parameters.preset_bar import PresetBar
from app.ui.playback.play_commands import PlayCommands
from app.ui.script.document import ScriptDocument
from app.ui.script.line_commands import LineCommands
from app.ui.widgets.open_files import ask_for_files


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
        "move_up": commands.move_up,
        "move_down": commands.move_down,
    }


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


def connect_undo(actions: Actions, stack: QUndoStack) -> None:
    """Undo and redo, with the name of the step they would take."""
    actions["undo"].triggered.connect(stack.undo)
    actions["redo"].triggered.connect(stack.redo)
    stack.undoTextChanged.connect(lambda step: actions.describe_target("undo", step))
    stack.redoTextChanged.connect(lambda step: actions.describe_target("redo", step))
    for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
        actions[name].setEnabled(possible)
        signal.connect(actions[name].setEnabled)


def undo_presets(presets: PresetBar, document: ScriptDocument) -> None:
    """Changes of presets are steps of the document's history."""
    presets.changed.connect(lambda label, before, after: document.add_step(label, lambda: presets.put(after), lambda: presets.put(before)))


def read_text(parent: QWidget, add_files: Callable[[list[Path], int], object], row: int) -> None:
    """Asks for text files, whose lines are added."""
    kinds = localized("テキスト", "Text") + f" ({' '.join('*' + suffix for suffix in SUFFIXES)})"
    if files := ask_for_files(parent, localized("テキストを読み込む", "Import text"), kinds):
        add_files(files, row)
