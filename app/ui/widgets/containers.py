"""Containers where room is short: a group of controls that folds away below its button, and a frame that scrolls its content."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import describe_control, fill_box


class FoldButton(ThemedWidget, QToolButton):
    """A button that is checked while its section is open, as its arrow shows."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setText(text)
        describe_control(self, text, tip)
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self.draw_in_theme)
        self.draw_in_theme()

    @Slot()
    def draw_in_theme(self) -> None:
        self.setIcon(draw_icon("open" if self.isChecked() else "closed", self.palette().color(QPalette.ColorRole.WindowText)))


class FoldingSection(QWidget):
    """A section with a header to click, and below it the widgets in `content`.

    Signals:
        toggled(bool): the section was opened or folded.
    """

    toggled = Signal(bool)

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self.header = FoldButton(title, tip)
        self.header.toggled.connect(self._show_content)
        self._body = QWidget()
        self._body.hide()
        self.content = fill_box(QVBoxLayout(self._body), margins=(0, 2, 0, 0), spacing=4)
        fill_box(QVBoxLayout(self), self.header, self._body, spacing=0)

    @property
    def is_open(self) -> bool:
        """Return True while the content is shown."""
        return self.header.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Show or hide the content."""
        self.header.setChecked(is_open)

    @Slot(bool)
    def _show_content(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self.toggled.emit(is_open)


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
            elif event.type() == QEvent.Type.HideToParent:
                self.hide()
            elif event.type() == QEvent.Type.ShowToParent and self.parent() is not None:
                # Without a parent yet, it would flash up as a window of its own, which takes the focus with it.
                self.show()
        return super().eventFilter(watched, event)


def wrap_in_scroll_area(page: QWidget) -> QScrollArea:
    """Return a scroll area around a page, without a background and a focus of its own."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    page.setAutoFillBackground(False)
    area.viewport().setAutoFillBackground(False)
    return area
