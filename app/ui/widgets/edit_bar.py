"""The toolbar over the window: what is done to lines most often."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolBar, QToolButton

from app.language import say
from app.ui.actions import Actions

SHOWN = ("add_line", "duplicate", "delete", "", "move_up", "move_down", "", "undo", "redo")


class EditBar(QToolBar):
    """Buttons for actions; an empty name is a gap."""

    def __init__(self, actions: Actions) -> None:
        super().__init__(say("行の編集", "Edit lines"))
        self.setObjectName("edit_bar")
        self.setMovable(False)
        self.setIconSize(QSize(20, 20))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in SHOWN:
            if not name:
                self.addSeparator()
                continue
            self.addAction(actions[name])
            button = self.widgetForAction(actions[name])
            button.setAccessibleName(actions[name].iconText())
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if name == "add_line" and isinstance(button, QToolButton):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
