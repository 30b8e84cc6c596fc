"""Lays out a list of very many lines a few at a time, so that the window does not stand still while a large script is opened or resized."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QTimer, Slot
from PySide6.QtWidgets import QListView

LAYOUT_BATCH_ROWS = 100
LAYOUT_CHECK_MS = 20


class GradualListLayout(QObject):
    """Begins with `begin_layout`, before the list is laid out; afterwards it lays out whatever changes at once, as ever.

    Qt's own batches would stay on, and each edit would throw the list back to its beginning. What was in sight stays on the
    screen as it was until its rows have their places again.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._timer = QTimer(self)
        self._timer.setInterval(LAYOUT_CHECK_MS)
        self._timer.timeout.connect(self._check_layout)
        self._anchor = QPersistentModelIndex()  # what is to stay in sight; none: the current line
        self._top = 0  # where it was in the viewport, in pixels
        self._shown = QPersistentModelIndex()

    @property
    def is_running(self) -> bool:
        """Return whether some rows have no place yet."""
        return self._timer.isActive()

    @Slot()
    def begin_layout(self) -> None:
        """Make the next layout a gradual one."""
        view = self._view
        if not self.is_running and view.layoutMode() == QListView.LayoutMode.SinglePass:
            current = view.currentIndex()
            in_sight = current.isValid() and view.visualRect(current).intersects(view.viewport().rect())
            anchor = current if in_sight else view.indexAt(QPoint(view.viewport().width() // 2, 1))
            self._anchor, self._top = QPersistentModelIndex(anchor), view.visualRect(anchor).top()
            view.viewport().setUpdatesEnabled(not anchor.isValid() or not view.verticalScrollBar().value())
        view.setBatchSize(LAYOUT_BATCH_ROWS)
        view.setLayoutMode(QListView.LayoutMode.Batched)
        self._shown = QPersistentModelIndex()
        self._timer.start()

    @Slot()
    def _check_layout(self) -> None:
        """Ends with the last row; before that shows what was in sight, or the current line, as soon as it has a place."""
        view, model = self._view, self._view.model()
        last = model.index(model.rowCount() - 1, 0)
        is_over = not last.isValid() or _is_laid_out(view, last)
        wanted = model.index(self._anchor.row(), 0) if self._anchor.isValid() else view.currentIndex()
        if wanted.isValid() and self._shown != wanted and _is_laid_out(view, wanted):
            self._scroll_to_index(wanted)
        if is_over:
            self._timer.stop()
            view.setLayoutMode(QListView.LayoutMode.SinglePass)
            view.viewport().setUpdatesEnabled(True)

    def _scroll_to_index(self, index: QModelIndex) -> None:
        view, bar = self._view, self._view.verticalScrollBar()
        if self._anchor.isValid():
            bar.setValue(bar.value() + view.visualRect(index).top() - self._top)
        else:
            view.scrollTo(index)
        if view.visualRect(index).intersects(view.viewport().rect()):  # else the scroll bar does not reach it yet
            self._shown = QPersistentModelIndex(index)
            view.viewport().setUpdatesEnabled(True)


def _is_laid_out(view: QListView, index: QModelIndex) -> bool:
    return view.visualRect(index).height() > 0
