"""A part of the window that is seen whole where there is room, and scrolls where there is not."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

NARROWEST, LOWEST = 120, 44  # pixels


class ScrollFrame(QScrollArea):
    """Asks for what its content needs, and takes less.

    Args:
        content: shown and hidden together with the frame.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(content.sizePolicy().horizontalPolicy(), QSizePolicy.Policy.Maximum)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """That of the content."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """So little that the smallest window has room for it."""
        needed = self._content.minimumSizeHint()
        return QSize(min(needed.width(), NARROWEST), min(needed.height(), LOWEST))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The frame follows its content: its size, and whether it is shown."""
        if watched is self._content:
            if event.type() == QEvent.Type.LayoutRequest:
                self.updateGeometry()
            elif event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
                self.setVisible(not self._content.isHidden())
        return super().eventFilter(watched, event)
