"""A voice of the Kokoro architecture, opened and spoken as every voice is; its sound tells the pitch that its graphs were given."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.common.errors import VoiceError
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker, record_speaker
from app.core.script.script import LineCast
from app.core.sound.fixed_durations import FixedSentence, compute_phone_pitches, measure_durations, read_sentences, synthesize_fixed
from app.core.sound.render_caches import RenderCaches
from app.core.sound.voice_traits import SpeakerBlend
from app.core.synthesis_types import (
    AudioChunk,
    MoraOverride,
    Overrides,
    PauseOverride,
    PhoneTiming,
    ReadingOverride,
    StageTiming,
    SynthesisRequest,
)
from app.engine.speech_job_runner import iterate_cast_chunks
from tests.pitch_measures import pitch_of, semitones_between
from tests.tiny_models.kokoro_voice import HOP, LEAD_STEPS, MEDIAN_HZ, OWN_HZ, RATE, STEP, make_kokoro_voice

RAIN, SWEET = SynthesisRequest("雨が降る。"), SynthesisRequest("飴を食べる。")
STAGES = ("text", "g2p", "prosody", "flow", "decode", "audio")
FRAME_S = HOP / RATE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kokoro_voice(tmp_path_factory.mktemp("voices") / "tiny-kokoro")


@pytest.fixture
def speaker(folder: Path) -> Speaker:
    return open_speaker(str(folder))


def speak(speaker: Speaker, request: SynthesisRequest) -> tuple[list[AudioChunk], list[StageTiming]]:
    timings: list[StageTiming] = []
    return [chunk for chunk in speaker.pipeline.synthesize(request, timings.append) if not chunk.silence], timings


def sound(speaker: Speaker, request: SynthesisRequest) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in speak(speaker, request)[0]])


def timings_of(speaker: Speaker, request: SynthesisRequest) -> list[PhoneTiming]:
    return [phone for chunk in speak(speaker, request)[0] for phone in chunk.phones]


def length_s(timing: PhoneTiming) -> float:
    return timing.end_s - timing.start_s


def voiced_hz(samples: np.ndarray) -> np.ndarray:
    pitch = pitch_of(samples.astype(np.float32), RATE)
    return pitch[np.isfinite(pitch)]


def run_stages(speaker: Speaker, request: SynthesisRequest) -> set[str]:
    """The stages that had to run."""
    return {timing.stage for timing in speak(speaker, request)[1] if not timing.cache_hit}


def test_it_is_opened_without_a_bert_and_reports_the_stages_it_has(speaker: Speaker) -> None:
    assert speaker.bert == ""
    assert set(speaker.sessions) == {"prosody", "flow", "decoder"}
    _, timings = speak(speaker, RAIN)
    assert list(dict.fromkeys(timing.stage for timing in timings)) == list(STAGES)
    _, again = speak(speaker, RAIN)
    assert list(dict.fromkeys(timing.stage for timing in again)) == list(STAGES)
    assert {timing.stage for timing in again if not timing.cache_hit} == {"text", "audio"}


def test_timings_add_up_to_the_audio(speaker: Speaker) -> None:
    chunks, stages = speak(speaker, SynthesisRequest("雨が降る、飴を食べる。"))
    timings = chunks[0].phones
    assert timings[0].start_s == 0
    assert all(before.end_s == after.start_s for before, after in itertools.pairwise(timings))
    frames = next(stage.frames for stage in stages if stage.stage == "flow")
    assert timings[-1].end_s == pytest.approx(frames * FRAME_S)
    samples = sum(len(chunk.samples) for chunk in chunks)
    assert samples <= frames * HOP
    assert samples / RATE > timings[-1].start_s - FRAME_S, "only the last silence may be cut"
    assert all(length_s(timing) >= FRAME_S - 1e-9 for timing in timings)


def test_lengths_and_pauses_by_hand_are_exact(speaker: Speaker) -> None:
    request = SynthesisRequest("雨が降る、飴。")
    edits = Overrides(moras=(MoraOverride(1, length_s=0.5),), pauses=(PauseOverride(0, 0.75),))
    plain, edited = timings_of(speaker, request), timings_of(speaker, replace(request, overrides=edits))
    assert [timing.phone for timing in edited] == [timing.phone for timing in plain]
    assert sum(length_s(timing) for timing in edited[2:4]) == pytest.approx(0.5)
    mark = next(index for index, timing in enumerate(edited) if timing.phone == ",")
    assert length_s(edited[mark]) == pytest.approx(0.75)
    rest = [index for index in range(len(plain)) if index not in (2, 3, mark)]
    assert [length_s(edited[index]) for index in rest] == pytest.approx([length_s(plain[index]) for index in rest])
    quick = timings_of(speaker, replace(request, pauses={",": 0.4}, speed=2.0))
    assert length_s(quick[mark]) == pytest.approx(0.2)


def test_accents_are_heard(speaker: Speaker) -> None:
    """雨 falls and 飴 rises; the model's own pitch is level."""
    for request, direction in ((RAIN, -1), (SWEET, 1)):
        timings, samples = timings_of(speaker, request), sound(speaker, request)
        first, second = (
            np.median(voiced_hz(samples[round(timing.start_s * RATE) : round(timing.end_s * RATE)])) for timing in (timings[1], timings[3])
        )
        assert direction * 12 * np.log2(second / first) > 1.5


