"""Files and links dropped anywhere on the window, not only on the list of lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDragEnterEvent, QDropEvent

from app.ui.link_drops import LinkDrops
from app.ui.links import links_in

if TYPE_CHECKING:
    from app.ui.window import MainWindow


class WindowDrops(QObject):
    """Hands them to where the list hands them: text becomes lines, anything else may be a voice."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._links = LinkDrops(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes files and links; everything else goes its way."""
        if event.type() == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent) and (_files(event) or links_in(event.mimeData())):
            event.acceptProposedAction()
            return True
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent) and self._take(event):
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _take(self, event: QDropEvent) -> bool:
        """False when there is nothing to take."""
        place = self._window.commands.place()
        if files := _files(event):
            self._window.commands.add_files(files, place)
        elif links := links_in(event.mimeData()):
            self._links.take(links, place)
        else:
            return False
        return True


def _files(event: QDropEvent) -> list[Path]:
    """What lies on this machine; addresses elsewhere are not files."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
