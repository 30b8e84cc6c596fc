"""A parameter as people handle it: name, slider and number, always in step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QStyle, QStyleOptionSlider, QWidget

from app.core.limits import Bounds
from app.language import localized
from app.ui.widgets.number_box import NumberBox

GROOVE, KNOB, RING = 4, 7, 10
NOTCH = 120  # what a mouse wheel reports per click


class ParameterSlider(QSlider):
    """A horizontal slider whose coloured part reaches from the default to the value; a click jumps, a double click resets."""

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


class SliderField(QWidget):
    """Label, slider and number field of one parameter.

    Args:
        bounds: range, default, step and name.
        tip: what the parameter does to the sound.

    Signals:
        value_changed(float): by the user or by `set_value`.
    """

    value_changed = Signal(float)

    def __init__(self, bounds: Bounds, tip: str) -> None:
        super().__init__()
        self._bounds = bounds
        name = bounds.label[:1].upper() + bounds.label[1:]
        self.label = QLabel(name)
        self.slider = ParameterSlider(round((bounds.high - bounds.low) / bounds.step), self._position(bounds.default))
        self.number = NumberBox()
        self.number.setRange(bounds.low, bounds.high)
        self.number.setDecimals(2)
        self.number.setSingleStep(bounds.step)
        self.number.setObjectName("number")  # the style sheet takes its arrows; Qt lays out NoButtons wrongly there
        self.number.setKeyboardTracking(False)
        self.number.lineEdit().setTextMargins(0, 0, 4, 0)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.setFixedWidth(self.number.fontMetrics().horizontalAdvance("00.00") + 24)
        reset = localized(f"ダブルクリックで初期値 {bounds.default:g} にリセットします。", f"Double-click to reset to {bounds.default:g}.")
        for widget in (self.label, self.slider, self.number):
            widget.setToolTip(f"<p>{tip}</p><p>{reset}</p>")
            widget.setAccessibleName(name)
        self.label.installEventFilter(self)
        self.label.setBuddy(self.number)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.number)
        self.set_value(bounds.default)
        self.slider.valueChanged.connect(self._on_slider)
        self.slider.reset_requested.connect(self.reset)
        self.number.valueChanged.connect(self._on_number)
        self.number.confirmed.connect(self._on_number)

    @property
    def value(self) -> float:
        """The value, within the bounds."""
        return self.number.value()

    def set_value(self, value: float) -> None:
        """Sets the value; the number field rounds to two decimals."""
        self.number.setValue(value)
        self._move_slider()

    def set_mixed(self, is_mixed: bool) -> None:
        """Shows that the lines it stands for differ; the value is that of the current one."""
        self.number.set_mixed(is_mixed)
        self.slider.set_mixed(is_mixed)

    @Slot()
    def reset(self) -> None:
        """Goes back to the default."""
        was_mixed, before = self.number.is_mixed, self.value
        self.set_value(self._bounds.default)
        if was_mixed and self.value == before:  # the current line has it already, the others do not
            self._on_number(self.value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A double click on the name resets too."""
        if watched is self.label and event.type() == QEvent.Type.MouseButtonDblClick:
            self.reset()
            return True
        return super().eventFilter(watched, event)

    @Slot(int)
    def _on_slider(self, position: int) -> None:
        self.number.setValue(min(self._bounds.high, self._bounds.low + position * self._bounds.step))

    @Slot(float)
    def _on_number(self, value: float) -> None:
        self.set_mixed(False)
        self._move_slider()
        self.value_changed.emit(value)

    def _move_slider(self) -> None:
        with QSignalBlocker(self.slider):  # a number between two steps must stay as it was typed
            self.slider.setValue(self._position(self.number.value()))
        self.slider.update()

    def _position(self, value: float) -> int:
        return round((value - self._bounds.low) / self._bounds.step)
