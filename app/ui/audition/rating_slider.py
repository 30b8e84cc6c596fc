"""A vertical slider that goes where it is pressed, as people know it from listening tests."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider


class RatingSlider(QSlider):
    """Qt's own would go one page towards a click beside its handle; keys and wheel are Qt's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Brings the handle under the pointer first, so that Qt finds it there and drags it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._bring_handle(event)
        super().mousePressEvent(event)

    def _bring_handle(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, parts = QStyle.ComplexControl.CC_Slider, QStyle.SubControl
        point = event.position().toPoint()
        if self.style().hitTestComplexControl(control, option, point, self) == parts.SC_SliderHandle:
            return
        groove, handle = (
            self.style().subControlRect(control, option, part, self) for part in (parts.SC_SliderGroove, parts.SC_SliderHandle)
        )
        way = groove.height() - handle.height()
        above = point.y() - groove.top() - handle.height() // 2
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), above, way, option.upsideDown))
