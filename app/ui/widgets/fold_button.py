"""A group of controls that folds away below its button."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import fill_box


class FoldButton(ThemedWidget, QToolButton):
    """A button that is checked while its section is open, as its arrow shows."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(tip)
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self.draw_in_theme)
        self.draw_in_theme()

    @Slot()
    def draw_in_theme(self) -> None:
        """Draw the icons."""
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
