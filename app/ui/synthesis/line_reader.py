"""Reads lines in the synthesis thread, for those who show them: what was asked last counts."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.line_reading import LineReading, read_line
from app.core.rebased_edits import moved, rebase
from app.core.types import Overrides, ReadingOverride
from app.errors import AppError
from app.ui.error_text import as_app_error

if TYPE_CHECKING:
    from app.core.cache import LRUCache
    from app.core.ports import G2P
    from app.core.types import Phones
    from app.ui.synthesis.loaded_voices import LoadedVoices

SHOWN_CHARACTERS = 600  # of a line; a strip of all of a book would be no strip


@dataclass(frozen=True, slots=True, eq=False)
class ReadLine:
    """Read a line.

    Attributes:
        line_id: whose text and overrides these are.
        readings: try these readings in place of those in `overrides`; they count over `text`.
        emoji: the voice of the line speaks them.
        memos: what stands in square brackets is not read.
    """

    line_id: str
    text: str
    overrides: Overrides
    readings: tuple[ReadingOverride, ...] | None = None
    emoji: bool = False
    memos: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LineRead:
    """What came of it: a reading and the overrides counted over it, or what was wrong."""

    job: ReadLine
    reading: LineReading | None = None
    overrides: Overrides = field(default_factory=Overrides)
    error: AppError | None = None


class LineReader:
    """Belongs to the synthesis thread, but for `post` and `waits`."""

    def __init__(self, voice: LoadedVoices) -> None:
        self._voice = voice
        self._jobs: OrderedDict[bool, ReadLine] = OrderedDict()  # the last one to show, and the last one to try
        self._g2p: G2P | None = None

    @property
    def waits(self) -> bool:
        """Something is to be read."""
        return bool(self._jobs)

    def post(self, job: ReadLine) -> None:
        """Asks for a line; what was asked for before and has not been read is left out."""
        self._jobs[job.readings is not None] = job

    def read(self) -> LineRead:
        """Reads the line that has waited longest."""
        _, job = self._jobs.popitem(last=False)
        try:
            return self._answer(job)
        except Exception as exc:
            return LineRead(job, error=as_app_error(exc))

    def _answer(self, job: ReadLine) -> LineRead:
        overrides = rebase(job.overrides, job.text, self._whole, emoji=job.emoji, memos=job.memos or self._means()[0].memos)
        if job.readings is None:
            return LineRead(job, self._shown(job, overrides.readings), overrides)
        old = self._whole(job.text, overrides.readings, job.emoji, job.memos)
        new = self._whole(job.text, job.readings, job.emoji, job.memos)
        return LineRead(job, self._shown(job, job.readings), moved(overrides, old, new))

    def _whole(self, text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool) -> LineReading:
        return read_line(text, readings, *self._means(), emoji=emoji, memos=memos)

    def _shown(self, job: ReadLine, readings: tuple[ReadingOverride, ...]) -> LineReading:
        g2p, cache = self._means()
        return read_line(job.text, readings, g2p, cache, SHOWN_CHARACTERS, emoji=job.emoji, doubts=True, memos=job.memos)

    def _means(self) -> tuple[G2P, LRUCache[Phones] | None]:
        """The open voice's, or our own while there is none: a line can be seen before anything can speak."""
        speaker, caches = self._voice.speaker, self._voice.caches
        if speaker is not None:
            return speaker.pipeline.g2p, speaker.pipeline.caches.phones
        if self._g2p is None:
            from app.compose.text import open_g2p

            self._g2p = open_g2p()
        return self._g2p, caches.phones if caches else None
