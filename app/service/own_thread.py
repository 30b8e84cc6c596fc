"""A synthesis thread of the service's own, for where no window has one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from app.core.types import StageTiming
from app.errors import AppError
from app.service.work import Work

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

MOST_VOICES = 4
STOP_S = 0.01  # between two attempts to stop a graph: one may begin after the first


class OpenVoices:
    """The voices used last, open; belongs to the synthesis thread, but for `terminate`.

    Args:
        open_voice: opens the voice of an id, taking over what it can from another one.
    """

    def __init__(self, open_voice: Callable[[str, Speaker | None], Speaker]) -> None:
        self._open_voice = open_voice
        self._open: dict[str, Speaker] = {}

    def speaker_of(self, voice: str) -> Speaker:
        """The voice of an id, opened where it is not."""
        speaker = self._open.pop(voice, None)
        if speaker is None:
            speaker = self._open_voice(voice, next(reversed(self._open.values()), None))
        self._open[voice] = speaker
        while len(self._open) > MOST_VOICES:
            del self._open[next(iter(self._open))]
        return speaker

    def is_open(self, voice: str) -> bool:
        """Whether a voice would speak at once; from any thread."""
        return voice in self._open

    def terminate(self) -> None:
        """Stops the graph that runs now."""
        for speaker in list(self._open.values()):
            speaker.terminate()


class OwnThread:
    """An executor: one thread, one queue.

    Args:
        first: a voice that is opened before the first work comes.
    """

    def __init__(self, voices: OpenVoices, first: str | None = None) -> None:
        self._first = first
        self._voices = voices
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._current: Work | None = None
        self._lock = threading.Lock()  # between stopping and the change of work: a graph must not be stopped for another's sake
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="synthesis", daemon=True)
        self._thread.start()

    def post(self, work: Work) -> None:
        """Queues work."""
        self._queue.put(work)

    def cancel(self, work: Work) -> None:
        """Stops the graph that runs, if it runs for this work."""
        with self._lock:
            if self._current is work:
                self._voices.terminate()

    def close(self, limit_s: float) -> bool:
        """Stops what runs, and ends the thread; False where it did not end in time, as while a voice is opened."""
        self._closing.set()
        self._queue.put(None)
        end = time.monotonic() + limit_s
        while self._thread.is_alive() and time.monotonic() < end:
            self._voices.terminate()
            self._thread.join(STOP_S)
        return not self._thread.is_alive()

    def _work(self) -> None:
        if self._first is not None:
            with suppress(AppError):  # said when it is asked for
                self._voices.speaker_of(self._first).pipeline.warm_up(self._closing.is_set)
        while (work := self._queue.get()) is not None and not self._closing.is_set():
            with self._lock:
                self._current = work
            try:
                work.run(self._voices, _no_stage)
            finally:
                with self._lock:
                    self._current = None


def _no_stage(_timing: StageTiming) -> None:
    """Nobody looks."""
