"""A question in a message box that keeps nobody waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.language import localized

Role = QMessageBox.ButtonRole


@dataclass(frozen=True, slots=True)
class Answer:
    """A button.

    Attributes:
        call: what it does.
        tip: its label where empty.
    """

    label: str
    role: Role
    call: Callable[[], object]
    tip: str = ""
    is_default: bool = False


def ask(parent: QWidget, title: str, words: tuple[str, str], answers: Sequence[Answer], cancel_tip: str = "") -> QMessageBox:
    """Shows the question and returns at once; the answer is called, "Cancel" calls nothing.

    Args:
        words: the question, and what follows from the answers; plain text.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(words[0])
    box.setInformativeText(words[1])
    for answer in answers:
        button = box.addButton(answer.label, answer.role)
        button.setToolTip(answer.tip or answer.label)
        button.clicked.connect(lambda _checked=False, call=answer.call: call())
        if answer.is_default:
            box.setDefaultButton(button)
    cancel = box.addButton(localized("キャンセル", "Cancel"), Role.RejectRole)
    cancel.setToolTip(cancel_tip or cancel.text())
    box.setEscapeButton(cancel)
    if all(answer.role is Role.DestructiveRole for answer in answers):
        box.setDefaultButton(cancel)  # Enter alone destroys nothing
    box.open()
    return box
