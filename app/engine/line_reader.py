"""Reads lines in the synthesis thread, for those who show them: what was asked last counts."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.common.errors import AppError
from app.common.log import convert_to_app_error
from app.core.sound.line_edits import move_overrides, move_overrides_to_text
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import Overrides, ReadingOverride

if TYPE_CHECKING:
    from app.core.lru_cache import LRUCache
    from app.core.sound.ports import G2P
    from app.core.synthesis_types import Phones
    from app.engine.open_voices import OpenVoices

MAX_SHOWN_CHARACTERS = 600  # of a line; a strip of all of a book would be no strip


@dataclass(frozen=True, slots=True, eq=False)
class ReadLineJob:
    """Read a line."""

    line_id: str  # whose text and overrides these are
    text: str
    overrides: Overrides
    readings: tuple[ReadingOverride, ...] | None = None  # try these readings in place of those in `overrides`; they count over `text`
    emoji: bool = False  # the voice of the line speaks them
    memos: bool = False  # text in square brackets is not read
    english: bool = False  # English words are read in English
    asker: str = ""  # part of the window that shows the line; only the last request of each counts


@dataclass(frozen=True, slots=True, eq=False)
class LineReadResult:
    """The result: a reading and the overrides counted over it, or an error."""

    job: ReadLineJob
    reading: LineReading | None = None
    overrides: Overrides = field(default_factory=Overrides)
    error: AppError | None = None


class LineReader:
    """Belongs to the synthesis thread, but for `enqueue_job` and `has_waiting`."""

    def __init__(self, voices: OpenVoices) -> None:
        self._voices = voices
        self._jobs: OrderedDict[tuple[str, bool], ReadLineJob] = OrderedDict()  # the last one to show, and the last one to try
        self._g2p: G2P | None = None

    @property
    def has_waiting(self) -> bool:
        """Return whether lines wait to be read."""
        return bool(self._jobs)

    def enqueue_job(self, job: ReadLineJob) -> None:
        """Request the reading of a line; earlier requests that have not been read are dropped."""
        self._jobs[job.asker, job.readings is not None] = job

    def read_next_line(self) -> LineReadResult:
        """Read the line that has waited longest."""
        _, job = self._jobs.popitem(last=False)
        try:
            return self._read_job(job)
        except Exception as exc:
            return LineReadResult(job, error=convert_to_app_error(exc))

    def _read_job(self, job: ReadLineJob) -> LineReadResult:
        overrides = move_overrides_to_text(
            job.overrides,
            job.text,
            self._read_complete_line,
            emoji=job.emoji,
            memos=job.memos or self._find_front_end()[0].should_skip_memos,
            english=job.english,
        )
        if job.readings is None:
            return LineReadResult(job, self._read_shown_line(job, overrides.readings), overrides)
        old = self._read_complete_line(job.text, overrides.readings, job.emoji, job.memos, job.english)
        new = self._read_complete_line(job.text, job.readings, job.emoji, job.memos, job.english)
        return LineReadResult(job, self._read_shown_line(job, job.readings), move_overrides(overrides, old, new))

    def _read_complete_line(self, text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
        return read_line(text, readings, *self._find_front_end(), emoji=emoji, memos=memos, english=english)

    def _read_shown_line(self, job: ReadLineJob, readings: tuple[ReadingOverride, ...]) -> LineReading:
        g2p, cache = self._find_front_end()
        how = {"emoji": job.emoji, "memos": job.memos, "english": job.english}
        return read_line(job.text, readings, g2p, cache, MAX_SHOWN_CHARACTERS, doubts=True, **how)

    def _find_front_end(self) -> tuple[G2P, LRUCache[Phones] | None]:
        """Return the open voice's front end, or our own while no voice is open: a line can be shown before any voice can speak."""
        speaker, caches = self._voices.speaker, self._voices.caches
        if speaker is not None:
            return speaker.pipeline.g2p, speaker.pipeline.caches.phones
        if self._g2p is None:
            from app.compose.text_front_end import open_g2p

            self._g2p = open_g2p()
        return self._g2p, caches.phones if caches else None
