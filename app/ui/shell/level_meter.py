"""A level meter: a bar for the effective value, a line for the peak, and red for clipping."""

from __future__ import annotations

import math
from collections import deque

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QWidget

from app.common.language import localize

METER_FLOOR_DB = -60.0
LOUD_LEVEL_DB = -6.0
# Decibels by which the peak falls at each tick.
METER_FALL_DB = 1.2
# Ticks between a sample leaving us and reaching the ear, by the usual buffer of an output device.
METER_DELAY_TICKS = 4
QUIET, WARM, CLIPPED = "#5aa83e", "#d99412", "#d1456b"


class LevelMeter(QWidget):
    """A meter that is fed while sound plays, and empty otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(localize("音量計", "Level meter"))
        self.setToolTip(localize("再生中の音量。赤は音割れです。", "Playback level; red means clipping."))
        self._waiting: deque[tuple[float, float]] = deque()
        self.level_db = self.peak_db = METER_FLOOR_DB

    def show_level(self, peak: float, effective: float) -> None:
        """Queue a peak and an effective value, 0 to 1 of full scale; each is shown when its sound is heard."""
        self._waiting.append((peak, effective))
        if len(self._waiting) <= METER_DELAY_TICKS:
            return
        peak, effective = self._waiting.popleft()
        before = (self.level_db, self.peak_db)
        self.level_db = convert_to_db(effective)
        self.peak_db = max(convert_to_db(peak), self.peak_db - METER_FALL_DB, METER_FLOOR_DB)
        if (self.level_db, self.peak_db) != before:
            self.update()

    def clear_level(self) -> None:
        """Show silence."""
        self._waiting.clear()
        if (self.level_db, self.peak_db) != (METER_FLOOR_DB, METER_FLOOR_DB):
            self.level_db = self.peak_db = METER_FLOOR_DB
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size in pixels."""
        return QSize(96, 14)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint, as the meter never shrinks."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar and the peak."""
        painter = QPainter(self)
        bar = QRectF(0, self.height() / 2 - 3, self.width(), 6)
        painter.fillRect(bar, self.palette().color(QPalette.ColorRole.Midlight))
        color = QColor(CLIPPED if self.peak_db >= 0 else WARM if self.peak_db > LOUD_LEVEL_DB else QUIET)
        painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * _scale_level(self.level_db), bar.height()), color)
        if self.peak_db > METER_FLOOR_DB:
            painter.fillRect(QRectF(bar.width() * _scale_level(self.peak_db) - 2, bar.top() - 2, 2, bar.height() + 4), color)
        painter.end()


def convert_to_db(value: float) -> float:
    """Convert a share of full scale to dB, at least the meter's floor of −60 dB."""
    return max(METER_FLOOR_DB, 20 * math.log10(value)) if value > 0 else METER_FLOOR_DB


def _scale_level(level_db: float) -> float:
    return min(1.0, max(0.0, 1 - level_db / METER_FLOOR_DB))
