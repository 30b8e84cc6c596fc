"""Lines that are measured before they sound, and keep to their measure."""

from dataclasses import replace

import numpy as np
import pytest

from app.common.errors import InputError
from app.core.sound.fixed_durations import FixedSentence, measure_durations, read_sentences, synthesize_fixed
from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import SynthesisRequest
from tests.core.numpy_voice import HOP, NumpyVoice, traits

REQUEST = SynthesisRequest("かか。か、か。")


def pipeline(voice: NumpyVoice, *, opaque: bool = False) -> Pipeline:
    return Pipeline(voice, voice, voice, "numpy", voice, opaque, traits(), tracker=voice)


def lengths(sentences: list[FixedSentence]) -> list[int]:
    return [sentence.total * HOP for sentence in sentences]


@pytest.mark.parametrize("speed", [1.0, 1.7])
def test_the_sound_has_the_measured_length(speed: float) -> None:
    voice, request = NumpyVoice(), replace(REQUEST, speed=speed)
    over = pipeline(voice)
    found = measure_durations(over, request, read_sentences(over, request))
    assert "decode" not in voice.runs
    pieces = list(synthesize_fixed(over, request, found))
    assert sum(map(len, pieces)) == sum(lengths(found))
    assert voice.runs["prosody"] == 2  # once a sentence: it is remembered
    again = pipeline(NumpyVoice())
    assert np.array_equal(np.concatenate(list(synthesize_fixed(again, request, found))), np.concatenate(pieces))


def test_frames_that_are_given_are_kept_and_others_are_the_voices() -> None:
    over = pipeline(NumpyVoice())
    plain = measure_durations(over, REQUEST, read_sentences(over, REQUEST))
    frames = list(plain[0].frames)
    frames[1], frames[2] = 40, None
    found = measure_durations(over, REQUEST, [replace(plain[0], frames=tuple(frames)), plain[1]])
    assert found[0].frames == (plain[0].frames[0], 40, *plain[0].frames[2:])
    assert sum(map(len, synthesize_fixed(over, REQUEST, found))) == sum(lengths(found))


def test_a_pitch_keeps_the_length() -> None:
    over = pipeline(NumpyVoice())
    found = measure_durations(over, REQUEST, read_sentences(over, REQUEST))
    moved = replace(REQUEST, pitch=3.0, intonation=0.5)
    assert sum(map(len, synthesize_fixed(over, moved, found))) == sum(lengths(found))


def test_a_voice_of_one_graph_is_measured_by_its_sound() -> None:
    voice = NumpyVoice()
    over = pipeline(voice, opaque=True)
    found = measure_durations(over, REQUEST, read_sentences(over, REQUEST))
    assert voice.runs["synthesis"] == 2
    assert sum(map(len, synthesize_fixed(over, REQUEST, found))) == sum(lengths(found))
    assert voice.runs["synthesis"] == 2


def test_nothing_to_read_and_nobody_who_waits() -> None:
    over = pipeline(NumpyVoice())
    with pytest.raises(InputError, match="nothing"):
        read_sentences(over, SynthesisRequest("。。"))
    sentences = read_sentences(over, REQUEST)
    with pytest.raises(RequestStopped):
        measure_durations(over, REQUEST, sentences, cancelled=lambda: True)
    found = measure_durations(over, REQUEST, sentences)
    assert list(synthesize_fixed(over, REQUEST, found, cancelled=lambda: True)) == []
