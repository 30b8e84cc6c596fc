"""Roles and names for screen readers where Qt has no good ones.

Qt calls every widget without a class of its own a filler, and on Linux a combo box by its value, with its label as a relation that not every
reader follows.

Library: PySide6 6.11. Buys: readers that say what has the focus. Remove when tests/ui/workarounds/test_accessible_roles.py finds that Qt does better.
"""

import sys
from typing import Any

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QComboBox, QWidget

from app.common.language import localize


class ComboBoxInterface(QAccessibleWidget):
    """A combo box named by its label and its value."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box, QAccessible.Role.ComboBox)
        self._box = box

    def text(self, kind: QAccessible.Text) -> str:
        """Return the name, the value or the description."""
        value = self._box.currentText() or self._box.placeholderText()
        if kind is QAccessible.Text.Name:
            return localize("：", ": ").join(filter(None, (self._box.accessibleName(), value)))
        return value if kind is QAccessible.Text.Value else super().text(kind)

    def relations(self, _match: Any = None) -> list[Any]:
        """Return none: with the label as a relation, a reader would say it twice."""
        return []


def install_accessible_roles() -> None:
    """Use our own answers to screen readers for combo boxes and for widgets that Qt has no role for, from now on."""
    QAccessible.installFactory(_create_interface)


def _create_interface(class_name: str, widget: Any) -> QAccessibleInterface | None:
    """Return the interface of a widget; None leaves it to Qt, which asks for each of its classes, the most special one first."""
    if class_name == "QComboBox" and isinstance(widget, QComboBox) and sys.platform == "linux":
        return ComboBoxInterface(widget)
    if class_name in ("QScrollArea", "QAbstractScrollArea") and isinstance(widget, QWidget):
        return QAccessibleWidget(widget, QAccessible.Role.Grouping)
    if class_name == "QWidget" and isinstance(widget, QWidget):
        return QAccessibleWidget(widget, _choose_role(widget))
    return None


def _choose_role(widget: QWidget) -> QAccessible.Role:
    if widget.isWindow():
        return QAccessible.Role.Window
    # What takes the focus without being a control of Qt's is painted by us, and described as the keys move through it.
    has_focus_itself = widget.focusPolicy() is not widget.focusPolicy().NoFocus and widget.focusProxy() is None
    return QAccessible.Role.Canvas if has_focus_itself else QAccessible.Role.Grouping
