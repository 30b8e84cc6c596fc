"""A vertical slider that jumps to where it is pressed, as listening tests have it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider


class RatingSlider(QSlider):
    """A slider whose handle moves to the pointer; keys and wheel stay Qt's."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle under the pointer, then let Qt drag it."""
        if event.button() == Qt.MouseButton.LeftButton:
            # Qt would move one page towards a press beside the handle; under the pointer it finds the handle and drags it.
            self._move_handle_to(event)
        super().mousePressEvent(event)

    def _move_handle_to(self, event: QMouseEvent) -> None:
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
