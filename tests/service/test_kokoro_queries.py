"""Queries of a voice that takes a melody: their lengths and their pitches are those of the sound."""

from dataclasses import replace

import httpx
import numpy as np
import pytest

from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.core.synthesis_types import SynthesisRequest
from app.service.query_synthesizer import QuerySynthesizer
from app.service.routes_query import parse_kana
from app.service.voicevox_query import HIGH, LOW, AudioQuery, QueryMora, QueryTextMemory
from tests.pitch_measures import pitch_of
from tests.service.conftest import serving
from tests.service.test_query_synthesizer import edited, length_s, sound
from tests.tiny_models.kokoro_voice import HOP, MEDIAN_HZ, RATE, make_kokoro_voice

FRAME_S = HOP / RATE


@pytest.fixture(scope="module")
def kokoro(tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    return open_speaker(str(make_kokoro_voice(tmp_path_factory.mktemp("voices") / "tiny-kokoro")))


def speech(voice: Speaker, texts: QueryTextMemory | None = None, speaker: int = 0) -> QuerySynthesizer:
    return QuerySynthesizer(voice.pipeline, SynthesisRequest("", speaker=speaker), texts or QueryTextMemory())


def moras_of(query: AudioQuery) -> list[QueryMora]:
    return [mora for phrase in query.accent_phrases for mora in phrase.moras]


def measure_vowels(query: AudioQuery, samples: np.ndarray, rate: int = RATE) -> list[float]:
    """The logarithms of the measured pitch of each vowel, as the query says where it is; NaN where none is clear."""
    at, found = query.pre_s, []
    for phrase in query.accent_phrases:
        for mora in phrase.moras:
            at += (mora.consonant_length or 0) / query.speed
            end = at + mora.vowel_length / query.speed
            # A wider stretch, as the measure needs several periods; its median is that of the vowel.
            clear = pitch_of(samples[round((at - 0.03) * rate) : round((end + 0.03) * rate)].astype(np.float32), rate)
            clear = clear[np.isfinite(clear)]
            found.append(float(np.log(np.median(clear))) if len(clear) else np.nan)
            at = end
        at += phrase.pause_mora.vowel_length / query.speed if phrase.pause_mora else 0
    return found


@pytest.mark.parametrize("speaker", [0, 1])
@pytest.mark.parametrize("text", ["雨が降る。", "飴を食べる、学校へ行った。", "お元気ですか？"])
def test_pitches_are_those_of_the_sound(kokoro: Speaker, text: str, speaker: int) -> None:
    query = speech(kokoro, speaker=speaker).create_query(text)
    measured = measure_vowels(query, sound(speech(kokoro, speaker=speaker), query))
    pairs = [(mora.pitch, heard) for mora, heard in zip(moras_of(query), measured, strict=True) if mora.pitch and np.isfinite(heard)]
    # As in VOICEVOX, the rise of a question is no part of a query.
    pairs = pairs[:-1] if text.endswith("？") else pairs
    assert len(pairs) > 3
    # Two semitones: within a mora the pitch moves by more than that at times.
    assert np.median([abs(told - heard) for told, heard in pairs]) < np.log(2) / 6
    told, heard = np.array(pairs).T
    assert np.corrcoef(told, heard)[0, 1] > 0.85


def test_lengths_of_queries_are_those_of_the_sound(kokoro: Speaker) -> None:
    texts = QueryTextMemory()
    for speed in (1.0, 1.4):
        query = replace(speech(kokoro, texts).create_query("飴を食べる、学校へ行った。"), speed=speed)
        assert all(mora.vowel_length >= FRAME_S for mora in moras_of(query))
        assert len(sound(speech(kokoro, texts), query)) / RATE == pytest.approx(length_s(query), abs=FRAME_S)


def test_a_falling_and_a_rising_word_have_other_pitches(kokoro: Speaker) -> None:
    fall, rise = ([mora.pitch for mora in moras_of(speech(kokoro).create_query(text))[:2]] for text in ("雨。", "飴。"))
    assert fall[0] > fall[1] + 0.1
    assert rise[1] > rise[0] + 0.1
    assert np.mean(fall + rise) == pytest.approx(np.log(MEDIAN_HZ[1]), abs=0.4)


def test_what_has_no_pitch_keeps_none(kokoro: Speaker) -> None:
    query = speech(kokoro).create_query("学校、行った。")
    assert [mora.pitch for mora in moras_of(query) if mora.vowel == "cl"] == [0.0, 0.0]
    assert all(mora.pitch > 0 for mora in moras_of(query) if mora.vowel != "cl")
    pauses = [phrase.pause_mora for phrase in query.accent_phrases if phrase.pause_mora]
    assert pauses
    assert all(pause.pitch == 0.0 and pause.vowel_length > 0 for pause in pauses)


def test_a_query_that_comes_back_sounds_as_the_line_does(kokoro: Speaker) -> None:
    query = speech(kokoro).create_query("雨が降る。")
    samples = sound(speech(kokoro), query)
    request = SynthesisRequest("雨が降る。", pre_silence_s=0, post_silence_s=0)
    spoken = np.concatenate([chunk.samples for chunk in kokoro.pipeline.synthesize(request)])
    # The opening of the voice is as long as the silence before, and the sound is held back to be where the query has it.
    lead = round(KOKORO_ARCHITECTURE.sound_lead_s * RATE)
    assert not samples[:lead].any()
    common = min(len(samples) - lead, len(spoken))
    assert np.array_equal(samples[lead : lead + common], spoken[:common])
    assert not spoken[common:].any()
    assert not samples[lead + common :].any()


def test_a_query_without_silence_before_it_loses_nothing_of_its_first_mora(kokoro: Speaker) -> None:
    query = speech(kokoro).create_query("雨が降る。")
    plain, bare = (sound(speech(kokoro), one) for one in (query, replace(query, pre_s=0.0)))
    assert np.array_equal(bare, plain[round(query.pre_s * RATE) :])
    assert np.flatnonzero(plain)[0] == pytest.approx(query.pre_s * RATE, abs=0.005 * RATE)


def test_scales_of_the_query_act_on_the_sound_and_not_on_its_pitches(kokoro: Speaker) -> None:
    base = SynthesisRequest("", pitch=3.0, intonation=0.0)
    own = QuerySynthesizer(kokoro.pipeline, base, QueryTextMemory())
    plain = speech(kokoro).create_query("雨が降る。")
    assert [mora.pitch for mora in moras_of(own.create_query("雨が降る。"))] == [mora.pitch for mora in moras_of(plain)]
    flat = pitch_of(sound(speech(kokoro), replace(plain, intonation=0.0, pitch=0.25)).astype(np.float32), RATE)
    assert np.nanmedian(flat) == pytest.approx(MEDIAN_HZ[1] * 2 ** (3 / 12), rel=0.02)


def test_an_accent_that_is_edited_gives_other_pitches(kokoro: Speaker) -> None:
    texts = QueryTextMemory()
    query = speech(kokoro, texts).create_query("雨。")
    level = (replace(query.accent_phrases[0], accent=2),)
    first, second = (mora.pitch for mora in speech(kokoro, texts).apply_accent_pitches(level)[0].moras)
    assert second > first + 0.1
    longer = edited(query, 0, vowel_length=0.5)
    assert len(sound(speech(kokoro, texts), longer)) - len(sound(speech(kokoro, texts), query)) == pytest.approx(
        (0.5 - query.accent_phrases[0].moras[0].vowel_length) * RATE, abs=HOP
    )


def test_phrases_in_kana_have_spaces_between_them(kokoro: Speaker) -> None:
    """As a text has: a query that nobody knows the text of lasts as long."""
    query = speech(kokoro).create_query("雨が降る。")
    known = sound(speech(kokoro), query)
    spelled = sound(speech(kokoro), replace(query, kana=""))
    assert len(known) == len(spelled)
    phrases = speech(kokoro).apply_voice_lengths(parse_kana("ア'メガ/フ'ル"))
    # The space belongs to the phone before it.
    assert phrases[0].moras[-1].vowel_length == pytest.approx(moras_of(query)[2].vowel_length)


def test_voices_without_a_melody_keep_the_picture(mei: Speaker) -> None:
    assert {mora.pitch for mora in moras_of(speech(mei).create_query("雨が降る。"))} == {LOW, HIGH}


def test_over_http(kokoro: Speaker) -> None:
    with serving(kokoro, [kokoro.voice]) as url, httpx.Client(base_url=url, timeout=30) as client:
        low, high = (speaker["styles"][0]["id"] for speaker in client.get("/speakers").json()[:2])
        query = client.post("/audio_query", params={"text": "雨が降る。", "speaker": low}).json()
        phrases = query["accent_phrases"]
        pitches = [mora["pitch"] for mora in phrases[0]["moras"]]
        assert pitches[0] > pitches[1] + 0.1
        lower = client.post("/mora_pitch", params={"speaker": low}, json=phrases).json()
        assert [mora["pitch"] for mora in lower[0]["moras"]] == pytest.approx(pitches, abs=0.02)
        higher = client.post("/mora_pitch", params={"speaker": high}, json=phrases).json()
        expected = np.array(pitches) + np.log(MEDIAN_HZ[2] / MEDIAN_HZ[1])
        assert [mora["pitch"] for mora in higher[0]["moras"]] == pytest.approx(expected.tolist(), abs=0.02)
        answer = client.post("/synthesis", params={"speaker": low}, json=query)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "audio/wav"


def test_english_is_spoken_by_our_own_route_and_never_by_voicevoxs(kokoro: Speaker) -> None:
    with serving(kokoro, [kokoro.voice]) as url, httpx.Client(base_url=url, timeout=30) as client:
        style = client.get("/speakers").json()[0]["styles"][0]["id"]
        body = {"text": "Hello、雨。"}
        plain, english = (client.post("/v1/timings", json=body | how).json() for how in ({}, {"latin": "english"}))
        assert (plain["reading"], english["reading"]) == ("ハロオアメ", "həˈloʊアメ")
        assert [mora["kana"] for mora in english["moras"]] == ["hə", "ˈloʊ", "ア", "メ"]
        assert english["phones"][0]["start_s"] == 0
        assert english["phones"][-1]["end_s"] == english["length_s"]
        sound = client.post("/v1/speak", json=body | {"latin": "english", "format": "pcm"}).content
        assert sound != client.post("/v1/speak", json=body | {"format": "pcm"}).content
        assert client.post("/v1/speak", json=body | {"latin": "latin"}).status_code == 422
        query = client.post("/audio_query", params={"text": body["text"], "speaker": style}).json()
        assert "".join(mora["text"] for phrase in query["accent_phrases"] for mora in phrase["moras"]) == "ハロオアメ"
