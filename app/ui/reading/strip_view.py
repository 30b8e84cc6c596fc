"""Strip, melody and waveform, one above the other on one axis, scrolled as one."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.sound.line_melody import LineMelody
from app.core.sound.line_sound import PEAK_BIN_S, LineSound
from app.ui.reading.melody.melody_lane import MelodyLane
from app.ui.reading.melody.melody_shape import LANE_HEIGHT_PX, build_melody_shape
from app.ui.reading.strip.axis_lane import AxisRow
from app.ui.reading.strip.phone_strip import STRIP_HEIGHT_PX, PhoneStrip
from app.ui.reading.strip.strip_shape import StripAxis, StripShape, find_mora_index
from app.ui.theme.theme import Theme
from app.ui.widgets.controls import PlainLabel, fill_box

Float64 = NDArray[np.float64]

WAVEFORM_HEIGHT_PX = 40


class WaveformView(AxisRow):
    """Draws the loudest samples of each pixel, or what the rows will show once the line is played.

    Signals:
        place_selected(float): second of the sound that was clicked.
    """

    place_selected = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, WAVEFORM_HEIGHT_PX, localize("波形", "Waveform"))
        self.is_under_lane = False
        self._sound: LineSound | None = None
        self._is_current = True
        self.setToolTip(localize("クリックした位置から再生します。", "Click to play from there."))

    def show_sound(self, sound: LineSound | None, axis: StripAxis, is_current: bool) -> None:
        """Draw a sound along an axis, pale if the line has changed since."""
        self._sound, self._axis, self._is_current = sound, axis, is_current
        self.setCursor(Qt.CursorShape.PointingHandCursor if sound is not None and axis.is_timed else Qt.CursorShape.ArrowCursor)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Play from the pressed place."""
        if event.button() == Qt.MouseButton.LeftButton and self._sound is not None and self._axis.is_timed:
            self.place_selected.emit(self._axis.convert_x_to_seconds(event.position().x()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed part, with one line for each pixel."""
        painter = QPainter(self)
        middle = WAVEFORM_HEIGHT_PX / 2
        area = event.rect()
        if self._sound is None or not self._axis.is_timed:
            painter.setPen(QColor(self._theme.muted))
            hint = localize("再生すると、ここに波形が表示されます。", "Play the line to see its waveform here.")
            if self.is_under_lane:
                hint = localize(
                    "破線は予測です。再生すると、実際の音の高さと波形が表示されます。",
                    "Dashed lines are predicted. Play the line to see its pitch and waveform.",
                )
            room = QRect(14, 0, max(600, self.width() - 14), WAVEFORM_HEIGHT_PX)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, f"{hint} ")
            return
        painter.setPen(QColor(self._theme.border))
        painter.drawLine(QPointF(area.left(), middle), QPointF(area.right(), middle))
        left_x, right_x = max(0, area.left()), min(area.right() + 1, round(self._axis.width))
        if right_x > left_x:
            painter.drawImage(QPointF(left_x, 0), self._draw_outline(left_x, right_x))
        self._paint_playhead(painter)

    def _draw_outline(self, left_x: int, right_x: int) -> QImage:
        """Return the sound between two pixels as a picture: lines would take ten times as long at the width of a large screen."""
        color = QColor(self._theme.accent)
        color.setAlpha(150 if self._is_current else 60)
        ratio = self.devicePixelRatioF()
        width, height = round((right_x - left_x) * ratio), round(WAVEFORM_HEIGHT_PX * ratio)
        sizes = self._compute_half_heights(left_x + np.arange(width + 1) / ratio) * ratio
        rows = np.abs(np.arange(height) + 0.5 - height / 2)
        pixels = np.where(rows[:, None] <= sizes[None, :], np.uint32(color.rgba()), np.uint32(0)).astype(np.uint32)
        image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32).copy()
        image.setDevicePixelRatio(ratio)
        return image

    def _compute_half_heights(self, edges: Float64) -> Float64:
        """Return half the height of each pixel between the edges; quiet sounds are drawn larger than they are, or nobody would see them."""
        assert self._sound is not None
        peaks = np.append(self._sound.peaks, np.zeros(2, np.float32))
        seconds, pixels = self._axis.knots
        bins = np.interp(edges, pixels, seconds) / PEAK_BIN_S
        first = np.minimum(bins[:-1].astype(np.int64), len(peaks) - 2)
        last = np.minimum(np.maximum(np.ceil(bins[1:]).astype(np.int64), first + 1), len(peaks) - 1)
        loud = np.maximum.reduceat(peaks, np.column_stack((first, last)).ravel())[::2]
        return np.asarray(loud, np.float64) ** 0.6 * (WAVEFORM_HEIGHT_PX / 2 - 2)


STRIP_SCROLL_BAR_PX = 10
SCROLL_AHEAD_PX = 120  # pixels that stay in sight before the playhead


class StripView(QScrollArea):
    """Shows strip, lane and waveform."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.strip, self.lane, self.waveform = PhoneStrip(theme), MelodyLane(theme), WaveformView(theme)
        self.strip.moved.connect(self.scroll_to_x)
        self.strip.current_changed.connect(self._follow_strip)
        self.lane.moved.connect(self.scroll_to_x)
        self.lane.moved.connect(self._follow_lane)
        self._body = QWidget()
        self._body.setObjectName("strip")
        self.hint = PlainLabel(style="muted", wraps=True)  # in the place of the rows while there is nothing in them
        self.hint.setParent(self)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        fill_box(QVBoxLayout(self._body), self.strip, self.lane, self.waveform, None, spacing=0)
        self.setWidget(self._body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_lane(False)
        self.show_hint("")

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        for row in (self.strip, self.lane, self.waveform):
            row.set_theme(theme)

    def show_hint(self, text: str) -> None:
        """Show what to do instead of a line's rows; an empty text shows the rows."""
        self.hint.setText(text)
        self.hint.setVisible(bool(text))
        self.hint.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the hint fill the view."""
        super().resizeEvent(event)
        self.hint.setGeometry(self.rect())

    def show_lane(self, is_shown: bool) -> None:
        """Show the melody between strip and waveform, or fold it."""
        self.lane.setVisible(is_shown)
        self.waveform.is_under_lane = is_shown
        self.waveform.update()
        self.setFixedHeight(STRIP_HEIGHT_PX + is_shown * LANE_HEIGHT_PX + WAVEFORM_HEIGHT_PX + STRIP_SCROLL_BAR_PX)

    def show_line(self, shape: StripShape | None, melody: LineMelody | None, sound: LineSound | None, is_current: bool) -> None:
        """Show a line with its melody and its last sound; `is_current` means that it was spoken as it is now."""
        self.strip.show_shape(shape)
        self.lane.show_shape(build_melody_shape(shape, melody) if shape is not None and melody is not None else None)
        if shape is not None:
            self.waveform.show()
            self.waveform.show_sound(sound, shape.axis, is_current)
            self._body.setMinimumWidth(round(shape.axis.width))

    def show_played(self, played_s: float | None) -> None:
        """Move the playhead and the highlighted cell, and keep them in sight."""
        has_stepped, shape = self.strip.show_played(played_s), self.strip.shape
        self.lane.show_played(played_s)
        self.lane.move_playhead(played_s)
        self.waveform.move_playhead(played_s)
        if has_stepped and shape is not None and played_s is not None:
            self.scroll_to_x(shape.axis.convert_seconds_to_x(played_s))

    def scroll_to_start(self) -> None:
        """Scroll to the beginning of the line."""
        self.horizontalScrollBar().setValue(0)

    @Slot(float)
    def scroll_to_x(self, x: float) -> None:
        """Scroll to a pixel of the axis."""
        self.ensureVisible(round(x), 0, SCROLL_AHEAD_PX, 0)

    @Slot()
    def _follow_strip(self) -> None:
        """Move the lane's keys to the mora that those of the strip are at."""
        shape, cell = self.strip.shape, self.strip.current
        if shape is not None and cell is not None:
            self.lane.show_current(find_mora_index(shape, cell))

    @Slot()
    def _follow_lane(self) -> None:
        """Move the strip's keys to the mora that those of the lane are at."""
        self.strip.select_mora(self.lane.current_index)