def first_sound_s(samples: np.ndarray) -> float:
    return float(np.flatnonzero(np.abs(samples) > 0.1)[0]) / RATE


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.6, 2.0])
def test_every_sentence_is_heard_from_its_first_mora(speaker: Speaker, speed: float) -> None:
    """The voice is silent for longer than the opening that is heard."""
    for text in ("雨が降る。", "飴、雨。雨が降る。"):
        chunks = speak(speaker, SynthesisRequest(text, speed=speed))[0]
        for sentence in sorted({chunk.sentence for chunk in chunks}):
            found = [chunk for chunk in chunks if chunk.sentence == sentence]
            samples, first = np.concatenate([chunk.samples for chunk in found]), found[0].phones[1]
            assert first_sound_s(samples) == pytest.approx(first.start_s, abs=FRAME_S / 2)
            assert first.start_s == pytest.approx(5 * FRAME_S - LEAD_STEPS * STEP / RATE, abs=FRAME_S / 2)


@pytest.mark.parametrize("opening", [0, 2, 5, 30])
def test_a_fixed_opening_says_how_much_is_heard_and_takes_nothing_of_the_first_mora(speaker: Speaker, opening: int) -> None:
    (sentence,) = measure_durations(speaker.pipeline, RAIN, read_sentences(speaker.pipeline, RAIN))
    assert sentence.frames[0] == 5
    fixed = replace(sentence, frames=(opening, *sentence.frames[1:]))
    plain, cut = (np.concatenate(list(synthesize_fixed(speaker.pipeline, RAIN, [item]))) for item in (sentence, fixed))
    moved = (opening - 5) * HOP
    assert len(cut) - len(plain) == moved
    assert first_sound_s(cut) == pytest.approx(max(0.0, first_sound_s(plain) + moved / RATE), abs=FRAME_S / 2)


def test_pitch_and_intonation_reach_the_voice(speaker: Speaker) -> None:
    plain = sound(speaker, RAIN)
    raised = sound(speaker, replace(RAIN, pitch=4.0))
    assert np.median(semitones_between(plain, raised, RATE)) == pytest.approx(4, abs=0.1)
    for number, median in enumerate(MEDIAN_HZ[1:3]):
        flat = voiced_hz(sound(speaker, replace(RAIN, speaker=number, intonation=0.0)))
        assert flat == pytest.approx(np.full(len(flat), median), rel=0.02)
    blend = voiced_hz(sound(speaker, replace(RAIN, style=1, intonation=0.0)))
    assert np.median(blend) == pytest.approx(MEDIAN_HZ[3], rel=0.01)


