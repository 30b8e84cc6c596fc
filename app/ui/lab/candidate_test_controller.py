"""The controller of blind tests of lab candidates: a child process speaks the lines, and the window runs the test."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from app.common.language import localize
from app.ui.background_thread import BackgroundThread
from app.ui.tasks.process_task import ProcessTask, TaskSpec
from app.ui.tasks.task_queue import TaskQueue

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.audition.blind_test_controller import BlindTestController, SampledSound
    from app.ui.audition.blind_test_dialog import BlindTestDialog
    from app.ui.takes.take_repository import TakeRepository

# The candidate has been timed already, so the child spends no time on measuring it again.
BRIEF_ARGUMENTS = ("--turns", "1", "--warmup", "0", "--seconds", "0")
LoadedSounds = list[tuple["SampledSound", "SampledSound"]]


class CandidateTestController(QObject):
    """Runs blind tests of candidates, whose sounds the repository keeps; it is made when the first one is opened."""

    def __init__(self, tests: BlindTestController, take_repository: TakeRepository) -> None:
        super().__init__(tests)
        self._tests, self._take_repository = tests, take_repository
        self._queue, self._background = TaskQueue(self), BackgroundThread(self, "candidate")
        self._queue.finished.connect(self._load_spoken)
        self._queue.failed.connect(self._show_failure)
        self._queue.decision_needed.connect(self._show_failure)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._dialog: BlindTestDialog | None = None
        self._spec: TaskSpec | None = None

    def begin_blind_test(self, source: str, candidate_row: Row) -> None:
        """Speak the lines with the exact graph and with a row's candidate, then ask how to compare them."""
        dialog = self._tests.show_dialog()
        dialog.show_preparation(0)
        folder = tempfile.TemporaryDirectory(prefix="koebako-lab-", ignore_cleanup_errors=True)
        self._folder, self._dialog = folder, dialog
        work = build_candidate_command(source, candidate_row, "--test", str(Path(folder.name) / "test.koebako"))
        # The spec is set first: a process that cannot start may fail before `add_task` returns.
        self._spec = TaskSpec("lab test", work, quiet=True)
        job = self._queue.add_task(self._spec)
        dialog.finished.connect(lambda _result: self._queue.remove_task(job))

    def close(self) -> None:
        """Stop the child process and delete its files."""
        self._queue.close()
        self._background.close()
        self._remove_folder()

    @Slot(object)
    def _load_spoken(self, job: ProcessTask) -> None:
        row = next((row for row in job.results if row.get("type") == "test"), None)
        dialog = self._dialog
        # A process of an earlier dialog may end after a new one began.
        if row is None or dialog is None or job.work is not self._spec:
            return
        if not row["sounds"]:
            dialog.reject()
            self._remove_folder()
            self._tests.notice_raised.emit(
                str(row["note"]), localize("聞き比べる違いがありません。", "There is no difference to listen for.")
            )
            return
        self._background.run_work(
            partial(_load_sounds, row), partial(self._keep_sounds, dialog, list(row["names"])), dialog.notice.show_error
        )

    @Slot(object)
    def _show_failure(self, job: ProcessTask) -> None:
        if job.work is self._spec and self._dialog is not None and job.error is not None:
            self._dialog.notice.show_error(job.error)
        self._queue.remove_task(job)

    def _keep_sounds(self, dialog: BlindTestDialog, names: list[str], loaded: LoadedSounds) -> None:
        """Keep the loaded sounds and set up the test."""
        self._remove_folder()
        names_by_position: dict[tuple[int, int], str] = {}

        def add_kept_sound(position: tuple[int, int], name: str) -> None:
            names_by_position[position] = name
            # Keeping is asynchronous: the last sound sets up the test, unless its dialog was replaced meanwhile.
            if len(names_by_position) == 2 * len(loaded) and self._tests.dialog is dialog:
                dialog.show_setup(names, [(names_by_position[number, 0], names_by_position[number, 1]) for number in range(len(loaded))])

        # The sounds are kept with those of the project, so that the test can be continued another day.
        for number, pair in enumerate(loaded):
            for side, (samples, rate) in enumerate(pair):
                self._take_repository.keep_unnamed(samples, rate, partial(add_kept_sound, (number, side)))

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None


def build_candidate_command(source: str, row: Row, *arguments: str) -> tuple[str, ...]:
    """Return the command that makes a row's candidate again, identical to the measured one, with further arguments."""
    name = str(row["candidate"])
    by_group = ("--by-group",) if ": " in name else ()
    only = ("--only", name, "--keep", name, "--graph", str(row["graph"]), *BRIEF_ARGUMENTS)
    return ("lab", "optimise", *only, *by_group, *arguments, "--", source)


def _load_sounds(row: dict[str, Any]) -> LoadedSounds:
    """Load the spoken sounds from the child's project; called in the background."""
    from app.audition.take_store import TakeStore, find_sound_folder

    store = TakeStore(find_sound_folder(Path(row["file"])))
    return [(store.read_sound(exact_name), store.read_sound(candidate_name)) for exact_name, candidate_name in row["sounds"]]
