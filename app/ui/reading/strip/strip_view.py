"""Strip and waveform, one above the other on one axis, scrolled as one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.core.line_sound import LineSound
from app.ui.reading.strip.phone_strip import PhoneStrip
from app.ui.reading.strip.strip_keys import describe_strip_keys
from app.ui.reading.strip.strip_painting import STRIP_HEIGHT_PX
from app.ui.reading.strip.strip_shape import StripShape
from app.ui.reading.strip.waveform_view import WAVEFORM_HEIGHT_PX, WaveformView
from app.ui.theme.theme import Theme

STRIP_SCROLL_BAR_PX = 10
SCROLL_AHEAD_PX = 120  # pixels that stay in sight before the playhead


class StripView(QScrollArea):
    """Shows both.

    Attributes:
        strip, waveform: the parts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.strip, self.waveform = PhoneStrip(theme), WaveformView(theme)
        self.strip.setToolTip(describe_strip_keys())
        self.strip.moved.connect(self.scroll_to_x)
        self._body = QWidget()
        self._body.setObjectName("strip")
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.waveform)
        column.addStretch(1)
        self.setWidget(self._body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(STRIP_HEIGHT_PX + WAVEFORM_HEIGHT_PX + STRIP_SCROLL_BAR_PX)

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self.strip.set_theme(theme)
        self.waveform.set_theme(theme)

    def show_line(self, shape: StripShape | None, sound: LineSound | None, is_current: bool) -> None:
        """Shows a line, with its last sound; `is_current` when it was spoken as it is now."""
        self.strip.show_shape(shape)
        if shape is not None:
            self.waveform.show()
            self.waveform.show_sound(sound, shape.axis, is_current)
            self._body.setMinimumWidth(round(shape.axis.width))

    def show_played(self, played_s: float | None) -> None:
        """Moves what shows the sound of this moment, and keeps it in sight."""
        stepped = self.strip.show_played(played_s)
        self.waveform.show_played(played_s)
        shape = self.strip.shape
        if stepped and shape is not None and played_s is not None:
            self.scroll_to_x(shape.axis.convert_seconds_to_x(played_s))

    def scroll_to_start(self) -> None:
        """Scrolls to where a line begins."""
        self.horizontalScrollBar().setValue(0)

    @Slot(float)
    def scroll_to_x(self, x: float) -> None:
        """Scrolls to a pixel of the axis."""
        self.ensureVisible(round(x), 0, SCROLL_AHEAD_PX, 0)