def test_the_accent_fidelity_goes_from_its_own_melody_to_ours(speaker: Speaker) -> None:
    for number, own in enumerate(OWN_HZ[1:3]):
        level = replace(RAIN, speaker=number, intonation=0.0)
        heard = [np.median(voiced_hz(sound(speaker, replace(level, accent_fidelity=share)))) for share in (0.0, 0.5, 0.75, 1.0)]
        assert heard == pytest.approx([own, own, np.sqrt(own * MEDIAN_HZ[1 + number]), MEDIAN_HZ[1 + number]], rel=0.01)


@pytest.mark.parametrize("takes_offset", [True, False], ids=["in its flow", "prepared before"])
def test_a_drawn_melody_is_heard_whatever_the_fidelity(speaker: Speaker, takes_offset: bool) -> None:
    voice = replace(speaker.pipeline.voice, flow_pitch_offset=takes_offset)
    over = replace(speaker, pipeline=replace(speaker.pipeline, voice=voice))
    drawn = Overrides(moras=tuple(MoraOverride(mora, pitch=4.0) for mora in range(5)))
    request = replace(RAIN, accent_fidelity=0.5, intonation=0.5)
    moved = semitones_between(sound(over, request), sound(over, replace(request, overrides=drawn)), RATE)
    assert np.median(moved) == pytest.approx(4.0, abs=0.1)
    assert ("pitch" in run_stages(over, replace(request, overrides=drawn, speed=1.1))) != takes_offset


def test_a_question_rises(speaker: Speaker) -> None:
    asked, said = (sound(speaker, SynthesisRequest(f"飴{mark}")) for mark in "？。")
    assert voiced_hz(asked)[-1] > voiced_hz(said)[-1] * 1.15


@pytest.mark.parametrize(
    ("changes", "stages"),
    [
        ({}, set()),
        ({"volume": 0.5}, set()),
        ({"seed": 9}, set()),
        ({"sdp_ratio": 1.0, "noise": 1.0, "noise_w": 0.0, "bert_weight": 0.5}, set()),
        ({"assist_text": "嬉しい", "assist_weight": 1.0}, set()),
        ({"pitch": 2.0}, {"flow", "decode"}),
        ({"intonation": 0.5}, {"flow", "decode"}),
        ({"accent_fidelity": 0.5}, {"flow", "decode"}),
        ({"speed": 1.5}, {"flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(0, length_s=0.5),))}, {"flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(0, pitch=2.0),))}, {"flow", "decode"}),
        ({"overrides": Overrides(moras=(MoraOverride(1, tone=1),))}, {"prosody", "flow", "decode"}),
        ({"speaker": 1}, {"prosody", "flow", "decode"}),
        ({"style": 1}, {"prosody", "flow", "decode"}),
    ],
    ids=lambda value: ",".join(sorted(value)) or "nothing",
)
def test_what_has_to_run_again(speaker: Speaker, changes: dict[str, object], stages: set[str]) -> None:
    sound(speaker, RAIN)
    assert run_stages(speaker, replace(RAIN, **changes)) == {"text", "audio"} | stages  # type: ignore[arg-type]


def test_what_comes_from_a_cache_is_what_would_have_been_made(speaker: Speaker, folder: Path) -> None:
    changed = [replace(RAIN, pitch=3.0), replace(RAIN, accent_fidelity=0.0), RAIN, replace(RAIN, intonation=2.0), replace(RAIN, seed=5)]
    for request in changed:
        assert np.array_equal(sound(speaker, request), sound(open_speaker(str(folder)), request))


def test_seeds_are_one_rendering(folder: Path) -> None:
    one, other = (sound(open_speaker(str(folder)), replace(RAIN, seed=seed)) for seed in (1, 2))
    assert np.array_equal(one, other)
    assert np.abs(one).max() > 0.1


