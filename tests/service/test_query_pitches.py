"""Pitches of morae in a query: what a client moved is obeyed, what it only sent along is not."""

import itertools
import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import httpx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import Float32, SynthesisRequest
from app.core.text.pronunciation import compute_phrase_heights
from app.service.query_edits import LineDurations, find_pitch_edits
from app.service.query_synthesizer import QuerySynthesizer
from app.service.routes_query import parse_kana
from app.service.voicevox_query import HIGH, LOW, AccentPhrase, AudioQuery, QueryTextMemory, parse_query
from tests.pitch_measures import pitch_of
from tests.service.test_kokoro_queries import measure_vowels
from tests.service.test_query_synthesizer import sound
from tests.tiny_models.kokoro_voice import make_kokoro_voice

TEXT = "雨が降ったら、学校へ行きますか？飴をください。"
SEMITONE = math.log(2) / 12


@pytest.fixture(scope="module", params=["mei", "tiny-kokoro"])
def voice(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    """A voice whose pitches picture the accent, and one with a melody."""
    if request.param == "mei":
        return request.getfixturevalue("mei")
    return open_speaker(str(make_kokoro_voice(tmp_path_factory.mktemp("voices") / "tiny-kokoro")))


def speech(voice: Speaker, texts: QueryTextMemory | None = None) -> QuerySynthesizer:
    return QuerySynthesizer(voice.pipeline, SynthesisRequest(""), texts or QueryTextMemory())


def sent(query: AudioQuery) -> AudioQuery:
    """The query as it comes back over the wire, with pitches of two decimals, as an editor shows them."""
    values = query.convert_to_json()
    for mora in (mora for phrase in values["accent_phrases"] for mora in phrase["moras"]):
        mora["pitch"] = round(mora["pitch"], 2)
    return parse_query(json.loads(json.dumps(values)))


def moved(query: AudioQuery, semitones: Mapping[int, float]) -> AudioQuery:
    """The query with the pitches of these morae of the line moved."""
    phrases, at = [], 0
    for phrase in query.accent_phrases:
        moras = [replace(mora, pitch=mora.pitch + semitones.get(at + step, 0.0) * SEMITONE) for step, mora in enumerate(phrase.moras)]
        phrases.append(replace(phrase, moras=tuple(moras)))
        at += len(moras)
    return replace(query, accent_phrases=tuple(phrases))


def accented(query: AudioQuery, accents: Mapping[int, int]) -> AudioQuery:
    """The query with other accents, by phrase, and the pitches it had."""
    phrases = [
        replace(phrase, accent=accents[at] % len(phrase.moras) + 1) if at in accents else phrase
        for at, phrase in enumerate(query.accent_phrases)
    ]
    return replace(query, accent_phrases=tuple(phrases))


def asked_of(voice: Speaker, query: AudioQuery, texts: QueryTextMemory | None = None) -> dict[int, float]:
    """The semitones by mora in the request that reaches the pipeline."""
    _, request = speech(voice, texts).resolve_durations(query)
    return {edit.mora: edit.pitch for edit in request.overrides.moras if edit.pitch is not None}


def test_what_a_query_was_answered_with_is_no_edit(voice: Speaker) -> None:
    """Whatever else the client changes, and even where it drops the text."""
    query = sent(speech(voice).create_query(TEXT))
    longer = replace(
        query,
        accent_phrases=tuple(
            replace(phrase, moras=tuple(replace(mora, vowel_length=mora.vowel_length * 2) for mora in phrase.moras))
            for phrase in query.accent_phrases
        ),
    )
    scaled = replace(query, speed=1.4, pitch=0.1, intonation=0.4, tempo=1.8, seed=7)
    for one in (query, longer, scaled, replace(query, kana="")):
        assert asked_of(voice, one) == {}
    assert speech(voice).resolve_durations(query, should_upspeak=False)[1].overrides.moras == ()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_moved_pitches_reach_the_pipeline(voice: Speaker, data: st.DataObject) -> None:
    query = speech(voice).create_query(TEXT)
    voiced = [index for index, mora in enumerate(mora for phrase in query.accent_phrases for mora in phrase.moras) if mora.pitch]
    offsets = st.floats(-14, 14).filter(lambda semitones: abs(semitones) > 0.3 and abs(abs(semitones) - 8.66) > 0.3)
    wanted = data.draw(st.dictionaries(st.sampled_from(voiced), offsets, min_size=1, max_size=6))
    found = asked_of(voice, sent(moved(query, wanted)))
    assert found.keys() == wanted.keys()
    for mora, semitones in wanted.items():
        assert found[mora] == pytest.approx(max(-12, min(12, semitones)), abs=0.1)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_an_accent_alone_wins_over_the_pitches_it_had(voice: Speaker, data: st.DataObject) -> None:
    """Asked again, the pitches are those of the new accent, and what is moved then counts from them."""
    texts = QueryTextMemory()
    query = sent(speech(voice, texts).create_query(TEXT))
    other = accented(query, data.draw(st.dictionaries(st.integers(0, len(query.accent_phrases) - 1), st.integers(0, 9), min_size=1)))
    assert asked_of(voice, other, texts) == {}
    assert asked_of(voice, replace(other, kana=""), texts) == {}
    refreshed = replace(other, accent_phrases=speech(voice, texts).apply_accent_pitches(other.accent_phrases))
    assert asked_of(voice, sent(refreshed), texts) == {}
    assert asked_of(voice, sent(moved(refreshed, {0: 3.0})), texts) == {0: pytest.approx(3.0, abs=0.1)}


def test_phrases_that_are_joined_or_split_keep_no_pitches(voice: Speaker) -> None:
    query = sent(speech(voice).create_query("雨が降る。"))
    first, second = query.accent_phrases
    joined = AccentPhrase((*first.moras, *second.moras), 4)
    assert asked_of(voice, replace(query, accent_phrases=(joined,))) == {}
    split = (replace(first, moras=first.moras[:1], accent=1), replace(first, moras=first.moras[1:], accent=2), second)
    assert asked_of(voice, replace(query, accent_phrases=split)) == {}


def without_voice(query: AudioQuery, moras: Collection[int], vowels: Collection[int] = ()) -> AudioQuery:
    """The query with a pitch of 0 for these morae of the line, and with these vowels devoiced."""
    numbers = itertools.count()
    phrases = []
    for phrase in query.accent_phrases:
        own = [
            replace(mora, pitch=0.0 if at in moras else mora.pitch, vowel=mora.vowel.upper() if at in vowels else mora.vowel)
            for mora, at in zip(phrase.moras, numbers, strict=False)
        ]
        phrases.append(replace(phrase, moras=tuple(own)))
    return replace(query, accent_phrases=tuple(phrases))


def test_a_line_without_pitches_is_left_to_the_voice(voice: Speaker) -> None:
    """And a mora without a pitch gets none."""
    query = speech(voice).create_query("学校。")
    (phrase,) = query.accent_phrases
    closed = next(index for index, mora in enumerate(phrase.moras) if mora.vowel == "cl")
    assert asked_of(voice, without_voice(query, range(4))) == {}
    assert speech(voice).resolve_durations(without_voice(query, range(4)))[0].devoiced == ()
    moras = [replace(mora, pitch=5.0 if index == closed else mora.pitch) for index, mora in enumerate(phrase.moras)]
    assert asked_of(voice, replace(query, accent_phrases=(replace(phrase, moras=tuple(moras)),))) == {}


def test_a_pitch_of_zero_and_a_devoiced_vowel_sound_without_voice(voice: Speaker) -> None:
    """Those morae and no others, as long and in the same place as before, at another speed and in another sentence, too."""
    query, rate = replace(speech(voice).create_query(TEXT), speed=0.9), voice.pipeline.voice.sampling_rate
    edited = without_voice(query, {2, 3}, {17})
    durations, request = speech(voice).resolve_durations(edited)
    assert (durations.devoiced, request.overrides.moras) == ((2, 3, 17), ())
    plain, devoiced = (sound(speech(voice), one) for one in (query, edited))
    spans = durations.list_devoiced_spans(voice.pipeline.voice.hop_length)
    assert len(spans) == 2, "neighbours are one"
    assert len(plain) == len(devoiced)
    within = np.zeros(len(plain), bool)
    for start, end in spans:
        within[start:end] = True
        before, after = plain[start:end], devoiced[start:end]
        assert np.isfinite(pitch_of(before, rate)).any()
        assert not np.isfinite(pitch_of(after, rate)).any()
        assert 0.2 < np.sqrt((after**2).mean() / (before**2).mean()) < 0.8
    assert np.array_equal(plain[~within], devoiced[~within])


def test_kana_have_pitches_to_move_as_well(voice: Speaker) -> None:
    own = speech(voice)
    phrases = own.apply_accent_pitches(own.apply_voice_lengths(parse_kana("ト'オキョオ、キョ'オト")))
    query = AudioQuery(phrases)
    assert asked_of(voice, sent(query)) == {}
    assert asked_of(voice, sent(moved(query, {1: -4.0, 5: 2.0}))) == {1: pytest.approx(-4, abs=0.1), 5: pytest.approx(2, abs=0.1)}


def test_a_query_of_a_voice_without_a_melody_asks_another_voice_for_none(voice: Speaker, mei: Speaker) -> None:
    assert asked_of(voice, sent(speech(mei).create_query(TEXT))) == {}


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12))
def test_any_accent_that_is_pictured_is_no_edit(moras: int, accent: int, other: int) -> None:
    def draw(accent: int) -> tuple[AccentPhrase, ...]:
        (phrase,) = parse_kana("ア" * moras + "'")
        heights = compute_phrase_heights(moras, accent)
        pictured = (replace(mora, pitch=HIGH if height else LOW) for mora, height in zip(phrase.moras, heights, strict=True))
        return (replace(phrase, moras=tuple(pictured), accent=accent or moras),)

    given, own = draw(min(accent, moras)), draw(min(other, moras))
    assert find_pitch_edits(given, own, lambda: None).moras == ()


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[SynthesisRequest]:
    """What is synthesised, which is silence here."""
    seen: list[SynthesisRequest] = []

    def note(own: QuerySynthesizer, durations: LineDurations, request: SynthesisRequest) -> Iterator[Float32]:
        seen.append(request)
        yield np.zeros(durations.count_samples(own.pipeline.voice.hop_length), np.float32)

    monkeypatch.setattr(QuerySynthesizer, "synthesize_samples", note)
    return seen


