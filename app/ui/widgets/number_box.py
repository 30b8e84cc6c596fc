"""A number box for several lines: it shows a dash if their numbers differ, and a new number applies to all."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

MIXED_VALUES_TEXT = "–"


class NumberBox(QDoubleSpinBox):
    """Qt's spin box with a dash for numbers that differ.

    Signals:
        value_confirmed(float): the user typed the very number behind the dash, which Qt does not report as a change.
    """

    value_confirmed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._is_mixed = self._is_typed = False
        self.valueChanged.connect(self._clear_mixed)
        self.lineEdit().textEdited.connect(self._mark_typed)
        self.editingFinished.connect(self._confirm_value)

    @property
    def is_mixed(self) -> bool:
        """Return True while the box stands for different numbers."""
        return self._is_mixed

    def set_mixed(self, is_mixed: bool) -> None:
        """Show the dash, or the number."""
        if is_mixed != self._is_mixed:
            self._is_mixed, self._is_typed = is_mixed, False
            self.lineEdit().setText(self.textFromValue(self.value()))

    def textFromValue(self, value: float) -> str:
        """Return the dash, or the number as text."""
        return MIXED_VALUES_TEXT if self._is_mixed else super().textFromValue(value)

    def valueFromText(self, text: str) -> float:
        """Return the number behind the dash, or the typed one."""
        return self.value() if text == MIXED_VALUES_TEXT else super().valueFromText(text)

    def validate(self, text: str, cursor_position: int) -> tuple[QValidator.State, str, int]:
        """Accept the dash as a number."""
        if text == MIXED_VALUES_TEXT:
            return QValidator.State.Acceptable, text, cursor_position
        return super().validate(text, cursor_position)

    @Slot()
    def _clear_mixed(self) -> None:
        self.set_mixed(False)

    @Slot()
    def _mark_typed(self) -> None:
        self._is_typed = True

    @Slot()
    def _confirm_value(self) -> None:
        if self._is_mixed and self._is_typed:
            self.set_mixed(False)
            self.value_confirmed.emit(self.value())
