"""The toolbar: the most frequent actions on lines, and at the other end the command search."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from app.common.language import localize
from app.ui.actions.window_actions import WindowActions

TOOLBAR_ACTIONS = ("add_line", "duplicate", "delete", "", "move_up", "move_down", "", "undo", "redo", " ", "find_command", "settings")
# The other buttons show only an icon.
LABELLED_ACTIONS = ("add_line", "find_command")
SEARCH_WIDTH, NARROW_SEARCH = 280, 160


class SearchButton(QToolButton):
    """A button that looks like the search field it opens, with its shortcut at the right."""

    def __init__(self, actions: WindowActions) -> None:
        super().__init__()
        self._actions = actions
        self.setObjectName("search")
        self.setDefaultAction(actions["find_command"])
        self.setIconSize(QSize(16, 16))
        self.setMinimumWidth(NARROW_SEARCH)
        self.setMaximumWidth(SEARCH_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the minimum width; the layout widens the button where there is room."""
        return QSize(NARROW_SEARCH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the present shortcut, which the user may change."""
        super().paintEvent(event)
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.PlaceholderText)
        # Qt's style sheet makes the placeholder colour half transparent.
        color.setAlpha(255)
        painter.setPen(color)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(self.rect().adjusted(0, 0, -12, 0), flags, self._actions.find_key_text("find_command"))
        painter.end()


class EditToolBar(QToolBar):
    """A toolbar of actions; an empty name is a separator, a blank takes the remaining width."""

    def __init__(self, actions: WindowActions) -> None:
        super().__init__(localize("行の編集", "Edit lines"))
        self.setObjectName("edit_bar")
        self.setMovable(False)
        self.setIconSize(QSize(20, 20))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in TOOLBAR_ACTIONS:
            if not name:
                self.addSeparator()
            elif name == " ":
                room = QWidget()
                room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                self.addWidget(room)
            else:
                self._add_action(actions, name)

    def _add_action(self, actions: WindowActions, name: str) -> None:
        if name == "find_command":
            button: QWidget = SearchButton(actions)
            self.addWidget(button)
        else:
            self.addAction(actions[name])
            button = self.widgetForAction(actions[name])
        button.setAccessibleName(actions[name].iconText())
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if name in LABELLED_ACTIONS and isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
