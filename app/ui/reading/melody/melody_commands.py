"""The commands of the melody, for the phrase or the sentence that the keys are in, and their buttons in the header of the strip."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.common.language import localize
from app.core.sound.line_melody import CopiedMelody, LineMelody, copy_melody, flatten_pitches, paste_melody, raise_ending, smooth_pitches
from app.ui.actions.window_actions import WindowActions
from app.ui.reading.melody.melody_lane import MelodyLane
from app.ui.widgets.controls import ElidedButton, describe_control, fill_box

PitchChange = Callable[[LineMelody, Sequence[int]], dict[int, float]]

BUTTON_ICON_PX = 14

MELODY_COMMANDS: tuple[str, ...] = ("melody_raise_end", "", "melody_pen", "melody_smooth", "melody_flatten", "")
MELODY_COMMANDS += ("melody_copy", "melody_paste", "", "melody_reset")
"""The names of the commands in the order of menus; an empty one is a separator."""


class MelodyBar(QWidget):
    """The buttons: `fold` opens and folds the lane, `pen` lets the mouse draw, and `more` has the other commands.

    Signals:
        toggled(bool): open or folded.
    """

    toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        name = localize("イントネーション", "Melody")
        self.fold = ElidedButton(name, name)  # in the largest text the header of a narrow window has no room for all of it
        self.fold.setObjectName("small")
        self.fold.setCheckable(True)
        self.fold.setToolTip(localize("音の高さを、音ごとに調整します。", "Adjusts the pitch of each sound."))
        self.pen, self.more = QToolButton(), QToolButton()
        self.pen.setObjectName("framed")
        self.more.setObjectName("more")
        self.more.setText("…")
        name = localize("イントネーションの編集", "Edit melody")
        describe_control(self.more, name, name)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for button in (self.pen, self.more):
            button.setIconSize(QSize(BUTTON_ICON_PX, BUTTON_ICON_PX))
            button.setFixedHeight(self.fold.sizeHint().height())  # as high as the text buttons next to them
        fill_box(QHBoxLayout(self), self.fold, self.pen, self.more)
        self.fold.toggled.connect(self._toggle_tools)
        self._toggle_tools(False)

    def install_actions(self, actions: WindowActions) -> None:
        """Take the actions that the buttons run."""
        self.pen.setDefaultAction(actions["melody_pen"])
        menu = QMenu(self.more)
        add_melody_commands(menu, actions)
        self.more.setMenu(menu)

    @property
    def is_open(self) -> bool:
        return self.fold.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Open or fold the lane."""
        self.fold.setChecked(is_open)

    @Slot(bool)
    def _toggle_tools(self, is_open: bool) -> None:
        self.pen.setVisible(is_open)
        self.more.setVisible(is_open)
        self.toggled.emit(is_open)


def add_melody_commands(menu: QMenu, actions: WindowActions) -> None:
    for name in MELODY_COMMANDS:
        if name:
            menu.addAction(actions[name])
        else:
            menu.addSeparator()


class MelodyCommands(QObject):
    """Connects the actions with the lane; keeps the tune that was copied."""

    def __init__(self, lane: MelodyLane, bar: MelodyBar, actions: WindowActions) -> None:
        super().__init__(lane)
        self._lane, self._window_actions = lane, actions
        self._copied_melody: CopiedMelody | None = None
        self._actions: dict[str, QAction] = {name: actions[name] for name in MELODY_COMMANDS if name}
        bar.install_actions(actions)
        smooth = partial(self._change_phrase, smooth_pitches, localize("イントネーションをなめらかにする", "Smooth melody"))
        flatten = partial(self._change_phrase, flatten_pitches, localize("イントネーションを平らにする", "Flatten melody"))
        for name, handler in (
            ("melody_raise_end", self._raise_end),
            ("melody_smooth", lambda: smooth()),
            ("melody_flatten", lambda: flatten()),
            ("melody_copy", self._copy_phrase),
            ("melody_paste", self._paste_phrase),
            ("melody_reset", self._reset_phrase),
        ):
            self._actions[name].triggered.connect(handler)
        self._actions["melody_pen"].toggled.connect(lane.set_pen)
        lane.command_requested.connect(self._run_command)
        lane.menu_requested.connect(self._open_menu)
        actions.disable_action("melody_paste", localize("コピーしたイントネーションがありません", "no melody was copied"))

    def add_to_menu(self, menu: QMenu) -> None:
        add_melody_commands(menu, self._window_actions)

    @Slot(str)
    def _run_command(self, name: str) -> None:
        self._actions[name].trigger()

    @Slot(QPoint)
    def _open_menu(self, position: QPoint) -> None:
        menu = QMenu(self._lane)
        self.add_to_menu(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    @Slot()
    def _raise_end(self) -> None:
        shape = self._lane.shape
        if shape is not None and shape.cells:
            moras = shape.list_sentence(max(0, self._lane.current_index))
            self._lane.change_pitches(raise_ending(shape.melody, moras), localize("語尾を上げる", "Rise at the end"))

    @Slot()
    def _copy_phrase(self) -> None:
        shape = self._lane.shape
        copied = copy_melody(shape.melody, self._list_phrase()) if shape is not None else None
        if copied is not None:
            self._copied_melody = copied
            self._window_actions.disable_action("melody_paste", "")

    @Slot()
    def _paste_phrase(self) -> None:
        copied = self._copied_melody
        if copied is not None:
            label = localize("イントネーションを貼り付け", "Paste melody")
            self._change_phrase(lambda melody, moras: paste_melody(melody, moras, copied), label)

    @Slot()
    def _reset_phrase(self) -> None:
        if self._list_phrase():
            self._lane.reset_pitch(max(0, self._lane.current_index), is_phrase=True)

    def _change_phrase(self, change: PitchChange, label: str) -> None:
        shape, moras = self._lane.shape, self._list_phrase()
        if shape is not None and moras:
            self._lane.change_pitches(change(shape.melody, moras), label)

    def _list_phrase(self) -> list[int]:
        """Return the morae of the current phrase."""
        shape = self._lane.shape
        return shape.list_phrase(max(0, self._lane.current_index)) if shape is not None and shape.cells else []
