"""Queries and their sound: what a query tells is what is heard."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.compose.speaker import Speaker
from app.core.sound.pipeline import Pipeline
from app.core.sound.stage_clock import ignore_cancellation
from app.core.synthesis_types import SynthesisRequest
from app.service import query_synthesizer
from app.service.query_synthesizer import QuerySynthesizer, find_sentences
from app.service.request_fields import RefusalError
from app.service.routes_query import parse_kana
from app.service.voicevox_query import AccentPhrase, AudioQuery, QueryMora, QueryTextMemory, parse_query
from tests.core.numpy_voice import NumpyVoice, traits

GOLDEN = Path(__file__).parent.parent / "golden/g2p_rohan_300.jsonl"
TEXT = "こんにちは、世界。今日は晴れますか？"


def speech(speaker: Speaker, texts: QueryTextMemory | None = None) -> QuerySynthesizer:
    return QuerySynthesizer(speaker.pipeline, SynthesisRequest(""), texts or QueryTextMemory())


def sound(own: QuerySynthesizer, query: AudioQuery) -> np.ndarray:
    found, request = own.resolve_durations(parse_query(json.loads(json.dumps(query.convert_to_json()))))
    samples = np.concatenate(list(own.synthesize_samples(found, request)))
    assert len(samples) == found.count_samples(own.pipeline.voice.hop_length)
    return samples


def length_s(query: AudioQuery) -> float:
    """As clients compute it."""
    moras = [mora for phrase in query.accent_phrases for mora in phrase.moras]
    inner = sum((mora.consonant_length or 0) + mora.vowel_length for mora in moras)
    inner += sum(phrase.pause_mora.vowel_length for phrase in query.accent_phrases if phrase.pause_mora)
    return query.pre_s + inner / query.speed + query.post_s


def edited(query: AudioQuery, place: int, **changes: object) -> AudioQuery:
    """One mora of the first phrase, changed."""
    first, *rest = query.accent_phrases
    moras = list(first.moras)
    moras[place] = replace(moras[place], **changes)  # type: ignore[arg-type]
    return replace(query, accent_phrases=(replace(first, moras=tuple(moras)), *rest))


@pytest.mark.parametrize("lines", [pytest.param(slice(12), id="12"), pytest.param(slice(12, 200), id="200", marks=pytest.mark.slow)])
def test_lengths_of_queries_are_those_of_the_sound(mei: Speaker, lines: slice) -> None:
    """Two hundred sentences, each to one frame; half of them faster or slower, or with other silences."""
    frame_s, texts = 512 / 44100, QueryTextMemory()
    for index, line in enumerate(GOLDEN.read_text("utf-8").splitlines()[lines]):
        text = json.loads(line)["text"]
        query = speech(mei, texts).create_query(text)
        assert all(mora.vowel_length > 0 for phrase in query.accent_phrases for mora in phrase.moras), text
        query = replace(
            query, speed=(1.0, 1.37, 1.0, 0.8)[index % 4], pre_s=query.pre_s * (index % 3), post_s=0.05 if index % 5 else query.post_s
        )
        assert len(sound(speech(mei, texts), query)) / 44100 == pytest.approx(length_s(query), abs=frame_s), text


def test_a_query_sounds_as_the_line_does(mei: Speaker) -> None:
    samples = sound(speech(mei), speech(mei).create_query("雨が降る。"))
    spoken = np.concatenate(
        [chunk.samples for chunk in mei.pipeline.synthesize(SynthesisRequest("雨が降る。", pre_silence_s=0, post_silence_s=0))]
    )
    begins = round(0.1 * 44100) - 7 * 512  # the opening of the voice lies within the silence before
    assert np.array_equal(samples[begins : begins + len(spoken)], spoken)


def test_silences_are_cut_where_they_are_asked_for(mei: Speaker) -> None:
    """What lies before the first mora and after the last gives way; the words stay where they are."""
    query = speech(mei).create_query("雨が降る。")
    plain = sound(speech(mei), query)
    before, after = round(query.pre_s * 44100), round(query.post_s * 44100)
    assert np.array_equal(sound(speech(mei), replace(query, pre_s=0.0)), plain[before:])
    cut = sound(speech(mei), replace(query, post_s=0.0))
    assert np.array_equal(cut[:-300], plain[: -after - 300])
    assert cut[-1] == 0  # faded, not broken off
    longer = sound(speech(mei), replace(query, pre_s=query.pre_s + 1, post_s=query.post_s + 1))
    assert np.array_equal(longer[44100:-44100], plain)


def test_a_client_that_drops_fields_gets_the_same_sound(mei: Speaker) -> None:
    texts = QueryTextMemory()
    query = speech(mei, texts).create_query(TEXT)
    expected = sound(speech(mei, texts), query)
    values = query.convert_to_json()
    for name in ("kana", "seed", "tempoDynamicsScale", "pauseLength", "pauseLengthScale"):
        del values[name]
    assert np.array_equal(sound(speech(mei, texts), parse_query(values)), expected)
    spelled = sound(speech(mei, QueryTextMemory()), parse_query(values))  # nobody knows the text any more
    assert len(spelled) == len(expected)


def test_accents_that_are_as_read_need_no_second_reading(mei: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the sentences are those that it would have given."""
    for line in GOLDEN.read_text("utf-8").splitlines()[30:50]:
        own = speech(mei)
        query = own.create_query(json.loads(line)["text"])
        given = (mei.pipeline, query.accent_phrases, [query.kana], own.base, ignore_cancellation)
        quick = find_sentences(*given)
        with monkeypatch.context() as patch:
            patch.setattr(query_synthesizer, "_has_same_tones", lambda *_given: False)
            assert find_sentences(*given) == quick, query.kana


