"""The sound of one line as it was last heard: its outline, and when each mora and each pause sounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.core.line_reading import LineReading
from app.core.phones import mark_of_phones, mora_of_phones
from app.core.types import AudioChunk, Float32, PhoneTiming

BIN_S = 0.004  # one peak; finer than a pixel of the widest strip


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line's sound, in seconds from its beginning, silences included."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """How long it is."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class LineTimes:
    """When the morae and the marks of a reading sound."""

    moras: tuple[Span, ...]
    marks: tuple[Span, ...]


class LineSound:
    """Takes the chunks of one request as they are made.

    Attributes:
        request_id: of the request.
        length_s, spoken_s: of all that came so far, with the silences around it and without.
        is_whole: nothing more comes.
    """

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.length_s = self.spoken_s = 0.0
        self.is_whole = False
        self._peaks = np.zeros(256, np.float32)
        self._count = 0
        self._rest = np.zeros(0, np.float32)
        self._sentences: dict[int, tuple[float, tuple[PhoneTiming, ...]]] = {}

    @classmethod
    def remembered(cls, request_id: str, peaks: Float32, sentences: Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]) -> LineSound:
        """A whole sound from an earlier run; `length_s` and `spoken_s` are set by the caller."""
        sound = cls(request_id)
        sound._append(peaks)
        sound._sentences = dict(sentences)
        sound.is_whole = True
        return sound

    @property
    def sentences(self) -> Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]:
        """Of each sentence that has begun: when, in seconds of the line, and when its phones sound."""
        return self._sentences

    @property
    def peaks(self) -> Float32:
        """The loudest sample of every BIN_S so far, 0 to 1: a view that is valid until the next `add`."""
        return self._peaks[: self._count]

    @property
    def stage(self) -> tuple[str, int]:
        """Changes whenever `times` does."""
        return self.request_id, len(self._sentences)

    @property
    def phones(self) -> Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]:
        """By sentence: when its sound begins in the line, in seconds, and its phones in seconds from there."""
        return self._sentences

    def add(self, chunk: AudioChunk) -> None:
        """The next chunk."""
        if chunk.phones:
            self._sentences[chunk.sentence] = (self.length_s, chunk.phones)
        length_s = len(chunk.samples) / chunk.sampling_rate
        self.length_s += length_s
        self.spoken_s += 0.0 if chunk.silence else length_s
        self.is_whole = chunk.last
        size = max(1, round(BIN_S * chunk.sampling_rate))
        samples = np.concatenate((self._rest, np.abs(chunk.samples)))
        whole = len(samples) // size
        self._append(samples[: whole * size].reshape(whole, size).max(axis=1, initial=0.0))
        self._rest = samples[whole * size :]

    def times(self, reading: LineReading) -> LineTimes | None:
        """When each mora and mark sounds; None where the sound is of other morae, or the voice does not report it.

        Sentences that have not been made yet lie at the end, without any length.
        """
        moras: list[Span] = []
        marks: list[Span] = []
        end = 0.0
        for index, place in enumerate(reading.places):
            following = reading.places[index + 1] if index + 1 < len(reading.places) else None
            mora_end, mark_end = (following.moras, following.marks) if following else (len(reading.moras), len(reading.marks))
            start, timings = self._sentences.get(index, (end, ()))
            names = [timing.phone for timing in timings]
            for spans, owners, count in (
                (moras, mora_of_phones(names), mora_end - place.moras),
                (marks, mark_of_phones(names), mark_end - place.marks),
            ):
                found = _spans(timings, owners, start)
                if timings and len(found) != count:
                    return None
                spans += found or [Span(end, end)] * count
            if timings:
                end = start + timings[-1].end_s
        return LineTimes(tuple(moras), tuple(marks)) if self._sentences else None

    def _append(self, peaks: Float32) -> None:
        if self._count + len(peaks) > len(self._peaks):
            grown = np.zeros(max(2 * len(self._peaks), self._count + len(peaks)), np.float32)
            grown[: self._count] = self.peaks
            self._peaks = grown
        self._peaks[self._count : self._count + len(peaks)] = peaks
        self._count += len(peaks)


def _spans(timings: tuple[PhoneTiming, ...], owners: tuple[int, ...], start_s: float) -> list[Span]:
    """One span for every mora or mark, from its first phone to its last."""
    spans: dict[int, Span] = {}
    for owner, timing in zip(owners, timings, strict=True):
        if owner >= 0:
            begun = spans[owner].start_s if owner in spans else start_s + timing.start_s
            spans[owner] = Span(begun, start_s + timing.end_s)
    return [spans[owner] for owner in sorted(spans)]