def test_windows_give_the_sound_of_the_whole(speaker: Speaker) -> None:
    whole = replace(speaker.pipeline, voice=replace(speaker.pipeline.voice, windows=(4096,)), caches=RenderCaches())
    request = SynthesisRequest("雨が降る、飴を食べる、学校へ行く。")
    expected = np.concatenate([chunk.samples for chunk in whole.synthesize(request) if not chunk.silence])
    chunks = speak(speaker, request)[0]
    assert len(chunks) > 2
    assert np.abs(np.concatenate([chunk.samples for chunk in chunks]) - expected).max() < 1e-5


def test_it_is_cancelled_between_two_windows(speaker: Speaker) -> None:
    heard: list[AudioChunk] = []
    for chunk in speaker.pipeline.synthesize(SynthesisRequest("雨が降る、飴を食べる。"), cancelled=lambda: len(heard) > 1):
        heard.append(chunk)
    assert len(heard) == 2
    assert not heard[-1].last
    assert speaker.pipeline.caches.renderings.get(None) is None
    assert run_stages(speaker, SynthesisRequest("雨が降る、飴を食べる。")) == {"text", "flow", "decode", "audio"}


def test_it_warms_up_and_is_recorded(speaker: Speaker) -> None:
    speaker.pipeline.warm_up()
    recorded, sessions = record_speaker(speaker)
    assert set(sessions) == {"prosody", "flow", "decoder"}
    sound(replace(recorded, pipeline=replace(recorded.pipeline, caches=RenderCaches())), RAIN)
    assert all(session.runs for session in sessions.values())


def test_voices_with_a_bert_and_without_follow_each_other(folder: Path) -> None:
    mei = open_speaker("mei")
    expected = {"mei": sound(mei, RAIN), "kokoro": sound(open_speaker(str(folder)), RAIN)}
    kokoro = open_speaker(str(folder), reuse_from=mei)
    assert np.array_equal(sound(kokoro, RAIN), expected["kokoro"])
    again = open_speaker("mei", reuse_from=kokoro)
    assert np.array_equal(sound(again, RAIN), expected["mei"])
    assert "bert" in again.sessions


def test_fixed_lengths_are_kept_to_the_sample_and_pitches_are_those_of_the_sound(speaker: Speaker) -> None:
    pipeline, request = speaker.pipeline, replace(RAIN, pitch=1.0)
    sentences = measure_durations(pipeline, request, read_sentences(pipeline, request))
    samples = np.concatenate(list(synthesize_fixed(pipeline, request, sentences)))
    assert len(samples) == sum(sentence.total for sentence in sentences) * HOP
    # The sound leads its frames.
    pitches, ends = compute_phone_pitches(pipeline, request, sentences[0]), np.cumsum(sentences[0].frames) * HOP - LEAD_STEPS * STEP
    assert len(pitches) == len(sentences[0].phones.phones)
    for phone, pitch_hz, start, end in zip(sentences[0].phones.phones[1:], pitches[1:], ends[:-1], ends[1:], strict=True):
        if phone in "aiueo":
            turns = np.abs(np.diff(np.signbit(samples[start:end]))).sum() / 2  # whole waves, to half of one
            assert turns * RATE / (end - start) == pytest.approx(pitch_hz, abs=0.6 * RATE / (end - start))


def test_a_voice_without_a_melody_has_no_pitches() -> None:
    pipeline = open_speaker("mei").pipeline
    sentences = measure_durations(pipeline, RAIN, read_sentences(pipeline, RAIN))
    assert compute_phone_pitches(pipeline, RAIN, sentences[0]) == ()


@pytest.fixture
def spaced_and_not(speaker: Speaker) -> list[FixedSentence]:
    """The same phones, with a space between two phrases and without."""
    sentence = read_sentences(speaker.pipeline, RAIN)[0]
    joined = replace(sentence, phones=replace(sentence.phones, phrases=(0,)))
    assert joined.phones == sentence.phones
    return [sentence, joined]


