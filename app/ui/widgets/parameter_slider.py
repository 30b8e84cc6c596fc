"""A self-drawn slider for a parameter, coloured from the default to the value, with the default in its middle."""

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from app.ui.widgets.controls import WheelGuard

GROOVE, KNOB, RING = 4, 7, 10
WHEEL_NOTCH_UNITS = 120  # Qt reports eighths of a degree, and a notch of most mice is 15 degrees


class ParameterSlider(WheelGuard, QSlider):
    """A horizontal slider whose coloured part reaches from the default to the value; a click jumps to its position.

    Signals:
        reset_requested(): A double click asks for the default.
    """

    reset_requested = Signal()

    def __init__(self, steps: int, default: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._default = default
        self._wheel = 0
        self._is_mixed = False
        self.setRange(0, steps)
        self.setPageStep(max(1, steps // 10))
        self.setMinimumSize(90, 2 * RING + 4)
        self.setMouseTracking(True)

    def set_mixed(self, is_mixed: bool) -> None:
        """Hide the knob while the slider stands for several values."""
        if is_mixed != self._is_mixed:
            self._is_mixed = is_mixed
            self.update()

    def move_by_wheel(self, event: QWheelEvent) -> None:
        """Move one step for each notch of the wheel."""
        delta = event.angleDelta()
        # Touchpads and fine wheels send fractions of a notch, which are added up.
        self._wheel += delta.y() or delta.x()
        notches = int(self._wheel / WHEEL_NOTCH_UNITS)
        self._wheel -= notches * WHEEL_NOTCH_UNITS
        self.setValue(self.value() + notches)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the knob to the mouse and start dragging."""
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        # Qt's own slider asks the style for the knob's position, but we draw the knob elsewhere.
        self.setSliderDown(True)
        self._move_to_mouse(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the drag."""
        if self.isSliderDown() and event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to_mouse(event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
        super().mouseReleaseEvent(event)

    def _move_to_mouse(self, event: QMouseEvent) -> None:
        left, width = self._compute_track()
        share = min(1.0, max(0.0, (event.position().x() - left) / width))
        self.setSliderPosition(round(self._find_value(1 - share if self._is_mirrored() else share)))
        event.accept()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Ask for the default value."""
        self.reset_requested.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the groove, the part between default and value, and the knob."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = self.palette()
        left, width = self._compute_track()
        middle = self.height() / 2
        knob, origin = self._place_value(self.value()), self._place_value(self._default)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(QRectF(left - GROOVE / 2, middle - GROOVE / 2, width + GROOVE, GROOVE), 2, 2)
        painter.drawRect(QRectF(origin - 1, middle - 6, 2, 12))
        if self._is_mixed:
            return
        accent = colors.color(QPalette.ColorRole.Highlight) if self.isEnabled() else colors.color(QPalette.ColorRole.Mid)
        painter.setBrush(accent)
        painter.drawRect(QRectF(min(origin, knob), middle - GROOVE / 2, abs(knob - origin), GROOVE))
        if self.hasFocus():
            ring = accent.lighter(100)
            ring.setAlpha(70)
            painter.setBrush(ring)
            painter.drawEllipse(QPointF(knob, middle), RING, RING)
        painter.setBrush(colors.color(QPalette.ColorRole.Base))
        painter.setPen(QPen(accent, 2.5))
        painter.drawEllipse(QPointF(knob, middle), KNOB, KNOB)

    def _place_value(self, value: int) -> float:
        left, width = self._compute_track()
        share = self._compute_share(value)
        return left + width * (1 - share if self._is_mirrored() else share)

    def _compute_share(self, value: float) -> float:
        """Return where on the track a value is, 0 to 1: the default in the middle, unless it is the lowest or the highest value."""
        if not 0 < self._default < self.maximum():
            return value / max(1, self.maximum())
        if value <= self._default:
            return 0.5 * value / self._default
        return 0.5 + 0.5 * (value - self._default) / (self.maximum() - self._default)

    def _find_value(self, share: float) -> float:
        """Return the value at a place on the track."""
        if not 0 < self._default < self.maximum():
            return share * self.maximum()
        if share <= 0.5:
            return 2 * share * self._default
        return self._default + (2 * share - 1) * (self.maximum() - self._default)

    def _is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _compute_track(self) -> tuple[float, float]:
        """Return the left end and the length (pixels) of the track on which the knob's centre moves."""
        # The style's own handle defines the track, so that dragging and drawing agree.
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self)
        groove = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderGroove, self)
        return groove.x() + handle.width() / 2, max(1, groove.width() - handle.width())
