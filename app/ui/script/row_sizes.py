"""The remembered size of each row of the list: Qt asks for all ten thousand whenever one line comes, goes or grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QObject, QSize, Qt, Slot

from app.ui.script.script_model import Index


class RowSizeCache(QObject):
    """The sizes of a model's rows, measured when they are asked for first.

    Attributes:
        version: another one whenever a row may have another size than before.

    Args:
        model: must reach this object before any view of it, which asks while it hears of a change.
        measure: the size of a row.
    """

    def __init__(self, model: QAbstractItemModel, measure: Callable[[int], QSize], parent: QObject) -> None:
        super().__init__(parent)
        self.version = 0
        self._measure = measure
        self._sizes: list[QSize | None] = [None] * model.rowCount()
        model.rowsInserted.connect(self._insert_rows)
        model.rowsRemoved.connect(self._remove_rows)
        model.dataChanged.connect(self._forget_changed_rows)

    def find_size(self, row: int) -> QSize:
        """The size of a row."""
        known = self._sizes[row]
        if known is None:
            known = self._sizes[row] = self._measure(row)
        return known

    @property
    def unmeasured_count(self) -> int:
        """Return how many rows are yet to be measured, which is what takes long."""
        return self._sizes.count(None)

    def forget_sizes(self) -> None:
        """The list has another width, so that each row has to be measured again."""
        self._replace_rows(0, len(self._sizes), len(self._sizes))

    def _replace_rows(self, first: int, end: int, count: int) -> None:
        """So many unmeasured rows in place of these."""
        self._sizes[first:end] = [None] * count
        self.version += 1

    @Slot()
    def _insert_rows(self, _parent: Index, first: int, last: int) -> None:
        self._replace_rows(first, first, last + 1 - first)

    @Slot()
    def _remove_rows(self, _parent: Index, first: int, last: int) -> None:
        self._replace_rows(first, last + 1, 0)

    @Slot()
    def _forget_changed_rows(self, first: Index, last: Index, roles: Sequence[int]) -> None:
        if Qt.ItemDataRole.DisplayRole in roles:
            self._replace_rows(first.row(), last.row() + 1, last.row() + 1 - first.row())
