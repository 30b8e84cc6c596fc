"""Collects the newest renderings of each line, so that the user can still keep one as a take."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script.script import Line
from app.core.script.takes import LineTake, create_take
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.synthesis_jobs import SpeechJob
from app.engine.synthesis_results import SpeakFailure
from app.ui.synthesis.speech_controller import SpeechController

MAX_RECENT_PER_LINE = 5
# Bytes of all lines, some four and a half minutes; many of these samples are also in the pipeline's own cache of renderings.
MAX_RECENT_BYTES = 48 << 20


@dataclass(frozen=True, slots=True, eq=False)
class RecentRendering:
    """A rendering in memory: its take, its sound as float32 pieces `(T,)`, and its rate in Hz."""

    take: LineTake
    pieces: tuple[Float32, ...]
    rate: int

    @property
    def size(self) -> int:
        """Return the size of the sound in bytes."""
        return sum(piece.nbytes for piece in self.pieces)


class RecentRenderings(QObject):
    """Collects the renderings of lines while they are computed.

    Signals:
        changed(str): the line of this id has other renderings.
    """

    changed = Signal(str)

    def __init__(self, speech: SpeechController, parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        # Chunks received so far, by request id.
        self._making: dict[str, list[AudioChunk]] = {}
        # Finished renderings by take id, the oldest first.
        self._heard: OrderedDict[str, RecentRendering] = OrderedDict()
        speech.chunk_made.connect(self._collect_chunk)
        speech.speech_computed.connect(self._finish_rendering)
        speech.speech_dropped.connect(self._forget_jobs)
        speech.speaking_failed.connect(self._forget_failed)

    def find_rendering(self, take_id: str) -> RecentRendering | None:
        """Return the rendering with this take id, or None."""
        return self._heard.get(take_id)

    def list_line_renderings(self, line_id: str) -> list[RecentRendering]:
        """Return the renderings of a line, the oldest first."""
        return [heard for heard in self._heard.values() if heard.take.line == line_id]

    def find_current_rendering(self, line: Line) -> RecentRendering | None:
        """Return the rendering of a line with its present text, settings and reading, or None."""
        wanted = build_take_key(create_take(line))
        return next((heard for heard in self.list_line_renderings(line.id) if build_take_key(heard.take) == wanted), None)

    def clear_renderings(self) -> None:
        """Drop all renderings, as another script is shown."""
        self._making.clear()
        self._heard.clear()

    @Slot(object)
    def _collect_chunk(self, chunk: AudioChunk) -> None:
        job = self._speech.find_job(chunk.request_id)
        if job is not None and isinstance(job.source, Line):
            self._making.setdefault(chunk.request_id, []).append(chunk)

    @Slot(object)
    def _finish_rendering(self, job: SpeechJob) -> None:
        chunks = self._making.pop(job.request.id, [])
        if not chunks or not isinstance(job.source, Line):
            return
        line = replace(job.source, settings=replace(job.source.settings, seed=job.request.seed))
        pieces, rate = tuple(chunk.samples for chunk in chunks), chunks[0].sampling_rate
        take = create_take(line, length_s=sum(map(len, pieces)) / rate)
        for other in [other for other in self.list_line_renderings(line.id) if build_take_key(other.take) == build_take_key(take)]:
            del self._heard[other.take.id]
        self._heard[take.id] = RecentRendering(take, pieces, rate)
        for other in self.list_line_renderings(line.id)[:-MAX_RECENT_PER_LINE]:
            del self._heard[other.take.id]
        while sum(heard.size for heard in self._heard.values()) > MAX_RECENT_BYTES:
            self._heard.popitem(last=False)
        self.changed.emit(line.id)

    @Slot(object)
    def _forget_jobs(self, jobs: Sequence[SpeechJob]) -> None:
        for job in jobs:
            self._making.pop(job.request.id, None)

    @Slot(object)
    def _forget_failed(self, failed: SpeakFailure) -> None:
        self._making.pop(failed.job.request.id, None)


def build_take_key(take: LineTake) -> tuple[object, ...]:
    """Return every value that the sound of a take depends on."""
    # Locking the seed changes no sound, so takes that differ in the lock alone are equal.
    return take.text, replace(take.settings, seed_locked=True), take.overrides
