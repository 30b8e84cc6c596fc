"""Watches the files that a window saves while it is open, shows their errors, and closes them without losing anything."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.ui.autosaved_file import AutosavedFile
from app.ui.shell.close_guard import is_session_ending
from app.ui.widgets.banner import Banner


class AutosaveGuard(QObject):
    """Looks after the saved files of a window.

    Args:
        notice: the banner for files that cannot be saved.
        script: the file whose loss the user is warned about.
        others: the files of settings, presets and keys.
    """

    def __init__(self, window: QWidget, notice: Banner, script: AutosavedFile, others: Sequence[AutosavedFile]) -> None:
        super().__init__(window)
        self._window, self._notice, self._script, self._others = window, notice, script, others
        self._refused = False
        for file in (script, *others):
            file.failed.connect(notice.show_error)
            file.recovered.connect(notice.hide_error)
        script.recovered.connect(self._hide_error)

    def stop_saving(self) -> None:
        """Stop saving, for a window that is only tried out."""
        for file in (self._script, *self._others):
            file.stop_saving()

    def finish_saving(self) -> bool:
        """Hide the window and write pending changes; return False if the script cannot be written and the user may still save it.

        Closing the window a second time discards the script: the user has been warned.
        """
        waits = [file.begin_flush() for file in (self._script, *self._others)]
        # The window is hidden first, so that a slow disk does not keep it on the screen.
        self._window.hide()
        errors = [wait() for wait in waits]
        if (error := errors[0]) is not None and not self._refused and not is_session_ending():
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
    def _hide_error(self) -> None:
        self._refused = False

    def _show_error(self, error: AppError) -> None:
        hint = localize(
            "もう一度閉じると、最後に保存してからの変更は失われます。残すには、行をコピーしてほかのアプリに貼り付けてください。",
            "Closing again discards the changes since the last save. To keep them, copy the lines into another application.",
        )
        self._notice.show_message("error", error.message, f"{error.hint} {hint}".strip())
