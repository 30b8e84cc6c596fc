"""Everything that a row holds, lists and mappings opened out."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeWidget, QTreeWidgetItem

from app.lab.rows import EMPTY, Row
from app.lab.words import column_name, identified
from app.language import localized
from app.ui.lab.row_model import is_number, shown
from app.ui.lab.row_table import with_even_digits
from app.ui.plain_text import folded_tip

NAME, VALUE = range(2)
VALUE_MARGINS, MOST_HEIGHT = 12, 400  # pixels beside a value, and of one
MOST_ITEMS = 2000  # of one list or mapping; the exported files have all


class RowDetails(QTreeWidget):
    """Names and values of one row."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("choices")
        self.setAccessibleName(localized("選んだ行の詳細", "Details of the selected row"))
        self.setToolTip(localized("選んだ行の内容です。Ctrl+C でコピーします。", "What the selected row holds; Ctrl+C copies it."))
        self.setHeaderLabels([localized("項目", "Name"), localized("値", "Value")])
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.setIndentation(14)
        self.setWordWrap(True)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        header.sectionResized.connect(lambda *_sizes: self.scheduleDelayedItemsLayout())
        self.setItemDelegateForColumn(VALUE, _Folded(self))

    def show_row(self, row: Row) -> None:
        """Another row; what it holds of several things stands open, and what it lacks is left out."""
        self.clear()
        for name, value in row.items():
            if name != "type" and value not in EMPTY:
                self._add(self.invisibleRootItem(), column_name(name), value, name)
        self.expandAll()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names have their place first."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.resizeColumnToContents(NAME)
        self.setColumnWidth(NAME, min(self.columnWidth(NAME), self.width() * 3 // 5))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies the selected lines."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(f"{item.text(NAME)}\t{item.text(VALUE)}" for item in self.selectedItems()))
        else:
            super().keyPressEvent(event)

    def _add(self, parent: QTreeWidgetItem, name: str, value: object, column: str = "", *, right: bool = False) -> None:
        item = QTreeWidgetItem(parent, [name])
        inside = list(_items(value))
        if inside:
            item.setText(VALUE, localized(f"{len(inside):,} 件", f"{len(inside):,}"))
            figures = all(is_number(part) for _, part in inside)
            for key, part in inside[:MOST_ITEMS]:
                self._add(item, str(identified("backend", key)) if column == "assigned" else key, part, right=figures)
            return
        text = shown(column, value)
        item.setText(VALUE, text)
        item.setToolTip(VALUE, folded_tip(text))
        if right:
            item.setTextAlignment(VALUE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setFont(VALUE, with_even_digits(self.font()))


class _Folded(QStyledItemDelegate):
    """Words that fold at the width of their column; Qt's own would leave one line for them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        view = self.parent()
        assert isinstance(view, RowDetails)
        size = super().sizeHint(option, index)
        room = view.columnWidth(VALUE) - VALUE_MARGINS
        text = str(index.data() or "")
        if view.fontMetrics().horizontalAdvance(text) <= room:
            return size
        needed = view.fontMetrics().boundingRect(QRect(0, 0, max(1, room), MOST_HEIGHT), Qt.TextFlag.TextWordWrap, text)
        return QSize(room, needed.height() + size.height() - view.fontMetrics().height())


def _items(value: object) -> Iterable[tuple[str, object]]:
    """What a value holds of several, as (name, value)."""
    if isinstance(value, dict):
        return ((str(name), part) for name, part in value.items())
    if isinstance(value, list):
        return ((_title(part) or str(number), part) for number, part in enumerate(value, 1))
    return ()


def _title(part: object) -> str:
    """What an item of a list calls itself."""
    return (
        next((str(part[name]) for name in ("name", "op", "node") if isinstance(part.get(name), str)), "") if isinstance(part, dict) else ""
    )
