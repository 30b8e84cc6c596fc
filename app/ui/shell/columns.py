"""The script and the voice side by side, with an edge between them that can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.language import localized

GAP = 9  # pixels between the columns, which is where the edge is taken hold of


class Columns(QSplitter):
    """The left column takes what room a larger window gives; the right one is as wide as it was dragged.

    Attributes:
        side_width: pixels of the right column as the user wants it; 0 for the usual.

    Signals:
        dragged(): it was changed.

    Args:
        usual: width of the right column where nothing else is wanted.
    """

    dragged = Signal()

    def __init__(self, left: QWidget, right: QWidget, usual: int, side_width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.side_width, self._usual = side_width, usual
        self.setHandleWidth(GAP)
        self.setChildrenCollapsible(False)
        self.addWidget(left)
        self.addWidget(right)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        edge = self.handle(1)
        edge.setToolTip(localized("ドラッグで幅を変更します。ダブルクリックでリセットします。", "Drag to resize, double-click to reset."))
        edge.installEventFilter(self)
        self.splitterMoved.connect(self._on_moved)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now it is known how much room there is."""
        super().showEvent(event)
        self._share(self.side_width or self._usual)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A double click gives the usual width back."""
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self._share(self._usual)
            self.side_width = 0
            self.dragged.emit()
            return True
        return super().eventFilter(watched, event)

    def _share(self, width: int) -> None:
        self.setSizes([max(1, self.width() - width - GAP), width])

    @Slot()
    def _on_moved(self) -> None:
        self.side_width = self.sizes()[1]
        self.dragged.emit()
