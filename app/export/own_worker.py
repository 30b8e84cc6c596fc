"""Works in this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.export.render import Renderer, named_ids
from app.export.report import file_row
from app.export.tasks import BatchSettings, Task

if TYPE_CHECKING:
    from app.compose.speaker import Speaker

MOST_VOICES = 3


class OwnWorker:
    """Works in the thread that calls."""

    def __init__(self, batch: BatchSettings) -> None:
        self._batch = batch
        self._stopped = threading.Event()
        self._open: OrderedDict[str, Speaker] = OrderedDict()
        self._renderer = Renderer(self._speaker, named_ids, cancelled=self._stopped.is_set)
        PROJECT_WORDS.entries = batch.words

    def do(self, task: Task) -> dict[str, Any]:
        """As of any worker."""
        if task.measures:
            measured = self._renderer.measure(task.item)
            return {} if measured is None else {"powers": list(measured.powers), "peak": measured.peak, "seconds": measured.seconds}
        written = self._renderer.write(task.item, self._batch.export, task.gain_db)
        return {} if written is None else file_row(written)

    def stop(self) -> None:
        """As of any worker."""
        self._stopped.set()
        for speaker in list(self._open.values()):
            speaker.terminate()

    def close(self) -> None:
        """As of any worker."""
        self._open.clear()
        PROJECT_WORDS.entries = ()

    def _speaker(self, voice: str) -> Speaker:
        from app.compose.opening import open_speaker

        found = self._open.pop(voice, None)
        if found is None:
            batch, like = self._batch, next(reversed(self._open.values()), None)
            sound: Any = batch.precision
            named = batch.backend != "auto"
            wanted = batch.voices[voice]
            found = open_speaker(wanted, batch.backend, sound=sound, force_bert=batch.force_bert, like=like, convert=named)
            if named:
                found.wait_for_devices()
        self._open[voice] = found
        while len(self._open) > MOST_VOICES:
            self._open.popitem(last=False)
        return found
