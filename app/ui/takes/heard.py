"""What was heard last of each line, so that it can still be kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.core.script import Line
from app.core.takes import Take, take_of
from app.core.types import AudioChunk, Float32
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import Speak
from app.ui.synthesis.results import SpeakFailure

OF_A_LINE = 5
MOST_BYTES = 48 << 20  # of all lines: four minutes and a half; much of it is also among the renderings that the pipeline remembers


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """A rendering in memory: what it was made of, and its sound in pieces, with the rate in Hz."""

    take: Take
    pieces: tuple[Float32, ...]
    rate: int

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(piece.nbytes for piece in self.pieces)


class HeardTakes(QObject):
    """Collects renderings of lines while they are made.

    Signals:
        changed(str): this line has others.
    """

    changed = Signal(str)

    def __init__(self, speech: SpeechController, parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._making: dict[str, list[AudioChunk]] = {}  # by request
        self._heard: OrderedDict[str, Heard] = OrderedDict()  # by the id of the take, the oldest first
        speech.chunk_made.connect(self._on_chunk)
        speech.made.connect(self._on_made)
        speech.dropped.connect(self._on_dropped)
        speech.speaking_failed.connect(self._on_failed)

    def find(self, take_id: str) -> Heard | None:
        """The rendering with this id."""
        return self._heard.get(take_id)

    def of_line(self, line_id: str) -> list[Heard]:
        """Renderings of a line, the oldest first."""
        return [heard for heard in self._heard.values() if heard.take.line == line_id]

    def as_now(self, line: Line) -> Heard | None:
        """The rendering of a line just as it is."""
        wanted = made_of(take_of(line))
        return next((heard for heard in self.of_line(line.id) if made_of(heard.take) == wanted), None)

    def clear(self) -> None:
        """Another script is shown."""
        self._making.clear()
        self._heard.clear()

    @Slot(object)
    def _on_chunk(self, chunk: AudioChunk) -> None:
        job = self._speech.find(chunk.request_id)
        if job is not None and isinstance(job.source, Line):
            self._making.setdefault(chunk.request_id, []).append(chunk)

    @Slot(object)
    def _on_made(self, job: Speak) -> None:
        chunks = self._making.pop(job.request.id, [])
        if not chunks or not isinstance(job.source, Line):
            return
        line = replace(job.source, settings=replace(job.source.settings, seed=job.request.seed))
        pieces, rate = tuple(chunk.samples for chunk in chunks), chunks[0].sampling_rate
        take = take_of(line, length_s=sum(map(len, pieces)) / rate)
        for other in [other for other in self.of_line(line.id) if made_of(other.take) == made_of(take)]:
            del self._heard[other.take.id]
        self._heard[take.id] = Heard(take, pieces, rate)
        for other in self.of_line(line.id)[:-OF_A_LINE]:
            del self._heard[other.take.id]
        while sum(heard.size for heard in self._heard.values()) > MOST_BYTES:
            self._heard.popitem(last=False)
        self.changed.emit(line.id)

    @Slot(object)
    def _on_dropped(self, jobs: Sequence[Speak]) -> None:
        for job in jobs:
            self._making.pop(job.request.id, None)

    @Slot(object)
    def _on_failed(self, failed: SpeakFailure) -> None:
        self._making.pop(failed.job.request.id, None)


def made_of(take: Take) -> tuple[object, ...]:
    """All that its sound depends on."""
    return take.text, replace(take.settings, seed_locked=True), take.overrides
