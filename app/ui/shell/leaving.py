"""What would be lost if the window closed now, and the question about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.language import localized
from app.ui.tasks.queue import TaskQueue
from app.ui.widgets.question import Answer, Role, ask

MOST_NAMED = 4


class Leaving(QObject):
    """Asks before work that still runs is stopped: a voice that is being added would be missing without a word.

    Attributes:
        question: what the user is asked now; None where nothing is.

    Signals:
        stayed(): the user was asked, and the window stays open.

    Args:
        others: titles of further work that runs now.
    """

    stayed = Signal()

    def __init__(self, window: QWidget, queue: TaskQueue, others: Callable[[], Sequence[str]]) -> None:
        super().__init__(window)
        self._window, self._queue, self._others = window, queue, others
        self._agreed = False
        self.question: QMessageBox | None = None

    def may_close(self) -> bool:
        """False while the user is asked; the answer closes the window. A session that ends waits for no answer."""
        running = [*self._queue.unfinished, *self._others()]
        if self._agreed or not running or session_ends():
            return True
        if self.question is None:
            self.question = self._ask(running)
            self.question.finished.connect(self._on_answered)
            self.question.finished.connect(self._report_staying, Qt.ConnectionType.QueuedConnection)  # after what the answer calls
        return False

    @Slot()
    def close_now(self) -> None:
        """Closes the window without asking, as when the program is ended from outside."""
        self._agreed = True
        self._window.close()

    def _ask(self, running: Sequence[str]) -> QMessageBox:
        names = [f"・{name}" for name in running[:MOST_NAMED]] + ["…"] * (len(running) > MOST_NAMED)
        hint = localized("終了すると中止されます。ダウンロードした分は残ります。", "Quitting stops it. What was downloaded so far is kept.")
        answer = Answer(localized("中止して終了", "Stop and quit"), Role.DestructiveRole, self.close_now)
        words = localized("次の作業が終わっていません。終了しますか？", "This is still running. Quit anyway?")
        return ask(self._window, "Koebako", (words, "\n".join([*names, "", hint])), [answer])

    @Slot()
    def _on_answered(self) -> None:
        self.question = None

    @Slot()
    def _report_staying(self) -> None:
        if not self._agreed:
            self.stayed.emit()


def session_ends() -> bool:
    """The user logs out or shuts the computer down."""
    application = QGuiApplication.instance()
    return isinstance(application, QGuiApplication) and application.isSavingSession()
