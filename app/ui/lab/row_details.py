"""A tree of everything in a row, with lists and mappings expanded."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTreeWidget, QTreeWidgetItem

from app.common.language import localize
from app.lab.report_rows import EMPTY_VALUES, Row
from app.lab.row_labels import format_column, format_identifier
from app.ui.lab.row_model import format_column_value, is_number
from app.ui.lab.row_table import use_even_digits
from app.ui.plain_text import wrap_tip

NAME, VALUE = range(2)
VALUE_MARGINS, MOST_HEIGHT = 12, 400  # pixels beside a value, and of one
# Longer lists and mappings are cut here; the exported files have all of their items.
MAX_DETAIL_ITEMS = 2000


class RowDetails(QTreeWidget):
    """A tree of the names and values of one row."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("choices")
        self.setAccessibleName(localize("選んだ行の詳細", "Details of the selected row"))
        self.setToolTip(localize("選んだ行の内容です。Ctrl+C でコピーします。", "What the selected row holds; Ctrl+C copies it."))
        self.setHeaderLabels([localize("項目", "Name"), localize("値", "Value")])
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.setIndentation(14)
        self.setWordWrap(True)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        # Wrapped values change their height with the column's width, which Qt does not notice by itself.
        header.sectionResized.connect(lambda *_sizes: self.scheduleDelayedItemsLayout())
        self.setItemDelegateForColumn(VALUE, _WrappingDelegate(self))

    def show_row(self, row: Row) -> None:
        """Show another row, with its lists expanded and without empty values."""
        self.clear()
        for name, value in row.items():
            if name != "type" and value not in EMPTY_VALUES:
                self._add_item(self.invisibleRootItem(), format_column(name), value, name)
        self.expandAll()
        self._fit_name_column()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width, names first."""
        super().resizeEvent(event)
        self._fit_name_column()

    def _fit_name_column(self) -> None:
        self.resizeColumnToContents(NAME)
        self.setColumnWidth(NAME, min(self.columnWidth(NAME), self.width() * 3 // 5))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected items on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(f"{item.text(NAME)}\t{item.text(VALUE)}" for item in self.selectedItems()))
        else:
            super().keyPressEvent(event)

    def _add_item(self, parent: QTreeWidgetItem, name: str, value: object, column: str = "", *, is_right_aligned: bool = False) -> None:
        item = QTreeWidgetItem(parent, [name])
        inside = list(_list_items(value))
        if inside:
            item.setText(VALUE, localize(f"{len(inside):,} 件", f"{len(inside):,}"))
            figures = all(is_number(part) for _, part in inside)
            for key, part in inside[:MAX_DETAIL_ITEMS]:
                self._add_item(
                    item, str(format_identifier("backend", key)) if column == "assigned" else key, part, is_right_aligned=figures
                )
            return
        text = format_column_value(column, value)
        item.setText(VALUE, text)
        item.setToolTip(VALUE, wrap_tip(text))
        if is_right_aligned:
            item.setTextAlignment(VALUE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setFont(VALUE, use_even_digits(self.font()))


class _WrappingDelegate(QStyledItemDelegate):
    """A delegate that wraps text at the width of its column."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        view = self.parent()
        assert isinstance(view, RowDetails)
        # Qt's own size hint has room for one line only.
        size = super().sizeHint(option, index)
        room = view.columnWidth(VALUE) - VALUE_MARGINS
        text = str(index.data() or "")
        if view.fontMetrics().horizontalAdvance(text) <= room:
            return size
        needed = view.fontMetrics().boundingRect(QRect(0, 0, max(1, room), MOST_HEIGHT), Qt.TextFlag.TextWordWrap, text)
        return QSize(room, needed.height() + size.height() - view.fontMetrics().height())


def _list_items(value: object) -> Iterable[tuple[str, object]]:
    """Return the items of a list or mapping as (name, value) pairs; empty for other values."""
    if isinstance(value, dict):
        return ((str(name), part) for name, part in value.items())
    if isinstance(value, list):
        return ((_find_title(part) or str(number), part) for number, part in enumerate(value, 1))
    return ()


def _find_title(item: object) -> str:
    """Return the name that an item of a list gives itself, or an empty string."""
    return (
        next((str(item[name]) for name in ("name", "op", "node") if isinstance(item.get(name), str)), "") if isinstance(item, dict) else ""
    )
