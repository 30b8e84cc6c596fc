"""Guards that keep the window open while tasks run, or while the script cannot be saved."""

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.language import localize
from app.ui.background_thread import AutosavedFile
from app.ui.tasks.process_task import TaskQueue
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import ButtonRole, DialogButton, show_question

MAX_NAMED_TASKS = 4


class CloseGuard(QObject):
    """Asks before running tasks are stopped; otherwise a voice that is being added would be missing without explanation.

    Signals:
        stayed(): the user chose to keep the window open.

    Args:
        list_other_work: returns titles of other running work.
    """

    stayed = Signal()

    def __init__(self, window: QWidget, queue: TaskQueue, list_other_work: Callable[[], Sequence[str]]) -> None:
        super().__init__(window)
        self._window, self._queue, self._list_other_work = window, queue, list_other_work
        self.is_agreed = False  # the window closes without asking
        self.question: QMessageBox | None = None  # the open question, or None

    def may_close(self) -> bool:
        """Return False and ask if tasks are running; the answer closes the window.

        A session that ends waits for no answer, so it closes at once.
        """
        running = [*self._queue.unfinished_titles, *self._list_other_work()]
        if self.is_agreed or not running or is_session_ending():
            return True
        if self.question is None:
            names = [f"・{name}" for name in running[:MAX_NAMED_TASKS]] + ["…"] * (len(running) > MAX_NAMED_TASKS)
            hint = localize(
                "終了すると中止されます。ダウンロードした分は残ります。", "Quitting stops it. What was downloaded so far is kept."
            )
            answer = DialogButton(localize("中止して終了", "Stop and quit"), ButtonRole.DestructiveRole, self.close_now)
            question = localize("次の作業が終わっていません。終了しますか？", "This is still running. Quit anyway?")
            self.question = show_question(self._window, "Koebako", (question, "\n".join([*names, "", hint])), [answer])
            self.question.finished.connect(self._apply_answer)
            # Queued, so that it runs after the button's own handler has set `is_agreed`.
            self.question.finished.connect(self._emit_stayed, Qt.ConnectionType.QueuedConnection)
        return False

    @Slot()
    def close_now(self) -> None:
        """Close the window without asking, as when the program is ended from outside."""
        self.is_agreed = True
        self._window.close()

    @Slot()
    def _apply_answer(self) -> None:
        self.question = None

    @Slot()
    def _emit_stayed(self) -> None:
        if not self.is_agreed:
            self.stayed.emit()


def is_session_ending() -> bool:
    """Return True while the user logs out or shuts the computer down."""
    application = QGuiApplication.instance()
    return isinstance(application, QGuiApplication) and application.isSavingSession()


class AutosaveGuard(QObject):
    """Looks after the saved files of a window.

    Args:
        notice: the banner for files that cannot be saved.
        script: the file whose loss the user is warned about.
        other_files: the files of settings, presets and keys.
    """

    def __init__(self, window: QWidget, notice: Banner, script: AutosavedFile, other_files: Sequence[AutosavedFile]) -> None:
        super().__init__(window)
        self._window, self._notice, self._files = window, notice, (script, *other_files)
        self._has_warned = False
        for file in self._files:
            file.failed.connect(notice.show_error)
            file.recovered.connect(notice.hide_error)
        script.recovered.connect(self._hide_error)

    def stop_saving(self) -> None:
        """Stop saving, for a window that is only tried out."""
        for file in self._files:
            file.stop_saving()

    def finish_saving(self) -> bool:
        """Hide the window and write pending changes; return False if the script cannot be written and the user may still save it.

        Closing the window a second time discards the script: the user has been warned.
        """
        waits = [file.begin_flush() for file in self._files]
        # The window is hidden first, so that a slow disk does not keep it on the screen.
        self._window.hide()
        errors = [wait() for wait in waits]
        if (error := errors[0]) is not None and not self._has_warned and not is_session_ending():
            self._has_warned = True
            self._window.show()
            hint = localize(
                "もう一度閉じると、最後に保存してからの変更は失われます。残すには、行をコピーしてほかのアプリに貼り付けてください。",
                "Closing again discards the changes since the last save. To keep them, copy the lines into another application.",
            )
            self._notice.show_message("error", error.message, f"{error.hint} {hint}".strip())
            return False
        for lost in filter(None, errors):
            logging.getLogger("koebako").warning("not kept when the window closed", exc_info=lost)
        for file in self._files:
            file.close()
        return True

    @Slot()
    def _hide_error(self) -> None:
        self._has_warned = False
