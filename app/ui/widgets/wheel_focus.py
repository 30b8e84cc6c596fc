"""The mouse wheel scrolls a panel; it changes a control in it only where that has the focus."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class WheelFocus(QObject):
    """Watches controls: a wheel over one that has no focus is left to the panel behind it."""

    def watch(self, controls: Iterable[QWidget]) -> None:
        """Watches controls, which no longer take the focus by the wheel itself."""
        for control in controls:
            control.installEventFilter(self)
            if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stops a wheel; Qt offers an event that nobody has accepted to the parent."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
