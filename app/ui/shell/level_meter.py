"""How loud it is now: a bar for the effective value, a line for the peak, and red where it clips."""

from __future__ import annotations

import math
from collections import deque

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QWidget

from app.language import localized

LOWEST_DB = -60.0
WARM_DB = -6.0
FALL_DB = 1.2  # by which the peak sinks with each picture
BEHIND = 4  # pictures between a sample leaving us and reaching the ear: what a device usually holds
QUIET, WARM, CLIPPED = "#5aa83e", "#d99412", "#d1456b"


class LevelMeter(QWidget):
    """Fed while sound plays; empty otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(localized("音量計", "Level meter"))
        self.setToolTip(localized("再生中の音量。赤は音割れです。", "Playback level; red means clipping."))
        self._waiting: deque[tuple[float, float]] = deque()
        self.level_db = self.peak_db = LOWEST_DB

    def show_level(self, peak: float, effective: float) -> None:
        """Takes in values between 0 and 1, full scale; they are seen when they are heard."""
        self._waiting.append((peak, effective))
        if len(self._waiting) <= BEHIND:
            return
        peak, effective = self._waiting.popleft()
        before = (self.level_db, self.peak_db)
        self.level_db = decibels(effective)
        self.peak_db = max(decibels(peak), self.peak_db - FALL_DB, LOWEST_DB)
        if (self.level_db, self.peak_db) != before:
            self.update()

    def clear(self) -> None:
        """Silence."""
        self._waiting.clear()
        if (self.level_db, self.peak_db) != (LOWEST_DB, LOWEST_DB):
            self.level_db = self.peak_db = LOWEST_DB
            self.update()

    def sizeHint(self) -> QSize:
        """As high as its place."""
        return QSize(96, 14)

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Two rectangles."""
        painter = QPainter(self)
        bar = QRectF(0, self.height() / 2 - 3, self.width(), 6)
        painter.fillRect(bar, self.palette().color(QPalette.ColorRole.Midlight))
        color = QColor(CLIPPED if self.peak_db >= 0 else WARM if self.peak_db > WARM_DB else QUIET)
        painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * _share(self.level_db), bar.height()), color)
        if self.peak_db > LOWEST_DB:
            painter.fillRect(QRectF(bar.width() * _share(self.peak_db) - 2, bar.top() - 2, 2, bar.height() + 4), color)
        painter.end()


def decibels(value: float) -> float:
    """Of full scale, not below what the meter shows."""
    return max(LOWEST_DB, 20 * math.log10(value)) if value > 0 else LOWEST_DB


def _share(level_db: float) -> float:
    return min(1.0, max(0.0, 1 - level_db / LOWEST_DB))
