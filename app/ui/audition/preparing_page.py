"""What is shown while the sounds of a test are made."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

BAR_WIDTH = 320


class PreparingPage(QWidget):
    """How far they are.

    Args:
        count: of the sounds.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        words = PlainLabel(localized("比べる音声を合成しています…", "Synthesising the sounds to compare…"))
        self.bar = DeferredProgressBar()
        self.bar.setObjectName("played")
        self.bar.setFixedHeight(4)
        self.bar.setRange(0, count)
        self.bar.setValue(0)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(BAR_WIDTH)
        self.bar.setAccessibleName(words.text())
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
