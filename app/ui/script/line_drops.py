"""Dragging lines within a list, and dropping text and files on it."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.ui.script.script_model import LINES_MIME, ScriptModel
from app.ui.web_links import list_dropped_links


class LineDropList(QListView):
    """A list that emits what is dropped on it, and changes nothing by itself.

    Signals:
        lines_dropped(list[str], int), texts_dropped(str, int), files_dropped(list[Path], int), links_dropped(list[str], int): before this
            line of the script.
    """

    lines_dropped = Signal(object, int)
    texts_dropped = Signal(str, int)
    files_dropped = Signal(object, int)
    links_dropped = Signal(object, int)

    def __init__(self, model: ScriptModel) -> None:
        super().__init__()
        self._lines = model
        self._drop_row: int | None = None
        self.setDragEnabled(True)
        self.setAcceptDrops(True)

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """Drag the selected lines; where they are dropped, they are moved by an edit that can be undone."""
        self.setFocus()
        drag = QDrag(self)
        drag.setMimeData(self._lines.mimeData(self.selectedIndexes()))
        drag.setPixmap(self.viewport().grab(self.visualRect(self.currentIndex())))
        drag.setHotSpot(QPoint(24, 20))
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction, Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept lines, text and files."""
        super().dragEnterEvent(event)
        if is_droppable(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where the dragged content would go."""
        super().dragMoveEvent(event)  # scrolls at the edges
        if is_droppable(event):
            event.acceptProposedAction()
            self._show_drop(self._find_drop_row(event.position().toPoint()))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the mark of the drop."""
        super().dragLeaveEvent(event)
        self._show_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped content; nothing is changed here."""
        row = self._lines.find_script_row(self._find_drop_row(event.position().toPoint()))
        data = event.mimeData()
        self._show_drop(None)
        self.setState(QAbstractItemView.State.NoState)
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if event.source() is self and data.hasFormat(LINES_MIME):
            self.lines_dropped.emit(bytes(data.data(LINES_MIME).data()).decode().split("\n"), row)
        elif files:
            self.files_dropped.emit(files, row)
        elif links := list_dropped_links(data):
            self.links_dropped.emit(links, row)
        elif data.hasText():
            self.texts_dropped.emit(data.text(), row)
        event.acceptProposedAction()

    def _find_drop_row(self, point: QPoint) -> int:
        """Return the row before which dropped content goes."""
        index = self.indexAt(point)
        if not index.isValid():
            return self._lines.rowCount()
        return index.row() + (point.y() > self.visualRect(index).center().y())

    def _find_row_edge(self, row: int) -> int:
        last = row >= self._lines.rowCount()
        rect = self.visualRect(self._lines.index(row - last))
        return rect.bottom() if last else rect.top()

    def _show_drop(self, row: int | None) -> None:
        self._drop_row = row
        self.viewport().update()


def is_droppable(event: QDropEvent) -> bool:
    """Return whether the list takes what is dragged; sound files of its own lines it does not."""
    data = event.mimeData()
    if event.source() is not None and data.hasUrls():
        return False
    return data.hasFormat(LINES_MIME) or data.hasText() or data.hasUrls()
