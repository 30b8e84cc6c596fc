"""Leaves the mouse wheel to the panel unless a control has the focus."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class WheelFocusFilter(QObject):
    """Filters wheel events of controls without focus, which scroll the panel behind them."""

    def watch_controls(self, controls: Iterable[QWidget]) -> None:
        """Watch controls, and stop them from taking the focus by the wheel."""
        for control in controls:
            control.installEventFilter(self)
            if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reject a wheel event for a control without focus."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            # Qt passes an event that was ignored on to the parent.
            event.ignore()
            return True
        return super().eventFilter(watched, event)
