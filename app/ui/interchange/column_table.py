"""The first rows of a table, with a list above each column that says what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.interchange.columns import FIELDS, field_name
from app.interchange.table_lines import Table
from app.language import localized
from app.ui.plain_text import plain_tip
from app.ui.widgets.choice_box import ChoiceBox

SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_CHARACTERS = 5, 30, 200
NARROWEST, WIDEST, LOWEST = 150, 420, 130  # pixels of a column, and of the table


class ColumnTable(QWidget):
    """Says what is chosen; a meaning is one column's at a time.

    Signals:
        changed(): other columns are chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choosers: list[ChoiceBox] = []
        self.cells = QTableWidget()
        self.cells.setAccessibleName(localized("表の列", "Columns of the table"))
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
        """Columns by field."""
        return {str(field): place for place, box in enumerate(self._choosers) if (field := box.currentData())}

    def show_table(self, table: Table, columns: Mapping[str, int]) -> None:
        """Shows another table, or the same with another header."""
        shown = table.rows[:SHOWN_ROWS]
        width = min(table.width, SHOWN_COLUMNS)
        self.cells.clear()
        self.cells.setColumnCount(width)
        self.cells.setRowCount(1 + len(shown))
        names = list(table.header[:width]) or [localized(f"{place + 1} 列目", f"Column {place + 1}") for place in range(width)]
        for place in range(width):
            name = names[place] if place < len(names) else ""
            self.cells.setHorizontalHeaderItem(place, _item(name))
        for row, cells in enumerate(shown, 1):
            for place, cell in enumerate(cells[:width]):
                self.cells.setItem(row, place, _item(cell))
        meanings = {place: field for field, place in columns.items()}
        self._choosers = [self._chooser(place, meanings.get(place, ""), names) for place in range(width)]
        self._fit(width)

    def sizeHint(self) -> QSize:
        """As high as what it shows."""
        heights = sum(self.cells.rowHeight(row) for row in range(self.cells.rowCount()))
        bar = self.cells.horizontalScrollBar().sizeHint().height()
        return QSize(super().sizeHint().width(), heights + self.cells.horizontalHeader().sizeHint().height() + bar + 4)

    def _fit(self, width: int) -> None:
        self.cells.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.cells.resizeColumnsToContents()
        for place in range(width):
            self.cells.setColumnWidth(place, min(WIDEST, max(NARROWEST, self.cells.columnWidth(place))))
        self.cells.horizontalHeader().setStretchLastSection(True)
        self.cells.setRowHeight(0, self._choosers[0].sizeHint().height() + 6 if self._choosers else 0)
        self.setMaximumHeight(self.sizeHint().height())
        self.setMinimumHeight(min(LOWEST, self.sizeHint().height()))

    def _chooser(self, place: int, field: str, names: Sequence[str]) -> ChoiceBox:
        box = ChoiceBox()
        name = names[place] if place < len(names) else str(place + 1)
        box.setAccessibleName(localized(f"列「{name}」の内容", f"Meaning of column {name}"))
        box.setToolTip(localized("この列を何として読み込むかを選びます。", "What this column is imported as."))
        box.addItem(localized("読み込まない", "Not imported"), "")
        for one in FIELDS:
            box.addItem(field_name(one), one)
        box.setCurrentIndex(box.findData(field))
        box.activated.connect(lambda _index, place=place: self._on_chosen(place))
        self.cells.setCellWidget(0, place, box)
        return box

    @Slot(int)
    def _on_chosen(self, place: int) -> None:
        field = self._choosers[place].currentData()
        for other, box in enumerate(self._choosers):
            if field and other != place and box.currentData() == field:
                box.setCurrentIndex(0)
        self.changed.emit()


def _item(text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text[:SHOWN_CHARACTERS])
    item.setToolTip(plain_tip(text[:SHOWN_CHARACTERS]))
    return item
