"""Sound that is played while it is made, on a clock of our own: no gap as long as making is faster than hearing."""

from dataclasses import replace

import numpy as np
import pytest

from app.core.sound.pipeline import Pipeline
from app.core.sound.ports import FrameInput, Prosody, ProsodyInput
from app.core.synthesis_types import AudioChunk, Float32, Int64, SynthesisRequest
from tests.core.numpy_voice import HOP, RATE, NumpyVoice, traits

EDGE_S = 1e-9


class Clock:
    """Seconds that pass only when something is computed or waited for."""

    def __init__(self) -> None:
        self.now_s = 0.0


class SlowVoice(NumpyVoice):
    """Takes its time: `rtf` for frames and samples, `text_s` for the BERT and the prosody of a sentence."""

    def __init__(self, clock: Clock, rtf: float, text_s: float) -> None:
        super().__init__()
        self._clock, self._rtf, self._text_s = clock, rtf, text_s

    def run_graph(self, token_ids: Int64) -> Float32:
        self._clock.now_s += self._text_s / 2
        return super().run_graph(token_ids)

    def run_prosody(self, values: ProsodyInput) -> Prosody:
        self._clock.now_s += self._text_s / 2
        return super().run_prosody(values)

    def run_flow(self, values: FrameInput) -> Float32:
        self._clock.now_s += values.z_p.shape[1] * HOP / RATE * self._rtf * 0.2
        return super().run_flow(values)

    def decode_window(
        self, z: Float32, noise: Float32 | None, speaker: int, wanted: tuple[int, int], style_vector: Float32 | None = None
    ) -> Float32:
        frames = 0.2 * z.shape[1] + 0.8 * (wanted[1] - wanted[0])  # SBV2 decoders drop their context after a fifth of the work
        self._clock.now_s += frames * HOP / RATE * self._rtf * 0.8
        return super().decode_window(z, noise, speaker, wanted)


class Sink:
    """Plays in time, holds `room_s` at most, and measures the gaps."""

    def __init__(self, clock: Clock, room_s: float) -> None:
        self._clock, self._room_s = clock, room_s
        self._until_s: float | None = None
        self.gaps_s: list[float] = []

    def queued_s(self) -> float:
        return max(0.0, (self._until_s or 0.0) - self._clock.now_s)

    def write_chunk(self, chunk: AudioChunk) -> None:
        now_s = self._clock.now_s
        if self._until_s is None:
            self._until_s = now_s
        elif now_s > self._until_s + EDGE_S:
            self.gaps_s.append(now_s - self._until_s)
            self._until_s = now_s
        self._until_s += len(chunk.samples) / RATE
        self._clock.now_s = max(now_s, self._until_s - self._room_s)  # waits for room


def gaps_s(text: str, rtf: float, text_s: float, room_s: float = 30.0, *, ahead: bool = True) -> list[float]:
    clock = Clock()
    voice, sink = SlowVoice(clock, rtf, text_s), Sink(clock, room_s)
    over = Pipeline(voice, voice, voice, "slow", voice, False, replace(traits(), windows=(6, 12, 28, 32)))
    request = SynthesisRequest(text, noise_w=0.0)
    for chunk in over.synthesize(request, queued_s=sink.queued_s if ahead else lambda: 0.0):
        if not chunk.silence:
            sink.write_chunk(chunk)
    return sink.gaps_s


@pytest.mark.parametrize("rtf", [0.1, 0.3, 0.5])  # the margins of small windows come on top
def test_no_gap_within_or_between_sentences(rtf: float) -> None:
    letters = "abcdefghij"
    text = "".join(letters[number % 10] * (12 + 5 * (number % 4)) + "。" for number in range(12))
    assert gaps_s(text, rtf, text_s=0.2) == []


@pytest.mark.parametrize(("rtf", "text_s"), [(0.1, 0.1), (0.3, 0.5), (0.3, 1.9), (0.5, 0.2)])
def test_running_ahead_never_makes_a_gap(rtf: float, text_s: float) -> None:
    text = "".join(f"{letter * 40}。" for letter in "abcdef")
    assert len(gaps_s(text, rtf, text_s)) <= len(gaps_s(text, rtf, text_s, ahead=False))


def test_the_clock_sees_gaps_where_making_is_slower_than_hearing() -> None:
    assert gaps_s("a" * 60 + "。", rtf=1.5, text_s=0.1)


def test_sound_is_the_same_at_any_pace() -> None:
    over = [Pipeline(voice, voice, voice, "n", voice, False, traits()) for voice in (NumpyVoice(), NumpyVoice())]
    request = SynthesisRequest("abcabcabc。defdefdef。")
    sounds = [
        np.concatenate([chunk.samples for chunk in each.synthesize(request, queued_s=lambda waits=waits: waits)])
        for each, waits in zip(over, (0.0, 99.0), strict=True)
    ]
    assert np.array_equal(sounds[0], sounds[1])
