"""A field for a parameter: label, slider and number, always in step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.common.language import localize
from app.core.delivery import Bounds
from app.ui.parameters.parameter_slider import ParameterSlider
from app.ui.widgets.number_box import NumberBox


class SliderField(QWidget):
    """A label, a slider and a number field of one parameter.

    Args:
        bounds: The range, default, step and name of the parameter.
        tip: The parameter's effect on the sound.

    Signals:
        value_changed(float): Changed by the user or by `set_value`.
    """

    value_changed = Signal(float)

    def __init__(self, bounds: Bounds, tip: str) -> None:
        super().__init__()
        self._bounds = bounds
        name = bounds.label[:1].upper() + bounds.label[1:]
        self.label = QLabel(name)
        self.slider = ParameterSlider(round((bounds.high - bounds.low) / bounds.step), self._compute_position(bounds.default))
        self.number = NumberBox()
        self.number.setRange(bounds.low, bounds.high)
        self.number.setDecimals(2)
        self.number.setSingleStep(bounds.step)
        # By this name the style sheet removes the arrows: Qt lays out `NoButtons` wrongly under a style sheet.
        self.number.setObjectName("number")
        self.number.setKeyboardTracking(False)
        self.number.lineEdit().setTextMargins(0, 0, 4, 0)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.setFixedWidth(self.number.fontMetrics().horizontalAdvance("00.00") + 24)
        reset = localize(f"ダブルクリックで初期値 {bounds.default:g} にリセットします。", f"Double-click to reset to {bounds.default:g}.")
        for widget in (self.label, self.slider, self.number):
            widget.setToolTip(f"<p>{tip}</p><p>{reset}</p>")
            widget.setAccessibleName(name)
            # Without a description Qt reads out the tooltip with its HTML tags.
            widget.setAccessibleDescription(f"{tip} {reset}")
        self.label.installEventFilter(self)
        self.label.setBuddy(self.number)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.number)
        self.set_value(bounds.default)
        self.slider.valueChanged.connect(self._apply_slider)
        self.slider.reset_requested.connect(self.reset_value)
        self.number.valueChanged.connect(self._apply_number)
        self.number.value_confirmed.connect(self._apply_number)

    @property
    def value(self) -> float:
        """Return the value, within the bounds."""
        return self.number.value()

    def set_value(self, value: float) -> None:
        """Set the value; the number field rounds it to two decimals."""
        self.number.setValue(value)
        self._move_slider()

    def set_mixed(self, is_mixed: bool) -> None:
        """Show that the selected lines differ; the value is that of the current line."""
        self.number.set_mixed(is_mixed)
        self.slider.set_mixed(is_mixed)

    @Slot()
    def reset_value(self) -> None:
        """Reset to the default."""
        was_mixed, before = self.number.is_mixed, self.value
        self.set_value(self._bounds.default)
        # The current line has the default already, so nothing changes here, but the other lines must still get it.
        if was_mixed and self.value == before:
            self._apply_number(self.value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reset on a double click on the label."""
        if watched is self.label and event.type() == QEvent.Type.MouseButtonDblClick:
            self.reset_value()
            return True
        return super().eventFilter(watched, event)

    @Slot(int)
    def _apply_slider(self, position: int) -> None:
        self.number.setValue(min(self._bounds.high, self._bounds.low + position * self._bounds.step))

    @Slot(float)
    def _apply_number(self, value: float) -> None:
        self.set_mixed(False)
        self._move_slider()
        self.value_changed.emit(value)

    def _move_slider(self) -> None:
        # A number between two steps of the slider must stay as it was typed.
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._compute_position(self.number.value()))
        self.slider.update()

    def _compute_position(self, value: float) -> int:
        return round((value - self._bounds.low) / self._bounds.step)
