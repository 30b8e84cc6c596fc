"""A frame that shows its content whole where there is room, and scrolls it elsewhere."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

NARROWEST, LOWEST = 120, 44  # pixels of the minimum size


class ScrollFrame(QScrollArea):
    """A scroll area that requests the size of its content and accepts less.

    Args:
        content: the widget, which is shown and hidden together with the frame.
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
        """Return the size hint of the content."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return a size for which the smallest window has room."""
        needed = self._content.minimumSizeHint()
        return QSize(min(needed.width(), NARROWEST), min(needed.height(), LOWEST))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size and visibility of the content."""
        if watched is self._content:
            if event.type() == QEvent.Type.LayoutRequest:
                self.updateGeometry()
            elif event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
                self.setVisible(not self._content.isHidden())
        return super().eventFilter(watched, event)
