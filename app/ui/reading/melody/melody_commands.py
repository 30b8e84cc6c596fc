"""The commands of the melody: for the phrase or the sentence that the keys are in, from menus, keys and the command search."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.common.language import localize
from app.core.sound.melody_edits import (
    CopiedMelody,
    LineMelody,
    copy_melody,
    flatten_pitches,
    paste_melody,
    raise_ending,
    smooth_pitches,
)
from app.ui.actions.window_actions import WindowActions
from app.ui.reading.melody.melody_bar import MELODY_COMMANDS, MelodyBar, add_melody_commands
from app.ui.reading.melody.melody_lane import MelodyLane

PitchChange = Callable[[LineMelody, Sequence[int]], dict[int, float]]


class MelodyCommands(QObject):
    """Connects the actions with the lane; keeps the tune that was copied."""

    def __init__(self, lane: MelodyLane, bar: MelodyBar, actions: WindowActions) -> None:
        super().__init__(lane)
        self._lane, self._window_actions = lane, actions
        self._copied: CopiedMelody | None = None
        self._actions: dict[str, QAction] = {name: actions[name] for name in MELODY_COMMANDS if name}
        bar.install_actions(actions)
        handlers = {
            "melody_raise_end": self._raise_end,
            "melody_smooth": self._smooth_phrase,
            "melody_flatten": self._flatten_phrase,
            "melody_copy": self._copy_phrase,
            "melody_paste": self._paste_phrase,
            "melody_reset": self._reset_phrase,
        }
        for name, handler in handlers.items():
            self._actions[name].triggered.connect(handler)
        self._actions["melody_pen"].toggled.connect(lane.set_pen)
        lane.command_requested.connect(self._run_command)
        lane.menu_requested.connect(self._open_menu)
        actions.disable_action("melody_paste", localize("コピーしたイントネーションがありません", "no melody was copied"))

    def add_to_menu(self, menu: QMenu) -> None:
        """Add the commands to a menu."""
        add_melody_commands(menu, self._window_actions)

    @Slot(str)
    def _run_command(self, name: str) -> None:
        self._actions[name].trigger()

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self._lane)
        self.add_to_menu(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    @Slot()
    def _raise_end(self) -> None:
        shape = self._lane.shape
        if shape is not None and shape.cells:
            moras = shape.list_sentence(max(0, self._lane.current))
            self._lane.change_pitches(raise_ending(shape.melody, moras), localize("語尾を上げる", "Rise at the end"))

    @Slot()
    def _smooth_phrase(self) -> None:
        self._change_phrase(smooth_pitches, localize("イントネーションをなめらかにする", "Smooth melody"))

    @Slot()
    def _flatten_phrase(self) -> None:
        self._change_phrase(flatten_pitches, localize("イントネーションを平らにする", "Flatten melody"))

    @Slot()
    def _copy_phrase(self) -> None:
        shape = self._lane.shape
        copied = copy_melody(shape.melody, self._list_phrase()) if shape is not None else None
        if copied is not None:
            self._copied = copied
            self._window_actions.disable_action("melody_paste", "")

    @Slot()
    def _paste_phrase(self) -> None:
        copied = self._copied
        if copied is not None:
            self._change_phrase(
                lambda melody, moras: paste_melody(melody, moras, copied), localize("イントネーションを貼り付け", "Paste melody")
            )

    @Slot()
    def _reset_phrase(self) -> None:
        if self._list_phrase():
            self._lane.reset_pitch(max(0, self._lane.current), is_phrase=True)

    def _change_phrase(self, change: PitchChange, label: str) -> None:
        shape, moras = self._lane.shape, self._list_phrase()
        if shape is not None and moras:
            self._lane.change_pitches(change(shape.melody, moras), label)

    def _list_phrase(self) -> list[int]:
        """Return the morae of the current phrase."""
        shape = self._lane.shape
        return shape.list_phrase(max(0, self._lane.current)) if shape is not None and shape.cells else []