def test_edits_are_obeyed(mei: Speaker) -> None:
    texts, own = QueryTextMemory(), speech(mei)
    query = speech(mei, texts).create_query(TEXT)
    plain = sound(speech(mei, texts), query)
    longer = edited(query, 0, vowel_length=query.accent_phrases[0].moras[0].vowel_length + 0.5)
    assert len(sound(speech(mei, texts), longer)) - len(plain) == pytest.approx(0.5 * 44100, abs=512)
    left_to_the_voice = edited(query, 0, vowel_length=0.0, consonant_length=0.0)
    assert np.array_equal(sound(speech(mei, texts), left_to_the_voice), plain)
    first, *rest = query.accent_phrases
    joined = replace(query, accent_phrases=(replace(first, pause_mora=None), *rest))
    assert len(plain) - len(sound(speech(mei, texts), joined)) == pytest.approx(first.pause_mora.vowel_length * 44100, abs=512)
    paused = replace(query, pause_s=0.5, pause_scale=2.0)
    pauses = sum(phrase.pause_mora.vowel_length for phrase in query.accent_phrases if phrase.pause_mora)
    assert len(sound(own, paused)) - len(plain) == pytest.approx((2 * 1.0 - pauses) * 44100, abs=512)
    accented = replace(query, accent_phrases=(replace(first, accent=1), *rest))
    assert not np.array_equal(sound(speech(mei, texts), accented), plain)
    turned = replace(first, accent=2, pause_mora=None)
    assert sound(own, replace(query, accent_phrases=(turned, *rest))).size


def test_an_edit_of_the_morae_themselves_is_spoken(mei: Speaker) -> None:
    query = speech(mei).create_query("雨")
    other = (AccentPhrase((QueryMora("ウ", "u", 0.3, 5.5), QueryMora("ミ", "i", 0.2, 5.5, "m", 0.1)), 1),)
    samples = sound(speech(mei), replace(query, accent_phrases=other))
    assert len(samples) / 44100 == pytest.approx(query.pre_s + query.post_s + 0.6, abs=512 / 44100)
    assert np.abs(samples).max() > 0.01
    with pytest.raises(RefusalError, match="422"):
        sound(speech(mei), replace(query, accent_phrases=(AccentPhrase((QueryMora("漢", "a", 0, 0),), 1),)))


def test_kana_is_spoken_with_lengths_of_the_voice(mei: Speaker) -> None:
    phrases = speech(mei).apply_voice_lengths(parse_kana("コンニチワ'、セ'カイ？"))
    assert [(len(phrase.moras), phrase.accent, phrase.is_interrogative) for phrase in phrases] == [(5, 5, False), (3, 1, True)]
    assert phrases[0].pause_mora is not None
    assert phrases[0].pause_mora.vowel_length > 0
    assert all(
        mora.vowel_length > 0 and (mora.consonant_length is None or mora.consonant_length > 0) for one in phrases for mora in one.moras
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("こんにちは", "UNKNOWN_TEXT"),
        ("'ア", "ACCENT_TOP"),
        ("ア'イ'", "ACCENT_TWICE"),
        ("アイ", "ACCENT_NOTFOUND"),
        ("ア'//イ'", "EMPTY_PHRASE"),
        ("", "EMPTY_PHRASE"),
        ("ア？イ'", "INTERROGATION_MARK_NOT_AT_END"),
    ],
)
def test_wrong_kana_is_named(text: str, name: str) -> None:
    with pytest.raises(RefusalError) as caught:
        parse_kana(text)
    assert caught.value.status == 400
    assert caught.value.body["detail"]["error_name"] == name


def test_kana_with_devoiced_morae() -> None:
    (phrase,) = parse_kana("テ'_ストデ_ス")
    assert [mora.vowel for mora in phrase.moras] == ["e", "U", "o", "e", "U"]
    assert [mora.text for mora in phrase.moras] == ["テ", "ス", "ト", "デ", "ス"]


def test_bodies_that_are_no_queries_are_refused_field_by_field(mei: Speaker) -> None:
    values = speech(mei).create_query("雨").convert_to_json()
    values["speedScale"] = "fast"
    values["accent_phrases"][0]["moras"][0]["vowel_length"] = float("inf")
    del values["outputStereo"]
    with pytest.raises(RefusalError) as caught:
        parse_query(values)
    places = [tuple(entry["loc"]) for entry in caught.value.body["detail"]]
    assert places == [
        ("body", "speedScale"),
        ("body", "accent_phrases", 0, "moras", 0, "vowel_length"),
        ("body", "outputStereo"),
    ]


@pytest.mark.parametrize("tells", [True, False])
def test_a_voice_of_one_graph_keeps_its_lengths(monkeypatch: pytest.MonkeyPatch, tells: bool) -> None:
    """Whether its graph tells durations or not; edits are refused where they are seen."""
    voice = NumpyVoice()
    if not tells:
        whole = voice.synthesize
        monkeypatch.setattr(voice, "synthesize", lambda values: (whole(values)[0], None))
    pipeline = Pipeline(voice, voice, voice, "numpy", voice, True, traits())
    own = QuerySynthesizer(pipeline, SynthesisRequest(""), QueryTextMemory())
    query = replace(own.create_query("かか、か。"), rate=8000)
    samples = sound(own, query)
    if tells:
        assert len(samples) / 800 == pytest.approx(length_s(query), abs=8 / 800)
        with pytest.raises(RefusalError, match="422"):
            sound(own, edited(query, 0, vowel_length=2.0))
    else:
        assert all(mora.vowel_length == 0 for phrase in query.accent_phrases for mora in phrase.moras)
        assert len(samples) > 400
        with pytest.raises(RefusalError, match="422"):
            sound(own, edited(query, 0, pitch=5.8))
