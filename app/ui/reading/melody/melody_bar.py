"""The buttons of the melody in the header of the strip: one opens the lane, the others are there while it is open."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions
from app.ui.widgets.elided_button import ElidedButton

BUTTON_ICON_PX = 14

MELODY_COMMANDS = (
    "melody_raise_end",
    "",
    "melody_pen",
    "melody_smooth",
    "melody_flatten",
    "",
    "melody_copy",
    "melody_paste",
    "",
    "melody_reset",
)
"""The names of the commands in the order of menus; an empty one is a separator."""


class MelodyBar(QWidget):
    """The buttons.

    Attributes:
        fold: opens and folds the lane.
        pen: lets the mouse draw.
        more: the menu of the other commands.

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
        self.more.setAccessibleName(name)
        self.more.setToolTip(name)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for button in (self.pen, self.more):
            button.setIconSize(QSize(BUTTON_ICON_PX, BUTTON_ICON_PX))
            button.setFixedHeight(self.fold.sizeHint().height())  # as high as the buttons of words beside them
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.fold, self.pen, self.more):
            row.addWidget(widget)
        self.fold.toggled.connect(self._toggle_tools)
        self._toggle_tools(False)

    def install_actions(self, actions: WindowActions) -> None:
        """Take the actions that the buttons run."""
        self.pen.setDefaultAction(actions["melody_pen"])
        menu = QMenu(self.more)
        add_melody_commands(menu, actions)
        self.more.setMenu(menu)

    def set_open(self, is_open: bool) -> None:
        """Open or fold the lane."""
        self.fold.setChecked(is_open)

    @Slot(bool)
    def _toggle_tools(self, is_open: bool) -> None:
        self.pen.setVisible(is_open)
        self.more.setVisible(is_open)
        self.toggled.emit(is_open)


def add_melody_commands(menu: QMenu, actions: WindowActions) -> None:
    """Add the commands to a menu."""
    for name in MELODY_COMMANDS:
        if name:
            menu.addAction(actions[name])
        else:
            menu.addSeparator()
