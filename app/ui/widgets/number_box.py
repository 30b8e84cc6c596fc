"""A number that may stand for several lines at once: where these differ it shows a dash, and any number given to it is for all of them."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

MIXED = "–"


class NumberBox(QDoubleSpinBox):
    """Qt's own, with a dash for values that differ.

    Signals:
        confirmed(float): the user typed the number that it held behind the dash, which Qt takes for no change.
    """

    confirmed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._is_mixed = self._is_typed = False
        self.valueChanged.connect(self._end_mixed)
        self.lineEdit().textEdited.connect(self._on_typing)
        self.editingFinished.connect(self._on_finished)

    @property
    def is_mixed(self) -> bool:
        """Whether it stands for different numbers."""
        return self._is_mixed

    def set_mixed(self, is_mixed: bool) -> None:
        """Shows the dash, or the number."""
        if is_mixed != self._is_mixed:
            self._is_mixed, self._is_typed = is_mixed, False
            self.lineEdit().setText(self.textFromValue(self.value()))

    def textFromValue(self, value: float) -> str:
        """The dash, or the number."""
        return MIXED if self._is_mixed else super().textFromValue(value)

    def valueFromText(self, text: str) -> float:
        """The number behind the dash, or the one that was typed."""
        return self.value() if text == MIXED else super().valueFromText(text)

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """The dash counts as a number."""
        if text == MIXED:
            return QValidator.State.Acceptable, text, place
        return super().validate(text, place)

    @Slot()
    def _end_mixed(self) -> None:
        self.set_mixed(False)

    @Slot()
    def _on_typing(self) -> None:
        self._is_typed = True

    @Slot()
    def _on_finished(self) -> None:
        if self._is_mixed and self._is_typed:
            self.set_mixed(False)
            self.confirmed.emit(self.value())
