"""Which action calls what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from app.core.text_lines import SUFFIXES
from app.language import say

if TYPE_CHECKING:
    from app.ui.window import MainWindow


def connect_actions(window: MainWindow) -> None:
    """Connects every action of a window."""
    actions, commands, stack = window.deeds, window.commands, window.document.stack
    for name, called in {
        "read_text": lambda: _read_text(window),
        "save_line": window.save_or_stop,
        "save_all": lambda: window.saving.save(_all_ids(window)),
        "save_joined": lambda: window.saving.save_joined(_all_ids(window)),
        "quit": window.close,
        "undo": stack.undo,
        "redo": stack.redo,
        "cut": commands.cut,
        "copy": commands.copy,
        "paste": commands.paste,
        "select_all": window.script.selectAll,
        "add_line": commands.add,
        "edit_line": commands.edit,
        "duplicate": commands.duplicate,
        "delete": commands.delete,
        "move_up": commands.move_up,
        "move_down": commands.move_down,
        "play": window.play_or_stop,
        "play_through": window.play_through,
        "stop": window.stop,
    }.items():
        actions[name].triggered.connect(called)
    for name, switch, is_on in (
        ("loop", window.playback.set_loop, window.settings.loop),
        ("live", window.live.switch, window.settings.live),
    ):
        actions[name].toggled.connect(switch)
        actions[name].setChecked(is_on)
        actions[name].toggled.connect(window.keeper.changed)
    actions["full_screen"].toggled.connect(lambda full: window.showFullScreen() if full else window.showNormal())
    presets = window.side.presets
    presets.changed.connect(
        lambda label, before, after: window.document.add_step(label, lambda: presets.put(after), lambda: presets.put(before))
    )
    stack.undoTextChanged.connect(lambda step: actions.tell_about("undo", step))
    stack.redoTextChanged.connect(lambda step: actions.tell_about("redo", step))
    for name, signal, possible in (("undo", stack.canUndoChanged, stack.canUndo()), ("redo", stack.canRedoChanged, stack.canRedo())):
        actions[name].setEnabled(possible)
        signal.connect(actions[name].setEnabled)


def _all_ids(window: MainWindow) -> list[str]:
    return [line.id for line in window.document.script.lines]


def _read_text(window: MainWindow) -> None:
    kinds = say("文章", "Text") + f" ({' '.join('*' + suffix for suffix in SUFFIXES)})"
    files, _ = QFileDialog.getOpenFileNames(window, say("テキストを読み込む", "Read text"), "", kinds)
    if files:
        window.commands.add_files([Path(file) for file in files], window.commands.place())
