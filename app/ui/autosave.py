"""The script on the disk, a moment after each change: a crash costs seconds, not work."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script import Script
from app.core.script_data import script_from_data, script_to_data
from app.data_file import keep_copy, write_whole
from app.errors import AppError, InputError, OutputFileError
from app.language import say
from app.paths import data_dir
from app.ui.document import ScriptDocument

SAVE_AFTER_MS = 2000  # from the first change on, however many follow: never more than this is lost


def autosave_path() -> Path:
    """Where the script is kept between starts."""
    return data_dir() / "autosave.json"


def load_autosave() -> tuple[Script | None, str, AppError | None]:
    """The script, the id of its current line, and what is to be told; None where there is none or it cannot be read."""
    path = autosave_path()
    try:
        data = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        script = script_from_data(data)
        return script, str(data.get("current", "")), None
    except FileNotFoundError:
        return None, "", None
    except (OSError, ValueError, RecursionError) as exc:
        copy = keep_copy(path)
        message = say(f"前回の台本を読めませんでした。（{exc}）", f"The script of last time could not be read. ({exc})")
        return (
            None,
            "",
            InputError(message, say(f"元のファイルは {copy} に残してあります。", f"The file is kept as {copy}.") if copy else ""),
        )


def write_autosave(script: Script, current: str) -> None:
    """Writes the script at once. Raises OutputFileError."""
    path = autosave_path()
    text = json.dumps(script_to_data(script) | {"current": current}, ensure_ascii=False, separators=(",", ":"))
    try:
        write_whole(path, text.encode("utf-8", "surrogatepass"))
    except OSError as exc:
        raise OutputFileError(
            say(f"台本を自動保存できません: {path}", f"The script cannot be kept: {path}"),
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc


class Autosave(QObject):
    """Writes in a thread of its own, for a disk may be slow.

    Args:
        current: id of the line that the user is at.

    Signals:
        failed(AppError): it could not be written.
    """

    failed = Signal(object)

    def __init__(self, document: ScriptDocument, current: Callable[[], str]) -> None:
        super().__init__(document)
        self._document, self._current = document, current
        self._thread = ThreadPoolExecutor(1, "autosave")
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
        self._thread.shutdown(wait=True)
        try:
            write_autosave(self._document.script, self._current())
        except AppError as error:
            logging.getLogger("koebako").warning("%s %s", error.message, error.hint)

    @Slot()
    def _save(self) -> None:
        self._thread.submit(self._write, self._document.script, self._current())

    def _write(self, script: Script, current: str) -> None:
        try:
            write_autosave(script, current)
        except AppError as error:
            self.failed.emit(error)
        except Exception:
            logging.getLogger("koebako").exception("unexpected error while keeping the script")
