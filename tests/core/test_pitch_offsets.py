"""The melody by hand as a curve: held where a mora is voiced, changed where nothing is, and heard as it was drawn."""

from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.adapters.world_pitch import WorldPitchEstimator
from app.common.errors import InputError
from app.core.sound.line_melody import measure_mora_pitches
from app.core.sound.melody import TRANSITION_S, build_offset_curve, list_voiced_spans
from app.core.sound.pipeline import Pipeline
from app.core.sound.pitch_shift import PitchChange, PitchShift
from app.core.sound.ports import STEPS_PER_FRAME, SingleGraphInput
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.core.synthesis_types import Float32, Int64, MoraOverride, Overrides, PhoneTiming, SynthesisRequest
from app.core.text.phone_ids import count_moras
from tests.core.numpy_voice import NumpyVoice, traits
from tests.core.test_pitch_shift import voiced

RATE = 16000
LENGTH_S = 0.2
MORAS = st.lists(st.sampled_from([("a",), ("n", "a"), ("k", "a"), ("q",), ("N",), (",",)]), min_size=1, max_size=8)
SEMITONES = st.floats(-12, 12)


def time_phones(*phones: str, length_s: float = LENGTH_S) -> list[PhoneTiming]:
    ends = list(accumulate([length_s] * len(phones)))
    return [PhoneTiming(phone, 0, end - length_s, end) for phone, end in zip(phones, ends, strict=True)]


def offsets_at(timings: list[PhoneTiming], offsets: list[float], *times_s: float) -> list[float]:
    curve = build_offset_curve(timings, offsets)
    assert curve is not None
    return [round(float(found), 6) for found in curve.find_offsets(np.array(times_s))]


def test_nothing_drawn_is_no_curve() -> None:
    assert build_offset_curve(time_phones("_", "a", "_"), ()) is None
    assert build_offset_curve(time_phones("_", "a", "_"), (0.0,)) is None
    assert build_offset_curve((), (3.0,)) is None, "a voice without timings"
    assert build_offset_curve(time_phones("_", "q", "_"), (3.0,)) is None, "nothing to move"


def test_a_change_lies_around_the_border_or_in_what_has_no_pitch() -> None:
    half = TRANSITION_S / 2
    assert offsets_at(time_phones("a", "a"), [0, 4], 0.2 - half, 0.2, 0.2 + half) == [0, 2, 4]
    assert offsets_at(time_phones("a", "k", "a"), [0, 4], 0.2, 0.3, 0.4) == [0, 2, 4]
    assert offsets_at(time_phones("a", "q", "a"), [0, 9, 4], 0.2, 0.3, 0.4) == [0, 2, 4], "a closed mora has no say"


def test_a_mark_keeps_the_offset_before_it_and_the_ends_keep_theirs() -> None:
    timings = time_phones("_", "a", ",", "a", ".", "_")
    assert offsets_at(timings, [2, -3], 0.0, 0.3, 0.6 - TRANSITION_S, 0.6, 1.2) == [2, 2, 2, -3, -3]


@given(MORAS, st.data(), st.floats(0.01, 0.3))
def test_the_middle_of_each_voiced_mora_has_what_was_drawn_and_nothing_leaves_its_range(
    moras: list[tuple[str, ...]], data: st.DataObject, length_s: float
) -> None:
    timings = time_phones(*(phone for mora in moras for phone in mora), length_s=length_s)
    count = count_moras([timing.phone for timing in timings])
    offsets = data.draw(st.lists(SEMITONES, min_size=count, max_size=count))
    curve = build_offset_curve(timings, offsets)
    if curve is None:
        return
    assert list(curve.times_s) == sorted(curve.times_s)
    found = curve.find_offsets(np.linspace(0, timings[-1].end_s, 200))
    assert found.max() <= max(offsets) + 1e-9
    assert found.min() >= min(offsets) - 1e-9
    for span, offset in zip(list_voiced_spans(timings), offsets, strict=True):
        if span is not None:
            assert curve.find_offsets(np.array([sum(span) / 2]))[0] == pytest.approx(offset, abs=1e-6)


def test_steps_are_the_curve_in_the_middle_of_each_half_frame() -> None:
    voice = traits(sampling_rate=800, hop_length=8)
    curve = build_offset_curve(time_phones("a", "a"), [0, 4])
    assert curve is not None
    steps = curve.build_steps(40, voice)
    assert steps.dtype == np.float32
    assert steps.shape == (STEPS_PER_FRAME, 40)
    assert np.allclose(steps.T.ravel(), curve.find_offsets((np.arange(80, dtype=np.float64) + 0.5) * 0.005), atol=1e-6)
    smearing = replace(voice, architecture=replace(KOKORO_ARCHITECTURE, takes_melody=False, styles_by_speaker=False))
    sharpened = curve.build_steps(40, smearing)
    assert sharpened.max() > 4.2, "what the voice takes from a change is given to it before"
    assert np.allclose(sharpened[:, [0, -1]], steps[:, [0, -1]])


