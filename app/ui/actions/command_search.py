"""The command search: a field to type into, above a list of matching commands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.actions.menu_commands import MenuCommand, find_matching_commands

ROW_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
COMMAND_SEARCH_SIZE = (560, 380)
OFFSET_BELOW_TOP_PX = 60
COMMAND_ROLE = Qt.ItemDataRole.UserRole


class CommandSearchDialog(QDialog):
    """A dialog that closes with the choice of a command.

    Attributes:
        chosen: The chosen action; None where the user cancelled.
    """

    def __init__(self, commands: Sequence[MenuCommand], parent: QWidget | None = None) -> None:
        # A frameless dialog instead of a popup: input methods do not work well in popups.
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("search")
        self.setWindowTitle(localize("コマンドを検索", "Find a command"))
        self._commands = commands
        self.chosen: QAction | None = None
        self.typed = QLineEdit()
        self.typed.setPlaceholderText(localize("コマンド名を入力（例: 書き出し、theme）", "Type a command (export, theme, …)"))
        self.typed.setAccessibleName(self.windowTitle())
        self.typed.setToolTip(localize("↑↓ で選択し、Enter で実行します。", "Use ↑↓ to select and Enter to run."))
        self.typed.installEventFilter(self)
        self.found = QTreeWidget()
        self.found.setColumnCount(2)
        self.found.setHeaderHidden(True)
        self.found.setRootIsDecorated(False)
        self.found.header().setStretchLastSection(False)
        self.found.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.found.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.found.setAccessibleName(localize("見つかったコマンド", "Commands found"))
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setUniformRowHeights(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(8)
        column.addWidget(self.typed)
        column.addWidget(self.found)
        self.nothing = QLabel(localize("一致するコマンドがありません。", "No matching commands."))
        self.nothing.setObjectName("muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.nothing.setContentsMargins(0, 24, 0, 0)
        column.addWidget(self.nothing, 1)
        # Rows take their height from the first one, which must be styled by then.
        self.found.ensurePolished()
        self.typed.textChanged.connect(self._show_matches)
        self.typed.returnPressed.connect(self._trigger_selected)
        self.found.itemClicked.connect(self._trigger_selected)
        self._show_matches("")
        if parent is not None:
            self.setFixedSize(min(COMMAND_SEARCH_SIZE[0], parent.width() - 40), min(COMMAND_SEARCH_SIZE[1], parent.height() - 80))
            self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, OFFSET_BELOW_TOP_PX)))
        self.typed.setFocus()

    def event(self, event: QEvent) -> bool:
        """Close when another window is clicked."""
        # A choice closes the dialog too, and that must not count as giving up.
        if event.type() == QEvent.Type.WindowDeactivate and self.isVisible() and self.chosen is None:
            self.reject()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow and page keys of the field move through the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in ROW_STEPS:
            row = self.found.currentIndex().row() + ROW_STEPS[Qt.Key(event.key())]
            self._select_row(max(0, min(self.found.topLevelItemCount() - 1, row)))
            return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _show_matches(self, typed: str) -> None:
        self.found.clear()
        for command in find_matching_commands(self._commands, typed):
            keys = command.action.text().partition("\t")[2] or command.action.shortcut().toString()
            item = QTreeWidgetItem([command.path, keys])
            item.setData(0, COMMAND_ROLE, command.action)
            item.setToolTip(0, command.action.toolTip())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, self.palette().placeholderText())
            item.setDisabled(not command.action.isEnabled())
            self.found.addTopLevelItem(item)
        self.found.setVisible(self.found.topLevelItemCount() > 0)
        self.nothing.setVisible(self.found.topLevelItemCount() == 0)
        self._select_row(0)

    def _select_row(self, row: int) -> None:
        item = self.found.topLevelItem(row)
        if item is not None:
            self.found.setCurrentItem(item)

    @Slot()
    def _trigger_selected(self) -> None:
        item = self.found.currentItem()
        if item is not None and not item.isDisabled():
            self.chosen = item.data(0, COMMAND_ROLE)
            self.accept()
