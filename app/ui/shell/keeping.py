"""What a window keeps on the disk while it is open, what is shown when that fails, and how it is closed without losing anything."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.errors import AppError
from app.language import localized
from app.ui.kept_file import KeptFile
from app.ui.shell.leaving import session_ends
from app.ui.widgets.banner import Banner


class Keeping(QObject):
    """The files of a window.

    Args:
        notice: shows what cannot be kept.
        script: the one whose loss the user is asked about.
        others: settings, presets and keys.
    """

    def __init__(self, window: QWidget, notice: Banner, script: KeptFile, others: Sequence[KeptFile]) -> None:
        super().__init__(window)
        self._window, self._notice, self._script, self._others = window, notice, script, others
        self._refused = False
        for file in (script, *others):
            file.failed.connect(notice.show_error)
            file.mended.connect(notice.take_back)
        script.mended.connect(self._on_mended)

    def rest(self) -> None:
        """Keeps nothing from now on: for a window that is only tried out."""
        for file in (self._script, *self._others):
            file.rest()

    def finish(self) -> bool:
        """Hides the window and writes what is not on the disk yet; False where the script cannot be written and the user may still save it.

        Closing the window a second time discards the script: the user has been warned.
        """
        waits = [file.flush() for file in (self._script, *self._others)]
        self._window.hide()  # a slow disk is waited for unseen
        errors = [wait() for wait in waits]
        if (error := errors[0]) is not None and not self._refused and not session_ends():
            self._refused = True
            self._window.show()
            self._show_error(error)
            return False
        for lost in filter(None, errors):
            logging.getLogger("koebako").warning("not kept when the window closed", exc_info=lost)
        for file in (self._script, *self._others):
            file.close()
        return True

    @Slot()
    def _on_mended(self) -> None:
        self._refused = False

    def _show_error(self, error: AppError) -> None:
        hint = localized(
            "もう一度閉じると、最後に保存してからの変更は失われます。残すには、行をコピーしてほかのアプリに貼り付けてください。",
            "Closing again discards the changes since the last save. To keep them, copy the lines into another application.",
        )
        self._notice.show_message("error", error.message, f"{error.hint} {hint}".strip())