def test_phones_in_other_phrases_are_no_hit_in_the_cache(speaker: Speaker, spaced_and_not: list[FixedSentence]) -> None:
    totals = [measure_durations(speaker.pipeline, RAIN, [sentence])[0].total for sentence in spaced_and_not]
    assert totals[0] == totals[1] + 1, "the space lasts one frame"


def test_a_blend_that_is_kept_nowhere_is_heard_between_its_speakers(speaker: Speaker) -> None:
    low, high = (median_of(speaker, SpeakerBlend("", "low", "high", share)) for share in (0.0, 1.0))
    middle = median_of(speaker, SpeakerBlend("between", "low", "high", 0.5))
    assert middle == pytest.approx(np.sqrt(low * high), rel=0.02)
    assert high > 1.3 * low
    assert list(speaker.pipeline.voice.styles.values()) == ["Neutral", "between"], "the voice keeps its own"
    with pytest.raises(VoiceError):
        speaker.pipeline.voice.add_blend(SpeakerBlend("", "low", "nobody", 0.5))


def median_of(speaker: Speaker, blend: SpeakerBlend) -> float:
    """The pitch of a line that a blend speaks."""
    cast = LineCast("", blend.first, blend.name, blend)
    chunks = iterate_cast_chunks(speaker.pipeline, RAIN, cast, lambda _timing: None, lambda: False, may_be_silent=False)
    return float(np.median(voiced_hz(np.concatenate([chunk.samples for chunk in chunks if not chunk.silence]))))


HELLO = SynthesisRequest("Hello、雨。")


def test_english_is_spoken_where_a_line_asks_for_it(speaker: Speaker) -> None:
    plain, english = timings_of(speaker, HELLO), timings_of(speaker, replace(HELLO, latin="english"))
    assert [item.phone for item in english if item.phone not in "_,."] == ["hə", "ˈloʊ", "a", "m", "e"]
    assert "h" in [item.phone for item in plain], "ハロー"
    assert run_stages(speaker, replace(HELLO, latin="english")) == {"text", "audio"}, "its sound is cached"
    assert [item.phone for item in timings_of(speaker, HELLO)] == [item.phone for item in plain], "and so is that of the katakana"


def test_a_text_without_english_has_the_same_samples_either_way(speaker: Speaker) -> None:
    assert np.array_equal(sound(speaker, RAIN), sound(speaker, replace(RAIN, latin="english")))
    assert run_stages(speaker, replace(RAIN, latin="english")) == {"text", "audio"}


def test_edits_count_the_syllables_of_english_words(speaker: Speaker) -> None:
    request = replace(HELLO, latin="english", overrides=Overrides(moras=(MoraOverride(1, length_s=0.4), MoraOverride(2, tone=1))))
    found = {item.phone: item for item in timings_of(speaker, request)}
    assert length_s(found["ˈloʊ"]) == pytest.approx(0.4, abs=2 * FRAME_S)
    assert found["a"].tone == 1


def test_what_is_english_alone_has_the_voices_own_melody(speaker: Speaker) -> None:
    alone = replace(HELLO, text="Hello.", latin="english")
    assert np.array_equal(sound(speaker, alone), sound(speaker, replace(alone, accent_fidelity=0.0)))
    assert not np.array_equal(sound(speaker, SWEET), sound(speaker, replace(SWEET, accent_fidelity=0.0)))


def test_phones_by_hand_are_heard_in_english_alone(speaker: Speaker) -> None:
    given = Overrides(readings=(ReadingOverride("Hello", "HH EH1 L OW0"),))
    english = replace(HELLO, latin="english", overrides=given)
    assert [item.phone for item in timings_of(speaker, english) if item.phone not in "_,."] == ["ˈhɛ", "loʊ", "a", "m", "e"]
    assert np.array_equal(sound(speaker, replace(HELLO, overrides=given)), sound(speaker, HELLO))