def test_a_client_that_edits_over_http(client: httpx.Client, style: int, requests: list[SynthesisRequest]) -> None:
    """As VOICEVOX's clients do: one mora is moved, then an accent alone, then its pitches are asked for again."""
    params = {"speaker": style}
    query = client.post("/audio_query", params=params | {"text": "橋を渡る。"}).json()

    def speak() -> list[tuple[int, float | None]]:
        assert client.post("/synthesis", params=params, json=query).status_code == 200
        return [(edit.mora, edit.pitch) for edit in requests[-1].overrides.moras]

    assert speak() == []
    query["accent_phrases"][0]["moras"][1]["pitch"] += 0.2
    assert speak() == [(1, pytest.approx(0.2 / SEMITONE, abs=0.01))]
    lengthened = client.post("/mora_length", params=params, json=query["accent_phrases"]).json()
    assert lengthened == query["accent_phrases"]
    refreshed = client.post("/mora_pitch", params=params, json=query["accent_phrases"]).json()
    query["accent_phrases"] = refreshed
    assert speak() == []
    query["accent_phrases"][0]["accent"] = 1
    assert speak() == []
    query["accent_phrases"] = client.post("/mora_data", params=params, json=query["accent_phrases"]).json()
    assert [mora["pitch"] for mora in query["accent_phrases"][0]["moras"]] == [HIGH, LOW, LOW]
    assert speak() == []
    features = client.get("/engine_manifest").json()["supported_features"]
    assert features["adjust_mora_pitch"] is True


def test_moved_pitches_are_heard(voice: Speaker) -> None:
    """In every sentence of the line where they were moved, and nowhere else; at other speeds, too."""
    query = replace(speech(voice).create_query(TEXT), speed=0.9)
    wanted = {1: 4.0, 2: 4.0, 3: 4.0, 12: -3.0, 13: -3.0, 17: 5.0, 18: 5.0}
    rate = voice.pipeline.voice.sampling_rate
    plain, drawn = (measure_vowels(one, sound(speech(voice), one), rate) for one in (query, moved(query, wanted)))
    change = (np.array(drawn) - np.array(plain)) / SEMITONE
    asked = np.array([wanted.get(mora, 0.0) for mora in range(len(change))])
    clear = np.isfinite(change)
    assert clear.sum() > 0.6 * len(change)
    assert clear[list(wanted)].sum() > 3
    error = np.abs(change - asked)
    assert np.median(error[clear]) < 0.1
    assert np.quantile(error[clear], 0.9) < 1
    assert np.median([error[mora] for mora in wanted if clear[mora]]) < 0.3
