"""The sound of one line as it was last heard: its outline, and the time of each mora and each pause.

A voice says how many frames each phone has, but its sound may begin late in a phone, or fade long before the frames of the last one end. So the
borders between the phones of a sentence and its pauses move to where its sound begins and ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.core.sound.line_reading import LineReading
from app.core.synthesis_types import AudioChunk, Float32, PhoneTiming
from app.core.text.phone_ids import NO_INDEX, map_phones_to_marks, map_phones_to_moras

PEAK_BIN_S = 0.004  # one peak for this many seconds is finer than a pixel of the widest strip

AUDIBLE_SHARE = 0.01  # of the highest peak of a sentence, -40 dB: what stays below is heard as silence
LEAST_SILENCE_S = 0.02
LEAST_PHONE_S = 0.02  # a devoiced vowel at the end has no sound of its own, and a stop at the beginning little; each keeps this much


@dataclass(frozen=True, slots=True)
class SoundSpan:
    """A stretch of a line's sound, in seconds from its beginning, silences included."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class LineSpans:
    """The times at which the morae and the marks of a reading sound."""

    moras: tuple[SoundSpan, ...]
    marks: tuple[SoundSpan, ...]


@dataclass(frozen=True, slots=True)
class _BegunSentence:
    """A sentence whose sound is coming in: where it begins in the line, in seconds and in bins of the outline."""

    index: int
    start_s: float
    first_bin: int
    bin_s: float


def find_sounding_span(peaks: Float32, bin_s: float) -> tuple[float, float] | None:
    """Return the seconds [start, end) in which a sentence is heard, None where it nowhere is; `peaks` (n,) has one of each `bin_s`."""
    audible = np.flatnonzero(_find_audible_bins(peaks))
    return (float(audible[0]) * bin_s, float(audible[-1] + 1) * bin_s) if len(audible) else None


def fit_timings_to_sound(timings: Sequence[PhoneTiming], peaks: Float32, bin_s: float) -> tuple[PhoneTiming, ...]:
    """Return the timings of a sentence with each pause where nothing is heard.

    Args:
        timings: of all its phones, as the voice's frames have them.
        peaks: the loudest sample of every `bin_s`, float32 (n,), from the first sample of the sentence on.
    """
    audible = _find_audible_bins(peaks)
    if not audible.any():
        return tuple(timings)
    borders = [timings[0].start_s, *(timing.end_s for timing in timings)]
    is_pause = [mora == NO_INDEX for mora in map_phones_to_moras([timing.phone for timing in timings])]
    # Runs of marks and `_`, [first, end).
    for first in (index for index in range(len(is_pause)) if is_pause[index] and not (index and is_pause[index - 1])):
        end = next((index for index in range(first, len(is_pause)) if not is_pause[index]), len(is_pause))
        if (silence := _find_silence(borders, first, end, audible, bin_s)) is not None:
            _move_borders(borders, first, end, *silence)
    # A phone between two pauses may be shorter than what each of them leaves to it.
    ordered = np.minimum(np.maximum.accumulate(borders), borders[-1]).tolist()
    return tuple(replace(timing, start_s=start, end_s=end) for timing, start, end in zip(timings, ordered[:-1], ordered[1:], strict=True))


def _find_audible_bins(peaks: Float32) -> NDArray[np.bool_]:
    audible: NDArray[np.bool_] = peaks > AUDIBLE_SHARE * peaks.max(initial=0.0)
    return audible


def _find_silence(borders: Sequence[float], first: int, end: int, audible: NDArray[np.bool_], bin_s: float) -> tuple[float, float] | None:
    """Return the seconds of the longest silence between the last phone before a pause and the first one behind it, None where there is none."""
    is_opening, is_closing = first == 0, end == len(borders) - 1
    # The last phone may have sounded before its own frames, in its consonant; the first one may be heard after them, as a stop's burst.
    searched_s = borders[max(0, first - 2)], borders[min(end + 2, len(borders) - 1)]
    low, high = (min(len(audible), round(second / bin_s)) for second in searched_s)
    sounding = np.flatnonzero(audible[low:high]) + low
    if not len(sounding):
        return None
    # What is outside the sentence is silent, whatever is heard of its sound.
    edges = np.concatenate(([low - 1 if is_opening else sounding[0]], sounding, [high if is_closing else sounding[-1]]))
    gap = 0 if is_opening else len(edges) - 2 if is_closing else int(np.argmax(np.diff(edges)))
    start_s, end_s = float(edges[gap] + 1) * bin_s, float(edges[gap + 1]) * bin_s
    start_s, end_s = borders[0] if is_opening else start_s, borders[-1] if is_closing else end_s
    touches_pause = start_s <= borders[end] and end_s >= borders[first]
    return (start_s, end_s) if is_opening or is_closing or (touches_pause and end_s - start_s >= LEAST_SILENCE_S) else None


