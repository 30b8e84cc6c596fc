"""A field to type into, and under it what can be done; Enter does it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.language import localized
from app.ui.actions.commands import Command, matching

STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
SIZE = (560, 380)
BELOW = 60  # of the window's upper edge
ROLE = Qt.ItemDataRole.UserRole


class CommandSearch(QDialog):
    """Closes with the choice.

    Attributes:
        chosen: what the user wants done; None when given up.
    """

    def __init__(self, commands: Sequence[Command], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)  # input methods dislike popups
        self.setObjectName("search")
        self.setWindowTitle(localized("コマンドを検索", "Find a command"))
        self._commands = commands
        self.chosen: QAction | None = None
        self.typed = QLineEdit()
        self.typed.setPlaceholderText(localized("コマンド名を入力（例: 書き出し、theme）", "Type a command (export, theme, …)"))
        self.typed.setAccessibleName(self.windowTitle())
        self.typed.setToolTip(localized("↑↓ で選択し、Enter で実行します。", "Use ↑↓ to select and Enter to run."))
        self.typed.installEventFilter(self)
        self.found = QTreeWidget()
        self.found.setColumnCount(2)
        self.found.setHeaderHidden(True)
        self.found.setRootIsDecorated(False)
        self.found.header().setStretchLastSection(False)
        self.found.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.found.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.found.setAccessibleName(localized("見つかったコマンド", "Commands found"))
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setUniformRowHeights(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(8)
        column.addWidget(self.typed)
        column.addWidget(self.found)
        self.nothing = QLabel(localized("一致するコマンドがありません。", "No matching commands."))
        self.nothing.setObjectName("muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.nothing.setContentsMargins(0, 24, 0, 0)
        column.addWidget(self.nothing, 1)
        self.found.ensurePolished()  # rows take their height from the first one
        self.typed.textChanged.connect(self._show)
        self.typed.returnPressed.connect(self._take)
        self.found.itemClicked.connect(self._take)
        self._show("")
        if parent is not None:
            self.setFixedSize(min(SIZE[0], parent.width() - 40), min(SIZE[1], parent.height() - 80))
            self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, BELOW)))
        self.typed.setFocus()

    def event(self, event: QEvent) -> bool:
        """Gives up when something else is clicked."""
        if event.type() == QEvent.Type.WindowDeactivate and self.isVisible() and self.chosen is None:
            self.reject()  # but not while it closes by a choice
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys of the field move through the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in STEPS:
            row = self.found.currentIndex().row() + STEPS[Qt.Key(event.key())]
            self._choose(max(0, min(self.found.topLevelItemCount() - 1, row)))
            return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _show(self, typed: str) -> None:
        self.found.clear()
        for command in matching(self._commands, typed):
            keys = command.action.text().partition("\t")[2] or command.action.shortcut().toString()
            item = QTreeWidgetItem([command.path, keys])
            item.setData(0, ROLE, command.action)
            item.setToolTip(0, command.action.toolTip())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, self.palette().placeholderText())
            item.setDisabled(not command.action.isEnabled())
            self.found.addTopLevelItem(item)
        self.found.setVisible(self.found.topLevelItemCount() > 0)
        self.nothing.setVisible(self.found.topLevelItemCount() == 0)
        self._choose(0)

    def _choose(self, row: int) -> None:
        item = self.found.topLevelItem(row)
        if item is not None:
            self.found.setCurrentItem(item)

    @Slot()
    def _take(self) -> None:
        item = self.found.currentItem()
        if item is not None and not item.isDisabled():
            self.chosen = item.data(0, ROLE)
            self.accept()