def shift(samples: Float32, timings: list[PhoneTiming], offsets: tuple[float, ...], pieces: int = 1) -> Float32:
    stage = PitchShift(PitchChange(mora_offsets=offsets), WorldPitchEstimator(), RATE, build_offset_curve(timings, offsets))
    made = [np.zeros(0, np.float32)]
    for piece in np.array_split(samples, pieces):
        stage.feed_samples(piece)
        while stage.is_ready:
            made.append(stage.shift_block())
    stage.end_input()
    while stage.is_ready:
        made.append(stage.shift_block())
    return np.concatenate(made)


@settings(max_examples=5, deadline=None)
@given(st.lists(st.floats(-6, 6), min_size=6, max_size=6), st.integers(2, 40))
def test_the_pitch_stage_moves_each_mora_as_drawn_however_its_sound_comes(offsets: list[float], pieces: int) -> None:
    timings = time_phones(*"aaaaaa")
    samples = voiced(150, 6 * LENGTH_S, RATE)
    whole = shift(samples, timings, tuple(offsets))
    assert np.array_equal(whole, shift(samples, timings, tuple(offsets), pieces))
    found = measure_mora_pitches(whole, RATE, timings, WorldPitchEstimator())
    moved = [12 * np.log2(pitch / 150) for pitch in found if pitch is not None]
    assert len(moved) == len(offsets)
    # The outer ones have silence beside them, where a tracker sees less.
    assert np.allclose(moved[1:-1], offsets[1:-1], atol=0.5)


TEXT = "かきくけこ、さしすせそ。"


def speak(pipeline: Pipeline, request: SynthesisRequest) -> Float32:
    return np.concatenate([chunk.samples for chunk in pipeline.synthesize(request)])


def draw(*pitches: float | None) -> Overrides:
    return Overrides(moras=tuple(MoraOverride(mora, pitch=pitch) for mora, pitch in enumerate(pitches)))


@pytest.mark.parametrize("takes_offset", [True, False])
def test_only_what_depends_on_it_runs_again_and_none_is_the_same_rendering(takes_offset: bool) -> None:
    voice = NumpyVoice()
    pipeline = Pipeline(voice, voice, voice, "numpy", voice, False, traits(flow_pitch_offset=takes_offset), tracker=voice)
    plain = speak(pipeline, SynthesisRequest(TEXT))
    runs = dict(voice.runs)
    assert np.array_equal(speak(pipeline, SynthesisRequest(TEXT, overrides=draw(0.0, None))), plain)
    assert voice.runs == runs
    speak(pipeline, SynthesisRequest(TEXT, overrides=draw(None, 2.0)))
    ran = {name for name in voice.runs if voice.runs[name] != runs.get(name)}
    assert ran == ({"flow", "decode"} if takes_offset else {"pitch"})
    offset = voice.frame_inputs[-1].pitch_offset
    assert (offset is not None and offset.max() == 2.0) == takes_offset


def test_what_is_drawn_is_not_scaled_by_the_intonation() -> None:
    """A voice whose flow takes it leaves it to the pitch stage then, which scales what the flow made."""
    voice = NumpyVoice()
    pipeline = Pipeline(voice, voice, voice, "numpy", voice, False, traits(flow_pitch_offset=True), tracker=voice)
    speak(pipeline, SynthesisRequest(TEXT, intonation=1.5, overrides=draw(None, 2.0)))
    assert voice.frame_inputs[-1].pitch_offset is None
    assert "pitch" in voice.runs


def test_each_sentence_has_its_own_morae() -> None:
    voice = NumpyVoice()
    pipeline = Pipeline(voice, voice, voice, "numpy", voice, False, traits(flow_pitch_offset=True), tracker=voice)
    speak(pipeline, SynthesisRequest("abc。def。", overrides=draw(None, None, None, None, 5.0)))
    first, second = voice.frame_inputs
    assert first.pitch_offset is None
    assert second.pitch_offset is not None
    assert second.pitch_offset.max() == 5.0


def test_a_voice_of_one_graph_is_moved_where_it_says_when_its_morae_sound() -> None:
    voice = NumpyVoice()
    pipeline = Pipeline(voice, voice, voice, "numpy", voice, True, traits(), tracker=voice)
    request = SynthesisRequest(TEXT, overrides=draw(None, 2.0))
    assert len(speak(pipeline, request)) == len(speak(pipeline, SynthesisRequest(TEXT)))
    assert "pitch" in voice.runs
    silent = Untimed()
    pipeline = Pipeline(silent, silent, silent, "numpy", silent, True, traits(), tracker=silent)
    with pytest.raises(InputError, match="Numpy"):
        speak(pipeline, request)


class Untimed(NumpyVoice):
    """One graph that reports no frames."""

    def synthesize(self, values: SingleGraphInput) -> tuple[Float32, Int64 | None]:
        return super().synthesize(values)[0], None
