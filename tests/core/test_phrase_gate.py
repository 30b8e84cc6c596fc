"""However slow the decoder is, nothing is missing inside a phrase; and where it is fast, nothing waits. Time is counted, not measured."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.phrase_gate import PhraseGate, SpeakingPace, list_resting_places
from app.core.synthesis_types import AudioChunk, PhoneTiming, StageTiming

RATE, FRAME_S = 1000, 0.025
WINDOWS, MARGIN = (12, 28, 76, 160), 4
PAUSE_S, END_S, TAIL_FRAMES = 0.3, 0.2, 2


@dataclass
class CountedTime:
    """A computer with one clock: the decoder moves it on, and meanwhile the device plays.

    Attributes:
        gaps: seconds that were missing where nobody pauses.
        heard: everything in its order.
    """

    cost: float
    now: float = 0.0
    ends: float = 0.0
    gaps: list[float] = field(default_factory=list)
    heard: list[np.ndarray] = field(default_factory=list)
    may_wait: bool = True
    first_at: float | None = None

    @property
    def queued_s(self) -> float:
        return max(0.0, self.ends - self.now)

    def write_chunk(self, chunk: AudioChunk) -> None:
        late = self.now - self.ends
        if late > 1e-9 and not self.may_wait:
            self.gaps.append(late)
        self.ends = max(self.ends, self.now + chunk.delay_s) + len(chunk.samples) / RATE
        if len(chunk.samples) and self.first_at is None:
            self.first_at = self.now + chunk.delay_s
        self.may_wait = chunk.may_wait or chunk.silence
        self.heard.append(chunk.samples)

    def decode_window(self, frames: int) -> StageTiming:
        taken_s = self.cost * (frames + 2 * MARGIN) * FRAME_S
        self.now += taken_s
        return StageTiming("a", 0, "decode", taken_s * 1000, False, False, 0, 0, frames + 2 * MARGIN, frames * 25)


def build_timings(phrases: list[float]) -> tuple[PhoneTiming, ...]:
    """A sentence of phrases of so many seconds, with a comma between two."""
    timings, at = [PhoneTiming("_", 0, 0.0, 0.1)], 0.1
    for index, length in enumerate(phrases):
        mark, pause = ("_", END_S) if index == len(phrases) - 1 else (",", PAUSE_S)
        timings += [PhoneTiming("a", 0, at, at + length), PhoneTiming(mark, 0, at + length, at + length + pause)]
        at += length + pause
    return tuple(timings)


def speak(computer: CountedTime, pace: SpeakingPace, sentences: list[list[float]], *, prepares_first: bool = False) -> PhraseGate:
    gate = PhraseGate(pace=pace, player=computer, clock=lambda: computer.now, prepares_first=prepares_first)
    gate.add_chunk(AudioChunk(np.zeros(0, np.float32), RATE, "a", 0, silence=True))
    made = 0
    for phrases in sentences:
        timings = build_timings(phrases)
        left, index, phones = round(timings[-1].end_s / FRAME_S) + TAIL_FRAMES, 0, timings
        while left:
            count = min(left, WINDOWS[min(index, 3)])
            pace.add_stage(computer.decode_window(count))
            gate.add_chunk(AudioChunk(np.arange(made, made + count * 25, dtype=np.float32), RATE, "a", 0, phones=phones))
            made, left, index, phones = made + count * 25, left - count, index + 1, ()
    gate.add_chunk(AudioChunk(np.zeros(0, np.float32), RATE, "a", 0, silence=True, last=True))
    assert np.array_equal(np.concatenate(computer.heard), np.arange(made)), "all of it, once and in order"
    return gate


def create_pace(ratio: float | None = None) -> SpeakingPace:
    return SpeakingPace(tuple(size * FRAME_S for size in WINDOWS), 2 * MARGIN * FRAME_S, FRAME_S, ratio)


LENGTHS = st.lists(st.lists(st.floats(0.15, 6.0), min_size=1, max_size=4), min_size=1, max_size=3)


@given(LENGTHS, st.floats(0.01, 8.0), st.one_of(st.none(), st.floats(0.01, 8.0)))
def test_nothing_is_missing_inside_a_phrase(sentences: list[list[float]], cost: float, kept: float | None) -> None:
    computer = CountedTime(cost)
    speak(computer, create_pace(kept if kept is None or kept >= cost else None), sentences)
    assert computer.gaps == []


@pytest.mark.parametrize("slower", [1.5, 3.0, 8.0])
def test_a_decoder_that_becomes_slower_between_two_lines_breaks_no_word(slower: float) -> None:
    pace = create_pace()
    speak(CountedTime(0.4), pace, [[1.5, 2.0], [3.0]])
    busy = CountedTime(0.4 * slower)
    gate = speak(busy, pace, [[1.5, 2.0], [3.0]])
    assert busy.gaps == []
    assert gate.waited_s > 0
    assert busy.ends >= gate.waited_s + sum(map(len, busy.heard)) / RATE


def test_what_is_fast_enough_sounds_at_once() -> None:
    computer = CountedTime(0.2)
    gate = speak(computer, create_pace(), [[2.0, 3.0]])
    assert (computer.gaps, gate.waited_s) == ([], 0.0)
    assert computer.first_at == pytest.approx(0.2 * (WINDOWS[0] + 2 * MARGIN) * FRAME_S)


def test_a_delay_that_is_shorter_than_the_next_piece_takes_is_all_that_is_waited_for() -> None:
    computer = CountedTime(0.6)
    gate = speak(computer, create_pace(), [[0.7]])
    first_s = 0.6 * (WINDOWS[0] + 2 * MARGIN) * FRAME_S
    assert computer.gaps == []
    assert 0 < gate.waited_s < 0.6 * (WINDOWS[1] + 2 * MARGIN) * FRAME_S
    assert computer.first_at == pytest.approx(first_s + gate.waited_s)


def test_who_prepares_first_hears_a_phrase_when_all_of_it_is_there() -> None:
    computer = CountedTime(0.2)
    gate = speak(computer, create_pace(), [[4.0]], prepares_first=True)
    assert computer.first_at == pytest.approx(computer.now)
    assert gate.waited_s > 0


def test_a_line_may_wait_in_its_pauses_and_at_its_end() -> None:
    assert list_resting_places(build_timings([1.0, 2.0])) == pytest.approx([0.1 + 1.0 + PAUSE_S - 0.02, 0.1 + 3.0 + PAUSE_S + END_S])
    short = (PhoneTiming("a", 0, 0.0, 1.0), PhoneTiming(",", 0, 1.0, 1.05), PhoneTiming("a", 0, 1.05, 2.0))
    assert list_resting_places(short) == [2.0], "a mark that is hardly heard is none"


def test_a_cached_stage_says_nothing_of_the_pace() -> None:
    pace = create_pace(0.5)
    pace.add_stage(StageTiming("a", 0, "decode", 0.0, False, True, 0, 0, 100, 2500))
    pace.add_stage(StageTiming("a", 0, "decode", 9000.0, True, False, 0, 0, 100, 2500))
    assert pace.ratio == 0.5
    pace.add_stage(StageTiming("a", 0, "decode", 2500.0, False, False, 0, 0, 100, 2500))
    assert 0.5 < pace.ratio < 1.0
