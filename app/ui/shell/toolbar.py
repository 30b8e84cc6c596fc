"""The toolbar over the window: what is done to lines most often, and at its other end the way to everything else."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from app.language import localized
from app.ui.actions.actions import Actions

SHOWN = ("add_line", "duplicate", "delete", "", "move_up", "move_down", "", "undo", "redo", " ", "find_command", "settings")
WORDED = ("add_line", "find_command")  # the others are known by their drawings
SEARCH_WIDTH, NARROW_SEARCH = 280, 160


class SearchButton(QToolButton):
    """Looks like the field that it opens, with its key at the right."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions = actions
        self.setObjectName("search")
        self.setDefaultAction(actions["find_command"])
        self.setIconSize(QSize(16, 16))
        self.setMinimumWidth(NARROW_SEARCH)
        self.setMaximumWidth(SEARCH_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As wide as a field, where there is room."""
        return QSize(NARROW_SEARCH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The key of now: it can be changed."""
        super().paintEvent(event)
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.PlaceholderText)
        color.setAlpha(255)  # a style sheet makes it half transparent
        painter.setPen(color)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(self.rect().adjusted(0, 0, -12, 0), flags, self._actions.key_of("find_command"))
        painter.end()


class EditBar(QToolBar):
    """Buttons for actions; an empty name is a gap, a blank takes all the room there is."""

    def __init__(self, actions: Actions) -> None:
        super().__init__(localized("行の編集", "Edit lines"))
        self.setObjectName("edit_bar")
        self.setMovable(False)
        self.setIconSize(QSize(20, 20))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for name in SHOWN:
            if not name:
                self.addSeparator()
            elif name == " ":
                room = QWidget()
                room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                self.addWidget(room)
            else:
                self._add(actions, name)

    def _add(self, actions: Actions, name: str) -> None:
        if name == "find_command":
            button: QWidget = SearchButton(actions)
            self.addWidget(button)
        else:
            self.addAction(actions[name])
            button = self.widgetForAction(actions[name])
        button.setAccessibleName(actions[name].iconText())
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if name in WORDED and isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
