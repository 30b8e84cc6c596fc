"""Lays out a list of very many lines a few at a time, so that the window does not stand still while a large script is opened."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QTimer, Slot
from PySide6.QtWidgets import QListView

ROWS_AT_ONCE = 60
CHECK_MS = 20


class GradualLayout(QObject):
    """Begins with `begin`, before the lines come; afterwards the list lays out whatever changes at once, as ever.

    Qt's own batches would stay on, and each edit would throw the list back to its beginning.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._timer = QTimer(self)
        self._timer.setInterval(CHECK_MS)
        self._timer.timeout.connect(self._look)
        self._shown = QPersistentModelIndex()

    @Slot()
    def begin(self) -> None:
        """The lines that come next are laid out gradually."""
        self._view.setBatchSize(ROWS_AT_ONCE)
        self._view.setLayoutMode(QListView.LayoutMode.Batched)
        self._shown = QPersistentModelIndex()
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        """Ends with the last row, and shows the current line, which may not have had a place before."""
        view, model = self._view, self._view.model()
        current = view.currentIndex()
        last = model.index(model.rowCount() - 1, 0)
        is_over = not last.isValid() or _has_place(view, last)
        if current.isValid() and self._shown != current and _has_place(view, current):
            view.scrollTo(current)
            if view.visualRect(current).intersects(view.viewport().rect()):  # else the scroll bar does not reach it yet
                self._shown = QPersistentModelIndex(current)
        if is_over:
            self._timer.stop()
            view.setLayoutMode(QListView.LayoutMode.SinglePass)


def _has_place(view: QListView, index: QModelIndex) -> bool:
    return view.visualRect(index).height() > 0
