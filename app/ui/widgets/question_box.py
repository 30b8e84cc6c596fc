"""A question in a message box that does not block the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.language import localize

ButtonRole = QMessageBox.ButtonRole


@dataclass(frozen=True, slots=True)
class DialogButton:
    """A button of a question."""

    label: str
    role: ButtonRole
    on_click: Callable[[], object]
    tooltip: str = ""  # the tool tip; empty for the label
    is_default: bool = False


def show_question(
    parent: QWidget, title: str, texts: tuple[str, str], buttons: Sequence[DialogButton], cancel_tooltip: str = ""
) -> QMessageBox:
    """Show the question and return at once; the chosen button's `on_click` is called, "Cancel" calls nothing.

    Args:
        texts: the question and the effects of the answers, as plain text.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(texts[0])
    box.setInformativeText(texts[1])
    for answer in buttons:
        button = box.addButton(answer.label, answer.role)
        button.setToolTip(answer.tooltip or answer.label)
        button.clicked.connect(lambda _checked=False, call=answer.on_click: call())
        if answer.is_default:
            box.setDefaultButton(button)
    cancel = box.addButton(localize("キャンセル", "Cancel"), ButtonRole.RejectRole)
    cancel.setToolTip(cancel_tooltip or cancel.text())
    box.setEscapeButton(cancel)
    if all(answer.role is ButtonRole.DestructiveRole for answer in buttons):
        # With Cancel as default button, Enter alone deletes nothing.
        box.setDefaultButton(cancel)
    box.open()
    return box
