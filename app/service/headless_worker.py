"""A synthesis thread of the service's own, for where no window has one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from app.common.errors import AppError
from app.core.stage_clock import OnStage
from app.core.synthesis_types import StageTiming
from app.service.service_job import JobVoices, ServiceJob

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

MAX_OPEN_VOICES = 4
# Between two attempts to stop a graph: one may begin after the first.
STOP_RETRY_S = 0.01


class OpenVoiceCache:
    """The voices used last, open; belongs to the synthesis thread, but for `terminate`, `is_open` and `mark_stale`.

    Args:
        open_voice: opens the voice of an id, taking over what it can from another one.
    """

    def __init__(self, open_voice: Callable[[str, Speaker | None], Speaker]) -> None:
        self._open_voice = open_voice
        self._open: dict[str, Speaker] = {}
        self._stale: set[str] = set()

    def open_speaker(self, voice: str) -> Speaker:
        """Return the voice of an id, opened if need be."""
        speaker = self._open.pop(voice, None)
        if speaker is None or voice in self._stale:
            # Marked meanwhile, it is reopened the next time.
            self._stale.discard(voice)
            speaker = self._open_voice(voice, speaker or next(reversed(self._open.values()), None))
        self._open[voice] = speaker
        while len(self._open) > MAX_OPEN_VOICES:
            del self._open[next(iter(self._open))]
        return speaker

    def is_open(self, voice: str) -> bool:
        """Return whether a voice would speak at once. Any thread may call this."""
        return voice in self._open

    def mark_stale(self, voice: str) -> None:
        """Reopen a voice, whose files have changed, for its next request. Any thread may call this."""
        self._stale.add(voice)

    def terminate(self) -> None:
        """Stop the running graph."""
        for speaker in list(self._open.values()):
            speaker.terminate()


class WorkerJob(Protocol):
    """Work for the synthesis thread."""

    def run_work(self, voices: JobVoices, on_stage: OnStage) -> None:
        """Compute and deliver the result; never raise."""


class HeadlessWorker:
    """An executor: one thread, one queue.

    Args:
        first: a voice that is opened before the first work comes.
    """

    def __init__(self, voices: OpenVoiceCache, first: str | None = None) -> None:
        self._first = first
        self._voices = voices
        self._queue: queue.SimpleQueue[WorkerJob | None] = queue.SimpleQueue()
        self._current: WorkerJob | None = None
        # Between stopping and the change of work: a graph must not be stopped for another's sake.
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run_jobs, name="synthesis", daemon=True)
        self._thread.start()

    def post(self, work: WorkerJob) -> None:
        """Queue work."""
        self._queue.put(work)

    def cancel(self, work: ServiceJob) -> None:
        """Stop the running graph, if it runs for this work."""
        with self._lock:
            if self._current is work:
                self._voices.terminate()

    def close(self, limit_s: float) -> bool:
        """Stop the running work and end the thread; return False if it did not end in time, as while a voice is opened."""
        self._closing.set()
        self._queue.put(None)
        end = time.monotonic() + limit_s
        while self._thread.is_alive() and time.monotonic() < end:
            self._voices.terminate()
            self._thread.join(STOP_RETRY_S)
        return not self._thread.is_alive()

    def _run_jobs(self) -> None:
        if self._first is not None:
            # Said when it is asked for.
            with suppress(AppError):
                self._voices.open_speaker(self._first).pipeline.warm_up(self._closing.is_set)
        while (work := self._queue.get()) is not None and not self._closing.is_set():
            with self._lock:
                self._current = work
            try:
                work.run_work(self._voices, _ignore_stage)
            finally:
                with self._lock:
                    self._current = None


def _ignore_stage(_timing: StageTiming) -> None:
    """Do nothing with a timing."""
