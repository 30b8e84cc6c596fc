"""A candidate of the lab in the blind test of takes: our command line speaks the lines, and the window asks."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.queue import TaskQueue
from app.ui.tasks.task import TaskSpec

if TYPE_CHECKING:
    from app.lab.rows import Row
    from app.ui.audition.blind_test_dialog import BlindTestDialog
    from app.ui.audition.blind_tests import BlindTests, Sound
    from app.ui.takes.shelf import TakeShelf

BRIEFLY = ("--turns", "1", "--warmup", "0", "--seconds", "0")  # it has been timed
Loaded = list[tuple["Sound", "Sound"]]


class CandidateTests(QObject):
    """Made when the first one is wanted.

    Args:
        shelf: keeps the sounds.
    """

    def __init__(self, tests: BlindTests, shelf: TakeShelf) -> None:
        super().__init__(tests)
        self._tests, self._shelf = tests, shelf
        self._queue, self._background = TaskQueue(self), BackgroundThread(self, "candidate")
        self._queue.finished.connect(self._on_spoken)
        self._queue.failed.connect(self._on_failed)
        self._queue.asked.connect(self._on_failed)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._dialog: BlindTestDialog | None = None
        self._spec: TaskSpec | None = None  # speaks the lines of the dialog

    def begin(self, source: str, row: Row) -> None:
        """Has the lines spoken with the exact graph and with the candidate of a row, and asks how they are to be compared."""
        dialog = self._tests.show_dialog()
        dialog.prepare(0)
        folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        self._folder, self._dialog = folder, dialog
        work = candidate_work(source, row, "--test", str(Path(folder.name) / "test.koebako"))
        self._spec = TaskSpec("lab test", work, quiet=True)  # first: a process that cannot start may fail before the call returns
        job = self._queue.add(self._spec)
        dialog.finished.connect(lambda _result: self._queue.clear(job))

    def close(self) -> None:
        """Gives up what is being made."""
        self._queue.close()
        self._background.close()
        self._drop()

    @Slot(object)
    def _on_spoken(self, job: ProcessTask) -> None:
        row = next((row for row in job.results if row.get("type") == "test"), None)
        dialog = self._dialog
        if row is None or dialog is None or job.work is not self._spec:
            return
        if not row["sounds"]:
            dialog.reject()
            self._drop()
            self._tests.notice(str(row["note"]), localized("聞き比べる違いがありません。", "There is no difference to listen for."))
            return
        self._background.run(partial(_loaded, row), partial(self._keep, dialog, list(row["names"])), dialog.notice.show_error)

    @Slot(object)
    def _on_failed(self, job: ProcessTask) -> None:
        if job.work is self._spec and self._dialog is not None and job.error is not None:
            self._dialog.notice.show_error(job.error)
        self._queue.clear(job)

    def _keep(self, dialog: BlindTestDialog, names: list[str], loaded: Loaded) -> None:
        """With the sounds of the project, so that the test can be continued another day."""
        self._drop()
        found: dict[tuple[int, int], str] = {}

        def kept(place: tuple[int, int], name: str) -> None:
            found[place] = name
            if len(found) == 2 * len(loaded) and self._tests.dialog is dialog:
                dialog.plan(names, [(found[number, 0], found[number, 1]) for number in range(len(loaded))])

        for number, pair in enumerate(loaded):
            for side, (samples, rate) in enumerate(pair):
                self._shelf.keep_unnamed(samples, rate, partial(kept, (number, side)))

    def _drop(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None


def candidate_work(source: str, row: Row, *use: str) -> tuple[str, ...]:
    """The command that makes the candidate of a row again, which is the same, and does something with it."""
    name = str(row["candidate"])
    by_group = ("--by-group",) if ": " in name else ()
    only = ("--only", name, "--keep", name, "--graph", str(row["graph"]), *BRIEFLY)
    return ("lab", "optimise", *only, *by_group, *use, "--", source)


def _loaded(row: dict[str, Any]) -> Loaded:
    """In the background."""
    from app.audition.take_store import TakeStore, folder_of

    store = TakeStore(folder_of(Path(row["file"])))
    return [(store.read(one), store.read(other)) for one, other in row["sounds"]]
