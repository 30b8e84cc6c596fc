"""The slider of a parameter, drawn by ourselves: coloured from the default to the value."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

GROOVE, KNOB, RING = 4, 7, 10
NOTCH = 120  # what a mouse wheel reports per click


class ParameterSlider(QSlider):
    """A horizontal slider whose coloured part reaches from the default to the value; a click jumps.

    Signals:
        reset_requested(): a double click asks for the default.
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
        """Without a knob it stands for several values."""
        if is_mixed != self._is_mixed:
            self._is_mixed = is_mixed
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """One notch, one step."""
        delta = event.angleDelta()
        self._wheel += delta.y() or delta.x()
        notches = int(self._wheel / NOTCH)
        self._wheel -= notches * NOTCH
        self.setValue(self.value() + notches)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Moves to where the mouse is, then drags from there; Qt's own slider would ask the style where the knob is, which we draw elsewhere."""
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self.setSliderDown(True)
        self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continues the drag."""
        if self.isSliderDown() and event.buttons() & Qt.MouseButton.LeftButton:
            self._follow(event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends the drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
        super().mouseReleaseEvent(event)

    def _follow(self, event: QMouseEvent) -> None:
        left, width = self._track()
        place = round(event.position().x() - left)
        self.setSliderPosition(QStyle.sliderValueFromPosition(0, self.maximum(), place, round(width), self._mirrored()))
        event.accept()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Asks for the default."""
        self.reset_requested.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Groove, the part that differs from the default, and the knob."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = self.palette()
        left, width = self._track()
        middle = self.height() / 2
        knob, origin = self._place(self.value()), self._place(self._default)
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

    def _place(self, value: int) -> float:
        left, width = self._track()
        share = value / max(1, self.maximum())
        return left + width * (1 - share if self._mirrored() else share)

    def _mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _track(self) -> tuple[float, float]:
        """Left end and length of the way of the style's handle: dragging follows the same way."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self)
        groove = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderGroove, self)
        return groove.x() + handle.width() / 2, max(1, groove.width() - handle.width())
