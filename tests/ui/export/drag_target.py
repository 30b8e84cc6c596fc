"""A program of its own that takes files dropped on it: it prints where they are, what they hold, and ends.

python -m tests.ui.export.drag_target
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel

TARGET_PLACE = (700, 40, 300, 300)


class FileDropLabel(QLabel):
    """A label that accepts files."""

    def __init__(self) -> None:
        super().__init__("drop here")
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt names it
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt names it
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
        event.acceptProposedAction()
        print(json.dumps({str(file): file.stat().st_size for file in files}), flush=True)
        QTimer.singleShot(200, QApplication.quit)


if __name__ == "__main__":
    application = QApplication(sys.argv)
    label = FileDropLabel()
    label.setGeometry(*TARGET_PLACE)
    label.show()
    QTimer.singleShot(500, lambda: print("ready", flush=True))
    sys.exit(application.exec())
