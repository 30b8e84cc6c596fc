"""Another pitch over pulses whose places are known: lengths, pieces, silence, and what no voice should ever send."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.pipeline import Pipeline
from app.core.sound.pitch_shift import PitchChange, PitchShift
from app.core.sound.ports import PITCH_FRAME_S
from app.core.synthesis_types import AudioChunk, Float32, Float64, MoraOverride, Overrides, StageTiming, SynthesisRequest
from tests.core.numpy_voice import NumpyVoice, traits

RATE = 8000


class Known:
    """Says that all that is loud has one pitch, or two in turns of a second."""

    def __init__(self, *hz: float) -> None:
        self.hz = hz
        self.looked = 0

    def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
        self.looked = max(self.looked, len(samples))
        step = round(PITCH_FRAME_S * sampling_rate)
        frames = [samples[start : start + 4 * step] for start in range(0, len(samples), step)]
        return np.array([self.hz[0] if np.abs(frame).max(initial=0) > 0.1 else 0.0 for frame in frames])


def voiced(hz: float, length_s: float, rate: int = RATE) -> Float32:
    """Decaying pulses, one a period."""
    period = rate / hz
    sound = np.zeros(round(length_s * rate) + 200)
    ring = np.exp(-np.arange(200) / 20) * np.cos(2 * np.pi * 1100 * np.arange(200) / rate)
    for number in range(int(length_s * hz)):
        start = round(number * period)
        sound[start : start + 200] += 0.7 * ring
    return sound[: round(length_s * rate)].astype(np.float32)


def shifted(samples: Float32, change: PitchChange, tracker: Known, cuts: Iterable[int] = ()) -> list[Float32]:
    shift, pieces = PitchShift(change, tracker, RATE), []
    for piece in np.split(samples, sorted(min(cut, len(samples)) for cut in cuts)):
        shift.feed_samples(piece)
        while shift.is_ready:
            pieces.append(shift.shift_block())
    shift.end_input()
    while shift.is_ready:
        pieces.append(shift.shift_block())
    return pieces


def joined(pieces: list[Float32]) -> Float32:
    return np.concatenate([np.zeros(0, np.float32), *pieces])


def pulses(samples: Float32) -> Float64:
    """Distances of the loudest places of the periods, in samples."""
    loud = np.flatnonzero((samples[1:-1] > 0.25) & (samples[1:-1] >= samples[:-2]) & (samples[1:-1] > samples[2:])) + 1
    return np.diff([place for number, place in enumerate(loud) if number == 0 or place - loud[number - 1] > 20]).astype(float)


@pytest.mark.parametrize("semitones", [-6.0, -3.0, 3.0, 6.0])
def test_periods_have_the_wanted_distance(semitones: float) -> None:
    moved = joined(shifted(voiced(100, 3), PitchChange(semitones, 1), Known(100)))
    assert np.median(pulses(moved)) == pytest.approx(80 / 2 ** (semitones / 12), abs=1)


@given(
    st.lists(st.tuples(st.sampled_from(["voiced", "noise", "silence"]), st.floats(0.0, 1.2)), max_size=5),
    st.sampled_from([PitchChange(3, 1), PitchChange(-6, 1), PitchChange(0, 2), PitchChange(6, 0)]),
    st.lists(st.integers(0, 5 * RATE), max_size=8),
)
def test_how_it_was_cut_changes_no_bit_and_nothing_changes_the_length(
    parts: list[tuple[str, float]], change: PitchChange, cuts: list[int]
) -> None:
    draw = np.random.default_rng(3)
    made = {
        "voiced": lambda length_s: voiced(110, length_s),
        "noise": lambda length_s: (draw.standard_normal(round(length_s * RATE)) * 0.02).astype(np.float32),
        "silence": lambda length_s: np.zeros(round(length_s * RATE), np.float32),
    }
    samples = joined([made[kind](length_s) for kind, length_s in parts])
    whole, cut = joined(shifted(samples, change, Known(110))), joined(shifted(samples, change, Known(110), cuts))
    assert np.array_equal(whole, cut)
    assert len(whole) == len(samples)
    assert whole.dtype == np.float32
    assert np.abs(whole).max(initial=0) <= 1


def test_what_is_not_voiced_stays_as_it_is_to_the_bit() -> None:
    noise = (np.random.default_rng(1).standard_normal(2 * RATE) * 0.02).astype(np.float32)
    assert np.array_equal(joined(shifted(noise, PitchChange(5, 2), Known(100))), noise)
    between = joined([voiced(100, 1), noise, voiced(100, 1)])
    moved = joined(shifted(between, PitchChange(5, 1), Known(100)))
    kept = slice(RATE + RATE // 10, 3 * RATE - RATE // 10)
    assert np.array_equal(moved[kept], between[kept])
    assert not np.array_equal(moved[:RATE], between[:RATE])


@pytest.mark.parametrize("length", [0, 1, 7, 80, 400])
def test_the_shortest_sounds(length: int) -> None:
    samples = voiced(100, 1)[:length]
    assert len(joined(shifted(samples, PitchChange(4, 1.5), Known(100)))) == length


def test_what_is_no_number_stays_where_it_is() -> None:
    samples = voiced(100, 4)
    samples[2 * RATE] = np.nan
    moved = joined(shifted(samples, PitchChange(4, 1), Known(100)))
    assert np.flatnonzero(~np.isfinite(moved)).tolist() == [2 * RATE]

    class Nonsense(Known):
        def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
            return np.resize([np.nan, np.inf, -100.0, 1e9, 1e-9, 0.0], 7)

    assert np.array_equal(joined(shifted(voiced(100, 1), PitchChange(4, 1), Nonsense(1))), voiced(100, 1))


def test_pitch_alone_waits_for_one_block_and_little_is_looked_at_at_once() -> None:
    samples, tracker = voiced(100, 20), Known(100)
    shift = PitchShift(PitchChange(3, 1), tracker, RATE)
    waited = 0
    for start in range(0, len(samples), 400):
        shift.feed_samples(samples[start : start + 400])
        if shift.is_ready:
            assert len(shift.shift_block()) > 0.3 * RATE
            waited = start + 400
            break
    assert waited <= 0.8 * RATE
    joined(shifted(samples, PitchChange(3, 1), tracker))
    assert tracker.looked <= RATE + 1


def request(**changes: object) -> SynthesisRequest:
    return SynthesisRequest("abcdefghij" * 8 + "。kl。", id="r", seed=5, **changes)  # type: ignore[arg-type]


def pipeline(voice: NumpyVoice, *, opaque: bool = False) -> Pipeline:
    return Pipeline(voice, voice, voice, "numpy", voice, opaque, traits(), tracker=voice)


def test_off_is_off_and_on_is_a_stage_of_its_own() -> None:
    voice = NumpyVoice()
    timings: list[StageTiming] = []
    plain = list(pipeline(voice).synthesize(request(), timings.append))
    assert "pitch" not in voice.runs
    assert "pitch" not in {timing.stage for timing in timings}
    timings.clear()
    moved = list(pipeline(voice).synthesize(request(pitch=2.0), timings.append))
    stages = [timing for timing in timings if timing.stage == "pitch"]
    assert sum(timing.samples for timing in stages) == sum(len(chunk.samples) for chunk in plain if not chunk.silence)
    assert sum(len(chunk.samples) for chunk in moved) == sum(len(chunk.samples) for chunk in plain)
    assert [chunk.phones for chunk in moved if chunk.phones] == [chunk.phones for chunk in plain if chunk.phones]


@pytest.mark.parametrize("change", [{"pitch": 2.0}, {"intonation": 2.0}, {"overrides": Overrides(moras=(MoraOverride(1, pitch=3.0),))}])
def test_cancelling_works_between_blocks(change: dict[str, object]) -> None:
    voice, seen = NumpyVoice(), 0

    def on_stage(timing: StageTiming) -> None:
        nonlocal seen
        seen += timing.stage == "pitch"

    chunks: list[AudioChunk] = list(pipeline(voice).synthesize(request(**change), on_stage, lambda: seen == 2))
    assert seen == 2
    assert all(chunk.sentence == 0 for chunk in chunks)


def test_a_voice_of_one_graph_has_it_too() -> None:
    class Sounding(NumpyVoice):
        def synthesize(self, values: object) -> tuple[Float32, None]:
            self._count("synthesis")
            return voiced(70, 3, 800), None

    voice = Sounding()
    over = pipeline(voice, opaque=True)
    plain, moved = ([chunk.samples for chunk in over.synthesize(request(pitch=pitch))] for pitch in (0.0, 3.0))
    assert voice.runs["synthesis"] == 2, "two sentences; the second time both are remembered"
    assert len(joined(plain)) == len(joined(moved))
    assert not np.array_equal(joined(plain), joined(moved))
