"""The sound of one line as it was last heard: its outline, and the time of each mora and each pause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.core.line_reading import LineReading
from app.core.phone_ids import map_phones_to_marks, map_phones_to_moras
from app.core.sound_edges import find_sounding_span, fit_timings_to_sound
from app.core.synthesis_types import AudioChunk, Float32, PhoneTiming

# One peak for this many seconds is finer than a pixel of the widest strip.
PEAK_BIN_S = 0.004


@dataclass(frozen=True, slots=True)
class SoundSpan:
    """A stretch of a line's sound, in seconds from its beginning, silences included."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Return the length in seconds."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class LineSpans:
    """The times at which the morae and the marks of a reading sound."""

    moras: tuple[SoundSpan, ...]
    marks: tuple[SoundSpan, ...]


@dataclass(frozen=True, slots=True)
class _BegunSentence:
    """A sentence whose sound is coming in: where it begins in the line, in seconds and in bins of the outline, and how long a bin is."""

    index: int
    start_s: float
    first_bin: int
    bin_s: float


class LineSound:
    """Collects the chunks of one request as they are made.

    Attributes:
        request_id: id of the request.
        length_s, spoken_s: seconds of all chunks so far, with and without the silences around the speech.
        is_whole: the last chunk has come.
        pitches_hz: of each mora, None for one that is not voiced; empty until they are measured.
        recipe: that of the voice that spoke, by its number; 0 where that is not known.
    """

    def __init__(self, request_id: str, recipe: int = 0) -> None:
        self.request_id, self.recipe = request_id, recipe
        self.length_s = self.spoken_s = 0.0
        self.is_whole = False
        self.pitches_hz: tuple[float | None, ...] = ()
        self._peaks = np.zeros(256, np.float32)
        self._count = 0
        self._rest = np.zeros(0, np.float32)
        self._sentences: dict[int, tuple[float, tuple[PhoneTiming, ...]]] = {}
        self._spans: dict[int, SoundSpan] = {}
        self._begun: _BegunSentence | None = None

    @classmethod
    def from_peaks(cls, request_id: str, peaks: Float32, sentences: Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]) -> LineSound:
        """Return a whole sound from an earlier run; the caller sets `length_s` and `spoken_s`."""
        sound = cls(request_id)
        sound._append_peaks(peaks)
        sound._sentences = dict(sentences)
        sound.is_whole = True
        return sound

    @property
    def sentences(self) -> Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]:
        """Return for each sentence that has begun its start in seconds of the line, and the timings of its phones.

        Once all of a sentence is there, its pauses lie where nothing is heard.
        """
        return self._sentences

    @property
    def sounding_spans(self) -> Mapping[int, SoundSpan]:
        """Return when each sentence that is whole is heard."""
        return self._spans

    @property
    def peaks(self) -> Float32:
        """Return the loudest sample of every PEAK_BIN_S so far, 0 to 1, float32: a view that is valid until the next `add_chunk`."""
        return self._peaks[: self._count]

    @property
    def progress_key(self) -> tuple[str, int]:
        """Return a key that changes whenever the result of `compute_spans` does."""
        return self.request_id, len(self._sentences) + len(self._spans)

    @property
    def phones(self) -> Mapping[int, tuple[float, tuple[PhoneTiming, ...]]]:
        """Return by sentence the start of its sound in the line, in seconds, and its phones in seconds from there."""
        return self._sentences

    def add_chunk(self, chunk: AudioChunk) -> None:
        """Add the next chunk."""
        if self._begun is not None and (chunk.silence or chunk.sentence != self._begun.index):
            self._end_sentence(self._begun)
        size = max(1, round(PEAK_BIN_S * chunk.sampling_rate))
        if self._begun is None and not chunk.silence:
            self._begun = _BegunSentence(chunk.sentence, self.length_s, self._count, size / chunk.sampling_rate)
        if chunk.phones:
            self._sentences[chunk.sentence] = (self.length_s, chunk.phones)
        length_s = len(chunk.samples) / chunk.sampling_rate
        self.length_s += length_s
        self.spoken_s += 0.0 if chunk.silence else length_s
        self.is_whole = chunk.last
        samples = np.concatenate((self._rest, np.abs(chunk.samples)))
        whole = len(samples) // size
        self._append_peaks(samples[: whole * size].reshape(whole, size).max(axis=1, initial=0.0))
        self._rest = samples[whole * size :]
        if self._begun is not None and chunk.last:
            self._end_sentence(self._begun)

    def _end_sentence(self, begun: _BegunSentence) -> None:
        """Fit the timings of a sentence, all of which has come, to its sound."""
        self._begun = None
        peaks = self._peaks[begun.first_bin : self._count]
        if (span := find_sounding_span(peaks, begun.bin_s)) is not None:
            self._spans[begun.index] = SoundSpan(*(begun.start_s + second for second in span))
        if (known := self._sentences.get(begun.index)) is not None:
            self._sentences[begun.index] = known[0], fit_timings_to_sound(known[1], peaks, begun.bin_s)

    def compute_spans(self, reading: LineReading) -> LineSpans | None:
        """Return the times of all morae and marks; None where the sound has other morae, or the voice reports no timings.

        Sentences that have not been made yet lie at the end, with length 0.
        """
        moras: list[SoundSpan] = []
        marks: list[SoundSpan] = []
        end = 0.0
        for index, place in enumerate(reading.offsets):
            following = reading.offsets[index + 1] if index + 1 < len(reading.offsets) else None
            mora_end, mark_end = (following.moras, following.marks) if following else (len(reading.moras), len(reading.marks))
            start, timings = self._sentences.get(index, (end, ()))
            names = [timing.phone for timing in timings]
            for spans, owners, count in (
                (moras, map_phones_to_moras(names), mora_end - place.moras),
                (marks, map_phones_to_marks(names), mark_end - place.marks),
            ):
                found = _build_spans(timings, owners, start)
                if timings and len(found) != count:
                    return None
                spans += found or [SoundSpan(end, end)] * count
            if timings:
                end = start + timings[-1].end_s
        return LineSpans(tuple(moras), tuple(marks)) if self._sentences else None

    def _append_peaks(self, peaks: Float32) -> None:
        # Doubling keeps the appends of a long line linear in its length.
        if self._count + len(peaks) > len(self._peaks):
            grown = np.zeros(max(2 * len(self._peaks), self._count + len(peaks)), np.float32)
            grown[: self._count] = self.peaks
            self._peaks = grown
        self._peaks[self._count : self._count + len(peaks)] = peaks
        self._count += len(peaks)


def _build_spans(timings: tuple[PhoneTiming, ...], owners: tuple[int, ...], start_s: float) -> list[SoundSpan]:
    """Return one span for every mora or mark, from its first phone to its last."""
    spans: dict[int, SoundSpan] = {}
    for owner, timing in zip(owners, timings, strict=True):
        if owner >= 0:
            begun = spans[owner].start_s if owner in spans else start_s + timing.start_s
            spans[owner] = SoundSpan(begun, start_s + timing.end_s)
    return [spans[owner] for owner in sorted(spans)]
