"""Keeps sound back until it can be heard to the next pause without a gap: a computer that is busy makes pauses longer, and breaks no word.

How much has to be ready follows from the pace of the voice: how long it takes here and now for a second of sound.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from app.core.sound.voice_traits import VoiceTraits
from app.core.symbols import EDGE_SYMBOL, PUNCTUATION
from app.core.synthesis_types import AudioChunk, PhoneTiming, StageTiming

SHORTEST_PAUSE_S = 0.08  # a shorter mark is no place to stop

SPEECH_LEAD_S = 0.02  # before the end of a pause the next phrase is heard already

END_TOLERANCE_S = 0.1  # silence that may be missing at the end of a sentence

MEMORY_S = 0.5  # seconds of sound after which a measurement counts for a third only: a computer is busy now, and not a moment later

SAFETY = 1.2  # the next pieces may take this much longer than the last ones

PIECE_OVERHEAD_S = 0.02  # what passes between the end of a piece's computing and its first sample in the queue of the device


def list_resting_places(phones: tuple[PhoneTiming, ...]) -> list[float]:
    """Return the seconds of a sentence at which it may wait: near the end of each pause, and at its own end."""
    is_silent = [timing.phone in PUNCTUATION or timing.phone == EDGE_SYMBOL for timing in phones]
    places = [
        timing.end_s - SPEECH_LEAD_S
        for timing, silent, next_silent in zip(phones, is_silent, is_silent[1:], strict=False)
        if silent and not next_silent and timing.end_s - timing.start_s >= SHORTEST_PAUSE_S and timing.start_s > 0
    ]
    return [*places, phones[-1].end_s]


class QueueingPlayer(Protocol):
    """A sink that is heard."""

    @property
    def queued_s(self) -> float:
        """Return the seconds of sound that it has still to play."""

    def write_chunk(self, chunk: AudioChunk) -> None:
        """Queue a chunk."""


@dataclass(slots=True)
class SpeakingPace:
    """The pace of one voice; it changes with what else the computer does."""

    window_s: tuple[float, ...]  # seconds of sound that the decoder makes at once, in order; the last one repeats
    margin_s: float  # seconds that it computes on both sides of these and drops
    frame_s: float
    ratio: float | None = None  # seconds of computing for a second in the decoder, with what it drops; None before anything was measured
    _last: float = field(default=0.0, repr=False)
    _busy_s: float = field(default=0.0, repr=False)

    @classmethod
    def from_voice(cls, voice: VoiceTraits, ratio: float | None) -> SpeakingPace:
        """Return the pace of a voice; `ratio` is what was measured before, or None."""
        frame_s = voice.hop_length / voice.sampling_rate
        return cls(tuple(size * frame_s for size in voice.windows), 2 * voice.margin_frames * frame_s, frame_s, ratio)

    def add_stage(self, timing: StageTiming) -> None:
        """Add what a stage took; what came from a cache says nothing, and what ran for the first time only as long as nothing else is known."""
        if timing.cache_hit or (timing.cold and self.ratio is not None):
            return
        if timing.stage == "pitch":
            self._busy_s += timing.ms / 1000
        elif timing.stage == "decode" and timing.frames:
            made_s = timing.frames * self.frame_s
            measured = (timing.ms / 1000 + self._busy_s) / made_s
            ratio = measured if self.ratio is None else self.ratio
            self.ratio = measured + (ratio - measured) * math.exp(-made_s / MEMORY_S)
            self._last, self._busy_s = measured, 0.0

    def predict_waits(self, pieces_made: int, missing_s: float, left_s: float) -> tuple[float, float]:
        """Return the seconds until the next piece is there, and how many seconds of sound last until all are.

        Args:
            pieces_made: pieces of the sentence that are there.
            missing_s: seconds of sound that are not, to the next pause.
            left_s: those to the end of the sentence.
        """
        if self.ratio is None:
            return 0.0, 0.0
        next_s = needed_s = made_s = busy_s = 0.0
        while left_s > 0 and made_s < missing_s:
            piece_s = min(self.window_s[min(pieces_made, len(self.window_s) - 1)], left_s)
            busy_s += SAFETY * max(self.ratio, self._last) * (piece_s + self.margin_s) + PIECE_OVERHEAD_S
            next_s = next_s or busy_s
            needed_s = max(needed_s, busy_s - made_s)
            made_s += piece_s
            left_s -= piece_s
            pieces_made += 1
        return next_s, needed_s


@dataclass(slots=True, kw_only=True)
class PhraseGate:
    """Passes the chunks of a request to the player, in the thread that computes them. What reports no times passes as it comes."""

    pace: SpeakingPace | None  # of the voice that speaks now; None lets everything pass
    player: QueueingPlayer
    clock: Callable[[], float] = time.perf_counter
    prepares_first: bool = False  # nothing of a phrase is heard before all of it is there
    waited_s: float = 0.0  # how long the player had nothing to play because sound was kept back
    _held_chunks: list[AudioChunk] = field(default_factory=list)
    _made_s: float = 0.0
    _pieces_made: int = 0
    _places: deque[float] = field(default_factory=deque)
    _is_sounding: bool = False
    _silent_since: float | None = None

    @property
    def is_holding(self) -> bool:
        """Return whether sound is kept back now."""
        return bool(self._held_chunks)

    def add_chunk(self, chunk: AudioChunk, skipped_s: float = 0.0) -> None:
        """Take the next chunk of the request, and hand over what can be heard; `skipped_s`: seconds of the sentence before it that are not to be heard."""
        if chunk.phones or chunk.silence or chunk.last:
            self._end_stretch()
            self._places = deque(list_resting_places(chunk.phones) if chunk.phones and self.pace is not None else ())
            self._made_s, self._pieces_made = 0.0, 0
        self._made_s += skipped_s
        while len(self._places) > 1 and self._places[0] <= self._made_s:
            self._places.popleft()
        if chunk.silence or chunk.last or not self._places:
            self.player.write_chunk(chunk)
            return
        if not len(chunk.samples):
            return
        self._pieces_made += 1
        self._add_to_stretches(chunk)

    def _add_to_stretches(self, chunk: AudioChunk) -> None:
        """Cut a chunk at the resting places, but not at the end of the sentence: it may sound a little longer than its phones."""
        rate = chunk.sampling_rate
        while len(self._places) > 1 and (missing_s := self._places[0] - self._made_s) <= len(chunk.samples) / rate:
            count = max(1, round(missing_s * rate))
            self._hold_chunk(replace(chunk, samples=chunk.samples[:count]))
            self._end_stretch()
            self._places.popleft()
            chunk = replace(chunk, samples=chunk.samples[count:], phones=())
        if not len(chunk.samples):
            return
        self._hold_chunk(chunk)
        if self._is_sounding:
            self._release(may_wait=self._is_at_end())
        elif (delay_s := self._find_delay_s()) is not None:
            self._release(delay_s, may_wait=self._is_at_end())

    def _hold_chunk(self, chunk: AudioChunk) -> None:
        if not self._held_chunks and not self._is_sounding:
            self._silent_since = self.clock() + self.player.queued_s
        self._held_chunks.append(chunk)
        self._made_s += len(chunk.samples) / chunk.sampling_rate

    def _find_delay_s(self) -> float | None:
        """Return after how many seconds of silence the phrase can be heard to its end; None where the next piece has to be there first."""
        if self._is_at_end():
            return 0.0
        queued_s, missing_s = self.player.queued_s, self._places[0] - self._made_s
        held_s = sum(len(chunk.samples) / chunk.sampling_rate for chunk in self._held_chunks)
        assert self.pace is not None
        next_s, needed_s = self.pace.predict_waits(self._pieces_made, missing_s, self._places[-1] - self._made_s)
        delay_s = max(0.0, needed_s - held_s - queued_s)
        # What is queued would be silent as well.
        return None if self.prepares_first or delay_s > (0.0 if queued_s else next_s) else delay_s

    def _is_at_end(self) -> bool:
        """Return whether nothing but silence is missing of the sentence; some of that is cut off, so that it never comes."""
        return len(self._places) == 1 and self._places[0] - self._made_s <= END_TOLERANCE_S

    def _release(self, delay_s: float = 0.0, *, may_wait: bool = False) -> None:
        if not self._held_chunks:
            return
        if self._silent_since is not None:
            self.waited_s += max(0.0, self.clock() - self._silent_since) + delay_s
        self._is_sounding, self._silent_since = True, None
        chunks, self._held_chunks = self._held_chunks, []
        chunks[0] = replace(chunks[0], delay_s=delay_s)
        chunks[-1] = replace(chunks[-1], may_wait=may_wait)
        for chunk in chunks:
            self.player.write_chunk(chunk)

    def _end_stretch(self) -> None:
        """Release what is there: a pause follows, in which the player may wait."""
        self._release(may_wait=True)
        self._is_sounding = False
