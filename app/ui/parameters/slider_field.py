"""A parameter as people handle it: name, slider and number, always in step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.core.delivery import Bounds
from app.language import localized
from app.ui.parameters.parameter_slider import ParameterSlider
from app.ui.widgets.number_box import NumberBox


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
            widget.setAccessibleDescription(f"{tip} {reset}")  # else Qt reads out the tip with its tags
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
