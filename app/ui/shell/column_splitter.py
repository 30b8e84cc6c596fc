"""The script and the voice panel side by side, with a draggable edge between them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.common.language import localize

# Pixels between the columns; the gap is also where the mouse can take hold of the edge.
SPLITTER_GAP = 9


class ColumnSplitter(QSplitter):
    """Gives a larger window's extra width to the left column; the right one keeps the width it was dragged to.

    Attributes:
        side_width: width in pixels of the right column as dragged; 0 for the default.

    Signals:
        dragged(): the width was changed.

    Args:
        default_width: width in pixels of the right column without a dragged width.
    """

    dragged = Signal()

    def __init__(self, left: QWidget, right: QWidget, default_width: int, side_width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.side_width, self._usual = side_width, default_width
        self.setHandleWidth(SPLITTER_GAP)
        self.setChildrenCollapsible(False)
        self.addWidget(left)
        self.addWidget(right)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        edge = self.handle(1)
        edge.setToolTip(localize("ドラッグで幅を変更します。ダブルクリックでリセットします。", "Drag to resize, double-click to reset."))
        edge.installEventFilter(self)
        self.splitterMoved.connect(self._store_width)

    def showEvent(self, event: QShowEvent) -> None:
        """Divide the width."""
        # The width of the splitter is known only once it is shown.
        super().showEvent(event)
        self._divide_width(self.side_width or self._usual)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Restore the default width on a double click."""
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self._divide_width(self._usual)
            self.side_width = 0
            self.dragged.emit()
            return True
        return super().eventFilter(watched, event)

    def _divide_width(self, width: int) -> None:
        self.setSizes([max(1, self.width() - width - SPLITTER_GAP), width])

    @Slot()
    def _store_width(self) -> None:
        self.side_width = self.sizes()[1]
        self.dragged.emit()
