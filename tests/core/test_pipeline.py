"""The pipeline as a whole, over a voice in plain numpy."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.common.errors import AppError, BackendError, InputError, VoiceError
from app.common.user_notices import set_notice_handler
from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES, RequestStopped
from app.core.synthesis_types import AudioChunk, MoraOverride, Overrides, PauseOverride, Phones, StageTiming, SynthesisRequest
from tests.core.numpy_voice import HOP, RATE, NumpyVoice, traits

REQUEST = SynthesisRequest("abc、de。fg。", id="r", seed=5)


def pipeline(voice: NumpyVoice | None = None, *, opaque: bool = False, **changes: object) -> Pipeline:
    voice = voice or NumpyVoice()
    return Pipeline(voice, voice, voice, "numpy", voice, opaque, traits(**changes))


def speak(request: SynthesisRequest, over: Pipeline | None = None) -> tuple[list[AudioChunk], list[StageTiming]]:
    timings: list[StageTiming] = []
    return list((over or pipeline()).synthesize(request, timings.append)), timings


def sound(request: SynthesisRequest, over: Pipeline | None = None) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in speak(request, over)[0] if not chunk.silence])


def test_every_stage_is_timed_in_order_with_sizes_and_marks() -> None:
    speaker = pipeline()
    _, timings = speak(REQUEST, speaker)
    first = [timing for timing in timings if timing.sentence == 0]
    assert list(dict.fromkeys(timing.stage for timing in first)) == list(PIPELINE_STAGES)
    assert all(timing.cold == (timing.stage not in [before.stage for before in timings[:place]]) for place, timing in enumerate(timings))
    by_stage = {timing.stage: timing for timing in first}
    assert by_stage["bert"].tokens == by_stage["tokenize"].tokens == len("abc,de.") + 2
    assert by_stage["flow"].frames > 0
    assert sum(timing.samples for timing in first if timing.stage == "decode") == by_stage["flow"].frames * HOP
    _, again = speak(REQUEST, speaker)
    assert {timing.stage for timing in again if not timing.cache_hit} == {"text", "audio"}
    assert list(dict.fromkeys(timing.stage for timing in again if timing.sentence == 0)) == list(PIPELINE_STAGES)
    assert not any(timing.cold for timing in again)


class BrokenVoice(NumpyVoice):
    """Computes no number from the third sample of a sentence on."""

    def decode_window(self, *arguments: Any, **named: Any) -> Any:
        return self._break(super().decode_window(*arguments, **named))

    def synthesize(self, values: Any) -> Any:
        samples, frames = super().synthesize(values)
        return self._break(samples), frames

    @staticmethod
    def _break(samples: Any) -> Any:
        samples = np.array(samples)
        samples[2:] = np.nan
        return samples


@pytest.mark.parametrize("opaque", [False, True])
@pytest.mark.parametrize("changes", [{}, {"pitch": 3.0}, {"volume": 2.0}])
def test_sound_that_is_no_number_reaches_nobody(opaque: bool, changes: dict[str, Any]) -> None:
    voice, heard = BrokenVoice(), list[AudioChunk]()
    speaker = Pipeline(voice, voice, voice, "numpy", voice, opaque, traits(), tracker=voice)
    for _again in range(2):
        with pytest.raises(VoiceError, match="computed no sound"):
            heard.extend(speaker.synthesize(replace(REQUEST, **changes), lambda _timing: None))
    assert all(np.isfinite(chunk.samples).all() for chunk in heard)


def test_a_style_weight_is_lowered_to_what_the_voice_takes_and_that_is_said() -> None:
    said: list[AppError] = []
    set_notice_handler(said.append)
    limited = pipeline(max_style_weight=2.0)
    assert np.array_equal(sound(replace(REQUEST, style_weight=7.0), limited), sound(replace(REQUEST, style_weight=2.0), pipeline()))
    sound(replace(REQUEST, style_weight=2.0), limited)
    set_notice_handler(None)
    assert [error.message for error in said] == ["The voice “Numpy” takes a style weight of up to 2; a line with 7 is spoken with that."]


def test_silence_sentences_and_the_end() -> None:
    chunks, _ = speak(replace(REQUEST, pre_silence_s=0.5, post_silence_s=0.25))
    assert [chunk.silence for chunk in chunks if chunk.silence or chunk.last] == [True, True]
    assert len(chunks[0].samples) == 0.5 * RATE
    assert chunks[0].silence
    assert len(chunks[-1].samples) == 0.25 * RATE
    assert chunks[-1].last
    assert [chunk.sentence for chunk in chunks[1:-1]] == sorted(chunk.sentence for chunk in chunks[1:-1])
    assert {chunk.sentence for chunk in chunks[1:-1]} == {0, 1}
    assert all(
        bool(chunk.phones) == (chunk.sentence != before.sentence or before.silence) for before, chunk in itertools.pairwise(chunks[:-1])
    )


def test_timings_add_up_to_the_audio() -> None:
    chunks, _ = speak(replace(REQUEST, text="abcdefg"))
    spoken = [chunk for chunk in chunks if not chunk.silence]
    timings = spoken[0].phones
    assert [timing.phone for timing in timings] == ["_", *["k", "a"] * 7, "_"]
    assert all(before.end_s == after.start_s for before, after in itertools.pairwise(timings))
    assert timings[-1].end_s == pytest.approx(sum(len(chunk.samples) for chunk in spoken) / RATE)


def test_windows_sound_like_one_piece() -> None:
    whole = sound(REQUEST, pipeline(windows=(10_000,)))
    windowed = sound(REQUEST)
    assert np.allclose(whole, windowed, atol=1e-6)


def test_the_same_seed_gives_the_same_samples_and_another_one_others() -> None:
    assert np.array_equal(sound(REQUEST), sound(REQUEST))
    other = sound(replace(REQUEST, seed=6))
    first = sound(REQUEST)
    assert len(first) != len(other) or not np.array_equal(first, other)


def test_the_schedule_does_not_depend_on_who_listens() -> None:
    slow = []
    for chunk in pipeline().synthesize(REQUEST):
        slow.append(len(chunk.samples))
        np.ones(100_000).sum()
    assert slow == [len(chunk.samples) for chunk in speak(REQUEST)[0]]


def test_speed_changes_length() -> None:
    quiet = replace(REQUEST, noise=0.0, noise_w=0.0)
    normal, fast = len(sound(quiet)), len(sound(replace(quiet, speed=2.0)))
    assert 0.5 <= fast / normal < 0.75  # not half: every symbol keeps at least one frame


def test_style_speaker_bert_weight_and_assist_reach_the_graphs() -> None:
    voice = NumpyVoice()
    over = pipeline(voice)
    speak(replace(REQUEST, text="a", style=1, style_weight=3.0, speaker=1, bert_weight=0.5), over)
    speak(replace(REQUEST, text="a", assist_text="zzz", assist_weight=1.0), over)
    first, second = voice.prosody_inputs
    assert np.allclose(first.style_vector, 3)
    assert first.speaker == 1
    assert np.allclose(first.features[0, 3], ord("a") / 2000, rtol=1e-3)  # float16
    assert np.ptp(second.features) < 1e-6
    assert second.features[0, 0] > first.features[0, 0]


def test_overrides_reach_tones_and_durations_unchanged() -> None:
    voice = NumpyVoice()
    edits = Overrides(moras=(MoraOverride(1, tone=1, length_s=0.5), MoraOverride(5, tone=1, length_s=0.3)), pauses=(PauseOverride(1, 0.7),))
    chunks, _ = speak(replace(REQUEST, overrides=edits), pipeline(voice))
    first, second = (chunk.phones for chunk in chunks if chunk.phones)
    assert [timing.tone for timing in first][1:7] == [0, 0, 1, 1, 0, 0]
    assert first[4].end_s - first[3].start_s == pytest.approx(0.5)
    end_mark = next(timing for timing in reversed(first) if timing.phone == ".")
    assert end_mark.end_s - end_mark.start_s == pytest.approx(0.7)
    assert second[1].tone == 1
    assert second[2].end_s - second[1].start_s == pytest.approx(0.3)


def test_pauses_by_mark_scale_with_speed() -> None:
    for speed in (0.5, 1.0, 2.0):
        chunks, _ = speak(replace(REQUEST, pauses={",": 0.4}, speed=speed))
        comma = next(timing for chunk in chunks for timing in chunk.phones if timing.phone == ",")
        assert comma.end_s - comma.start_s == pytest.approx(0.4 / speed, abs=HOP / RATE)


def test_a_run_of_marks_is_one_pause() -> None:
    chunks, _ = speak(replace(REQUEST, text="a!!!b", pauses={"!": 0.4}))
    marks = [timing for chunk in chunks for timing in chunk.phones if timing.phone == "!"]
    assert sum(timing.end_s - timing.start_s for timing in marks) == pytest.approx(0.4, abs=HOP / RATE)


def test_cancel_ends_at_the_next_yield() -> None:
    voice = NumpyVoice()
    heard: list[AudioChunk] = []
    request = replace(REQUEST, text="abcdefghij" * 20)
    heard.extend(pipeline(voice).synthesize(request, cancelled=lambda: len(heard) == 2))
    assert len(heard) == 2
    assert voice.runs["decode"] == 1


@pytest.mark.parametrize("error", [RequestStopped(), BackendError("the device is gone")])
def test_what_ends_a_cancelled_request_is_no_error(error: Exception) -> None:
    class Stopped(NumpyVoice):
        def run_flow(self, values: object) -> np.ndarray:
            nonlocal stop
            stop = True
            raise error

    stop = False
    voice = Stopped()
    assert [chunk.silence for chunk in pipeline(voice).synthesize(REQUEST, cancelled=lambda: stop)] == [True]
    stop = False
    with pytest.raises(type(error)):
        list(pipeline(voice).synthesize(REQUEST))


@pytest.mark.parametrize("text", ["", "   ", "。。。", "123"])
def test_nothing_readable_is_said_before_any_sound(text: str) -> None:
    with pytest.raises(InputError, match="nothing in this text"):
        speak(replace(REQUEST, text=text))


def test_unknown_style_and_speaker_name_those_there_are() -> None:
    for request in (replace(REQUEST, style=7), replace(REQUEST, speaker=-1)):
        with pytest.raises(VoiceError) as caught:
            speak(request)
        assert "0 " in caught.value.hint


def test_text_longer_than_bert_takes_is_read_in_pieces() -> None:
    voice = NumpyVoice()
    over = pipeline(voice)

    class LongSentences(NumpyVoice):
        def convert_sentence(self, text: str, readings: object = (), **how: bool) -> Phones:
            return voice.convert_sentence("a" * 1200)

    over.g2p = LongSentences()
    speak(replace(REQUEST, text="x"), over)
    assert voice.runs["bert"] == 2  # three pieces, two of them alike and so cached
    assert voice.prosody_inputs[0].features.shape == (1024, 2 * (2 * 1200 + 2) + 1)


def test_an_opaque_voice_streams_by_sentence() -> None:
    voice = NumpyVoice()
    chunks, timings = speak(REQUEST, pipeline(voice, opaque=True))
    assert list(dict.fromkeys(timing.stage for timing in timings if timing.sentence == 0)) == list(SINGLE_GRAPH_STAGES)
    assert voice.runs["synthesis"] == 2
    assert [chunk.phones[0].phone for chunk in chunks if chunk.phones] == ["_", "_"]


def test_lengths_that_an_opaque_voice_cannot_honour_are_refused() -> None:
    over = pipeline(opaque=True)
    for change in ({"pauses": {",": 0.2}}, {"overrides": Overrides(moras=(MoraOverride(0, length_s=0.2),))}):
        with pytest.raises(InputError, match="lengths"):
            speak(replace(REQUEST, **change), over)
    speak(replace(REQUEST, overrides=Overrides(moras=(MoraOverride(0, tone=1),))), over)


def test_a_long_text_is_held_within_bounds() -> None:
    """It has more sentences than are remembered, and every one of them is another."""
    over, sentences = pipeline(), 2100
    for _ in over.synthesize(replace(REQUEST, text="".join(f"{chr(0x4E00 + n)}い。" for n in range(sentences)))):
        pass
    assert over.caches.features.bytes_held + over.caches.prosody.bytes_held + over.caches.renderings.bytes_held <= 128 << 20
    assert len(over.caches.phones) <= 2048 < sentences


def test_warm_up_leaves_nothing_cold() -> None:
    over = pipeline()
    over.warm_up()
    _, timings = speak(REQUEST, over)
    assert not any(timing.cold for timing in timings)
