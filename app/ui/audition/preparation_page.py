"""The page that is shown while the sounds of a test are made."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

PREPARATION_BAR_WIDTH_PX = 320


class PreparationPage(QWidget):
    """A progress bar of the sounds that are made.

    Args:
        sound_count: The number of sounds to make.
    """

    def __init__(self, sound_count: int) -> None:
        super().__init__()
        words = PlainLabel(localize("比べる音声を合成しています…", "Synthesising the sounds to compare…"))
        self.bar = DeferredProgressBar()
        self.bar.setObjectName("played")
        self.bar.setFixedHeight(4)
        self.bar.setRange(0, sound_count)
        self.bar.setValue(0)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(PREPARATION_BAR_WIDTH_PX)
        self.bar.setAccessibleName(words.text())
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch()
        column.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
