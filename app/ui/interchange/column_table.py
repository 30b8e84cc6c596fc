"""A table of the first rows of a file, with a combo box above each column that says what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.common.language import localize
from app.interchange.table_columns import COLUMN_FIELDS, format_field_name
from app.interchange.table_lines import ScriptTable
from app.ui.plain_text import escape_tip
from app.ui.widgets.choice_box import ChoiceBox

SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_CHARACTERS = 5, 30, 200
NARROWEST_COLUMN, WIDEST_COLUMN, LOWEST_TABLE_PX = 150, 420, 130  # pixels of a column, and of the table


class ColumnTable(QWidget):
    """A table in which each field is assigned to one column at most.

    Signals:
        changed(): Other columns are assigned.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choosers: list[ChoiceBox] = []
        self.cells = QTableWidget()
        self.cells.setAccessibleName(localize("表の列", "Columns of the table"))
        self.cells.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.cells.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.cells.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cells.verticalHeader().hide()
        self.cells.horizontalHeader().setSectionsClickable(False)
        self.cells.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.cells.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.cells)

    @property
    def columns(self) -> dict[str, int]:
        """Return the columns by field."""
        return {str(field): place for place, box in enumerate(self._choosers) if (field := box.currentData())}

    def show_table(self, table: ScriptTable, columns: Mapping[str, int]) -> None:
        """Show another table, or the same one with another header."""
        shown = table.rows[:SHOWN_ROWS]
        width = min(table.width, SHOWN_COLUMNS)
        self.cells.clear()
        self.cells.setColumnCount(width)
        self.cells.setRowCount(1 + len(shown))
        names = list(table.header[:width]) or [localize(f"{place + 1} 列目", f"Column {place + 1}") for place in range(width)]
        for place in range(width):
            name = names[place] if place < len(names) else ""
            self.cells.setHorizontalHeaderItem(place, _create_item(name))
        for row, cells in enumerate(shown, 1):
            for place, cell in enumerate(cells[:width]):
                self.cells.setItem(row, place, _create_item(cell))
        meanings = {place: field for field, place in columns.items()}
        self._choosers = [self._create_chooser(place, meanings.get(place, ""), names) for place in range(width)]
        self._fit_columns(width)

    def sizeHint(self) -> QSize:
        """Return a size as high as the shown rows."""
        heights = sum(self.cells.rowHeight(row) for row in range(self.cells.rowCount()))
        # Room for the scroll bar is always kept, or it would cover the last row of a wide table.
        bar = self.cells.horizontalScrollBar().sizeHint().height()
        return QSize(super().sizeHint().width(), heights + self.cells.horizontalHeader().sizeHint().height() + bar + 4)

    def _fit_columns(self, width: int) -> None:
        self.cells.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.cells.resizeColumnsToContents()
        for place in range(width):
            self.cells.setColumnWidth(place, min(WIDEST_COLUMN, max(NARROWEST_COLUMN, self.cells.columnWidth(place))))
        self.cells.horizontalHeader().setStretchLastSection(True)
        self.cells.setRowHeight(0, self._choosers[0].sizeHint().height() + 6 if self._choosers else 0)
        self.setMaximumHeight(self.sizeHint().height())
        self.setMinimumHeight(min(LOWEST_TABLE_PX, self.sizeHint().height()))

    def _create_chooser(self, column: int, field: str, names: Sequence[str]) -> ChoiceBox:
        box = ChoiceBox()
        name = names[column] if column < len(names) else str(column + 1)
        box.setAccessibleName(localize(f"列「{name}」の内容", f"Meaning of column {name}"))
        box.setToolTip(localize("この列を何として読み込むかを選びます。", "What this column is imported as."))
        box.addItem(localize("読み込まない", "Not imported"), "")
        for one in COLUMN_FIELDS:
            box.addItem(format_field_name(one), one)
        box.setCurrentIndex(box.findData(field))
        box.activated.connect(lambda _index, place=column: self._update_meanings(place))
        self.cells.setCellWidget(0, column, box)
        return box

    @Slot(int)
    def _update_meanings(self, column: int) -> None:
        field = self._choosers[column].currentData()
        for other, box in enumerate(self._choosers):
            # A field belongs to one column, so the column that had it before is no longer imported.
            if field and other != column and box.currentData() == field:
                box.setCurrentIndex(0)
        self.changed.emit()


def _create_item(text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text[:SHOWN_CHARACTERS])
    item.setToolTip(escape_tip(text[:SHOWN_CHARACTERS]))
    return item
