"""Positions and sizes of the parts of the window."""

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDockWidget, QLayout, QMainWindow, QMenuBar, QSplitter, QStatusBar, QToolBar, QVBoxLayout, QWidget

from app.common.language import localize
from app.settings.user_settings import Settings

DEFAULT_WINDOW_SIZE = (1280, 800)
NO_FRAME = QSize(0, 0)
SPLITTER_GAP = 9  # pixels between the columns; the gap is also where the mouse can take hold of the edge


class ColumnSplitter(QSplitter):
    """Gives a larger window's extra width to the left column; the right one keeps the width it was dragged to.

    Signals:
        dragged(): the width was changed.

    Args:
        default_width: width in pixels of the right column without a dragged width.
    """

    dragged = Signal()

    def __init__(self, left: QWidget, right: QWidget, default_width: int, side_width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        # side_width: width in pixels of the right column as dragged; 0 for the default.
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


def lay_out_window(
    window: QMainWindow,
    messages: QLayout,
    columns: QWidget,
    menus: QMenuBar,
    tools: QToolBar,
    status: QStatusBar,
    dock: QDockWidget,
    settings: Settings,
) -> None:
    """Put the widgets in their places and restore their sizes."""
    body = QWidget()
    column = QVBoxLayout(body)
    # The right margin is narrow because the scroll bar takes the rest of it.
    column.setContentsMargins(14, 4, 2, 8)
    column.setSpacing(8)
    column.addLayout(messages)
    column.addWidget(columns, 1)
    # The central widget is set first, as the tab order follows the order of these calls.
    window.setCentralWidget(body)
    window.setMenuBar(menus)
    window.addToolBar(tools)
    window.setStatusBar(status)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    if not window.restoreGeometry(QByteArray.fromBase64(settings.geometry.encode())):
        window.resize(choose_first_size(window))
    # The window may have been closed on a larger screen.
    window.resize(window.size().boundedTo(window.screen().availableSize()))
    window.restoreState(QByteArray.fromBase64(settings.layout.encode()))


def choose_first_size(window: QMainWindow, frame: QSize = NO_FRAME) -> QSize:
    """Return the default size, reduced where the window with its frame would not fit on the screen."""
    return QSize(*DEFAULT_WINDOW_SIZE).boundedTo(window.screen().availableSize() - frame).expandedTo(window.minimumSizeHint())


def keep_window_on_screen(window: QMainWindow, settings: Settings) -> None:
    """Shrink a first window so that its frame fits the screen as well."""
    # The size of the frame is known only once the window is shown.
    if not settings.geometry and window.size() == choose_first_size(window):
        window.resize(choose_first_size(window, window.frameGeometry().size() - window.size()))