def _move_borders(borders: list[float], first: int, end: int, start_s: float, end_s: float) -> None:
    """Put a pause of the phones [first, end) into these seconds, in place; the phones around it keep a little of the sound."""
    if first:
        borders[first] = start_s
        borders[first - 1] = min(borders[first - 1], max(borders[max(0, first - 2)], start_s - LEAST_PHONE_S))
    if end < len(borders) - 1:
        borders[end] = end_s
        borders[end + 1] = max(borders[end + 1], min(end_s + LEAST_PHONE_S, borders[min(end + 2, len(borders) - 1)]))
    for index in range(first + 1, end):
        borders[index] = min(max(borders[index], start_s), end_s)


class LineSound:
    """Collects the chunks of one request as they are made."""

    def __init__(self, request_id: str, recipe: int = 0) -> None:
        self.request_id, self.recipe = request_id, recipe  # recipe: that of the voice that spoke, by its number; 0 where that is not known
        self.length_s = self.spoken_s = 0.0  # seconds of all chunks so far, with and without the silences around the speech
        self.is_whole = False  # the last chunk has come
        self.pitches_hz: tuple[float | None, ...] = ()  # of each mora, None for one that is not voiced; empty until they are measured
        self._peaks = np.zeros(256, np.float32)
        self._count = 0
        self._remainder = np.zeros(0, np.float32)
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

        Once all of a sentence is there, its pauses are where nothing is heard.
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

    def add_chunk(self, chunk: AudioChunk) -> None:
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
        samples = np.concatenate((self._remainder, np.abs(chunk.samples)))
        count = len(samples) // size
        self._append_peaks(samples[: count * size].reshape(count, size).max(axis=1, initial=0.0))
        self._remainder = samples[count * size :]
        if self._begun is not None and chunk.last:
            self._end_sentence(self._begun)

    def _end_sentence(self, begun: _BegunSentence) -> None:
        """Fit the timings of a sentence, all of which has come, to its sound."""
        self._begun = None
        peaks = self._peaks[begun.first_bin : self._count]
        if (span := find_sounding_span(peaks, begun.bin_s)) is not None:
            self._spans[begun.index] = SoundSpan(*(begun.start_s + second for second in span))
        if (timed := self._sentences.get(begun.index)) is not None:
            self._sentences[begun.index] = timed[0], fit_timings_to_sound(timed[1], peaks, begun.bin_s)

    def compute_spans(self, reading: LineReading) -> LineSpans | None:
        """Return the times of all morae and marks; None where the sound has other morae, or the voice reports no timings.

        Sentences that have not been made yet are at the end, with length 0.
        """
        moras: list[SoundSpan] = []
        marks: list[SoundSpan] = []
        end = 0.0
        for index, offset in enumerate(reading.offsets):
            following = reading.offsets[index + 1] if index + 1 < len(reading.offsets) else None
            mora_end, mark_end = (following.moras, following.marks) if following else (len(reading.moras), len(reading.marks))
            start, timings = self._sentences.get(index, (end, ()))
            names = [timing.phone for timing in timings]
            for spans, owners, count in (
                (moras, map_phones_to_moras(names), mora_end - offset.moras),
                (marks, map_phones_to_marks(names), mark_end - offset.marks),
            ):
                own_spans = _build_spans(timings, owners, start)
                if timings and len(own_spans) != count:
                    return None
                spans += own_spans or [SoundSpan(end, end)] * count
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
    spans: dict[int, SoundSpan] = {}
    for owner, timing in zip(owners, timings, strict=True):
        if owner >= 0:
            begun = spans[owner].start_s if owner in spans else start_s + timing.start_s
            spans[owner] = SoundSpan(begun, start_s + timing.end_s)
    return [spans[owner] for owner in sorted(spans)]
