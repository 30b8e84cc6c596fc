"""Holds dialogs while they are open, and brings windows to the front."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtWidgets import QDialog, QWidget

HeldDialog = TypeVar("HeldDialog", bound=QDialog)


class OpenDialog(Generic[HeldDialog]):
    """An attribute of a class that is a dialog while it is open, and None otherwise; a finished dialog is deleted."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._key = f"_open_{name}"

    def __get__(self, holder: object, _owner: type) -> HeldDialog | None:
        return vars(holder).get(self._key)

    def __set__(self, holder: object, dialog: HeldDialog | None) -> None:
        vars(holder)[self._key] = dialog
        if dialog is not None:
            dialog.finished.connect(lambda: self._forget_dialog(holder, dialog))

    def _forget_dialog(self, holder: object, dialog: HeldDialog) -> None:
        # Another one may have been opened in its place.
        if vars(holder).get(self._key) is dialog:
            del vars(holder)[self._key]
        dialog.deleteLater()


def show_in_front(window: QWidget) -> None:
    """Show a window before all others, and give it the keyboard."""
    window.show()
    window.raise_()
    window.activateWindow()
