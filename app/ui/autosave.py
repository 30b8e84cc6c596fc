"""The script on the disk, a moment after each change: a crash costs seconds, not work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import Script
from app.core.script_data import script_from_data, script_to_data
from app.data_file import load_data, save_data
from app.errors import AppError
from app.language import say
from app.paths import data_dir
from app.ui.behind import Behind
from app.ui.document import ScriptDocument

SAVE_AFTER_MS = 2000  # from the first change on, however many follow: never more than this is lost


def autosave_path() -> Path:
    """Where the script is kept between starts."""
    return data_dir() / "autosave.json"


def load_autosave() -> tuple[Script | None, str, AppError | None]:
    """The script, the id of its current line, and what is to be told; None where there is none or it cannot be read."""
    failed = say("前回の台本を読めませんでした。", "The script of last time could not be read.")
    found, error = load_data(autosave_path(), _read, failed)
    return (*(found or (None, "")), error)


def write_autosave(script: Script, current: str) -> None:
    """Writes the script at once. Raises OutputFileError."""
    data = script_to_data(script) | {"current": current}
    save_data(autosave_path(), data, say("台本を自動保存できません", "The script cannot be kept"), indent=None)


def _read(data: Any) -> tuple[Script, str]:
    return script_from_data(data), str(data.get("current", ""))


class Autosave(QObject):
    """Writes behind the window, for a disk may be slow.

    Args:
        current: id of the line that the user is at.

    Signals:
        failed(AppError): it could not be written.
    """

    failed = Signal(object)

    def __init__(self, document: ScriptDocument, current: Callable[[], str]) -> None:
        super().__init__(document)
        self._document, self._current = document, current
        self._behind = Behind(self, "autosave")
        self._behind.failed.connect(self.failed)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)
        document.changed.connect(self.changed)

    @Slot()
    def changed(self, *_scripts: object) -> None:
        """Something is worth keeping."""
        if not self._timer.isActive():
            self._timer.start()

    def close(self) -> None:
        """Writes for the last time; nobody is there any more to be told of an error, so it goes to the log."""
        self._timer.stop()
        self._behind.close()
        try:
            write_autosave(self._document.script, self._current())
        except AppError as error:
            logging.getLogger("koebako").warning("%s %s", error.message, error.hint)

    @Slot()
    def _save(self) -> None:
        script, current = self._document.script, self._current()
        self._behind.do(lambda: write_autosave(script, current))
