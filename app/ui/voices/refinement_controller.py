"""Has voices and BERTs that can be used already finished in the background, and voices of an older recipe prepared again: one after the
other, while there are no other tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.ui.background_thread import BackgroundThread, log_error
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.tasks.process_task import FINISHED_STATES, ProcessTask, TaskState
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import RefinementSpec, VoiceTasks, create_refinement_task

if TYPE_CHECKING:
    from app.install.refinement_work import RefinementWork


class RefinementController(QObject):
    """Queues a task for the first voice or BERT that is to be prepared again or refined; one whose row the user closes stays as it is for good."""

    def __init__(self, catalog: VoiceCatalog, tasks: VoiceTasks, speech: SpeechController) -> None:
        super().__init__(tasks)
        self._catalog, self._tasks, self._speech = catalog, tasks, speech
        # Folders whose tasks failed, which are not tried again until the next start, and of those being abandoned.
        self._left_alone: set[Path] = set()
        self._background = BackgroundThread(self, "refinement")
        self._background.failed.connect(log_error)
        catalog.changed.connect(self._queue_next)
        # Open voices speak with their new graphs from the next line on.
        tasks.voice_refined.connect(speech.reopen_voice)
        tasks.voice_renewed.connect(speech.reopen_voice)
        tasks.bert_refined.connect(self._reopen_voices_of_bert)
        tasks.queue.failed.connect(self._note_failure)
        tasks.queue.removed.connect(self._abandon_cancelled)

    def close(self) -> None:
        """Wait for the background thread."""
        self._background.close()

    @Slot()
    def _queue_next(self) -> None:
        queue = self._tasks.queue
        if any(isinstance(job.work, RefinementSpec) and job.stage not in FINISHED_STATES for job in queue.jobs):
            return
        waiting = list(self._iterate_works())
        self._left_alone &= {work.folder for work in waiting}
        chosen = next((work for work in waiting if work.folder not in self._left_alone), None)
        if chosen is not None:
            queue.add_task(create_refinement_task(chosen))

    def _iterate_works(self) -> Iterator[RefinementWork]:
        """Yield the works in the order of their kinds."""
        from app.install.refinement_work import RefinementWork  # the scan of the catalog loaded it, and the start goes without

        for voice in self._catalog.voices:
            if voice.is_renewal_due:
                yield RefinementWork("renewal", voice.manifest.id, voice.name, voice.path)
        for voice in self._catalog.voices:
            if voice.is_pending and voice.origin == "own":
                yield RefinementWork("voice", voice.manifest.id, voice.name, voice.path)
        for bert in self._catalog.pending_berts:
            yield RefinementWork("bert", bert.id, bert.id, bert.folder)

    @Slot(str)
    def _reopen_voices_of_bert(self, bert: str) -> None:
        for voice in self._catalog.voices:
            if voice.manifest.bert == bert:
                self._speech.reopen_voice(voice.id)

    @Slot(object)
    def _note_failure(self, job: ProcessTask) -> None:
        if isinstance(job.work, RefinementSpec):
            self._left_alone.add(job.work.work.folder)

    @Slot(object)
    def _abandon_cancelled(self, job: ProcessTask) -> None:
        if not isinstance(job.work, RefinementSpec) or job.stage is not TaskState.CANCELLED:
            return
        work, kind = job.work.work, job.work.work.kind
        if kind == "renewal":
            return
        self._left_alone.add(work.folder)

        def abandon_work() -> None:
            from app.install.refinement_runs import abandon_refinement

            abandon_refinement(work.folder, kind)

        self._background.run_work(abandon_work, lambda _none: self._catalog.refresh_voices())
