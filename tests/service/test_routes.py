"""Every route as clients use it."""

import asyncio
import base64
import io
import json
import socket
import threading
import time
import wave
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile

from app.adapters import speech_activity
from app.adapters.ort.ort_synthesizer import OrtSynthesizer
from app.compose.speaker import Speaker
from app.core.script.project import LinePreset
from app.interchange.character_assignment import compute_style_id
from app.service import routes_own
from app.service.speech_server import HttpConnection
from app.service.wav_stream import pack_wav_header
from app.ui.parameters.preset_bar import load_presets, locate_presets_file, save_presets
from tests.service.conftest import Serve
from tests.stopped_runs import DECODER, stop_within_run

TEXT = "こんにちは。元気ですか？"


def query(client: httpx.Client, style: int, text: str = TEXT) -> dict[str, Any]:
    answer = client.post("/audio_query", params={"text": text, "speaker": style, "core_version": "0.0.0", "unknown": 1})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def length_s(values: dict[str, Any]) -> float:
    moras = [mora for phrase in values["accent_phrases"] for mora in (*phrase["moras"], *filter(None, [phrase["pause_mora"]]))]
    return (
        values["prePhonemeLength"]
        + sum(mora["vowel_length"] + (mora["consonant_length"] or 0) for mora in moras)
        + values["postPhonemeLength"]
    )


def frames_of(content: bytes) -> tuple[int, int, int]:
    with wave.open(io.BytesIO(content)) as file:
        assert file.getsampwidth() == 2
        assert len(content) == 44 + file.getnframes() * file.getnchannels() * 2
        return file.getnframes(), file.getframerate(), file.getnchannels()


def test_from_text_to_sound(client: httpx.Client, style: int) -> None:
    values = query(client, style)
    answer = client.post("/synthesis", params={"speaker": style}, json=values)
    assert answer.headers["content-type"] == "audio/wav"
    assert frames_of(answer.content)[0] / 44100 == pytest.approx(length_s(values), abs=512 / 44100)
    assert client.get("/engine_manifest").json()["supported_features"]["streaming_synthesis"] is True
    for path in ("/cancellable_synthesis", "/streaming_synthesis"):
        assert client.post(path, params={"speaker": style, "segment_length": 0.1}, json=values).content == answer.content
    stereo = values | {"outputStereo": True, "outputSamplingRate": 24000}
    content = client.post("/synthesis", params={"speaker": style}, json=stereo).content
    assert frames_of(content) == (round(frames_of(answer.content)[0] * 24000 / 44100), 24000, 2)
    late = client.post("/streaming_synthesis", params={"speaker": style, "start_offset": 0.5}, json=values).content
    assert late[44:] == answer.content[44 + 22050 * 2 :]
    beyond = client.post("/streaming_synthesis", params={"speaker": style, "start_offset": 60}, json=values)
    assert beyond.status_code == 400
    flat = client.post("/synthesis", params={"speaker": style, "enable_interrogative_upspeak": "false"}, json=values).content
    assert len(flat) == pytest.approx(len(answer.content), rel=0.1)
    assert flat != answer.content


def test_what_is_not_urgent_waits_as_long_as_a_request_is_computed(
    client: httpx.Client, style: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, stages = query(client, style), list[float]()
    monkeypatch.setattr(speech_activity, "record_speech", lambda: stages.append(time.monotonic()))
    client.post("/synthesis", params={"speaker": style}, json=values)
    assert len(stages) >= 4


@pytest.mark.parametrize("text", ["……", "！", "", "😀"])
def test_a_text_without_anything_to_read_is_silent(client: httpx.Client, style: int, text: str) -> None:
    params, own = {"speaker": style}, {"text": text, "style_id": style}
    values = query(client, style, text)
    assert (values["accent_phrases"], values["kana"]) == ([], text)
    assert client.post("/accent_phrases", params=params | {"text": text}).json() == []
    made = [client.post(f"/{name}", params=params, json=values) for name in ("synthesis", "cancellable_synthesis", "streaming_synthesis")]
    archive = zipfile.ZipFile(io.BytesIO(client.post("/multi_synthesis", params=params, json=[values]).content))
    made_own = client.post("/v1/speak", json=own | {"pauses": {"…": 0.5}})
    sounds = [*(answer.content for answer in made), archive.read("001.wav"), made_own.content]
    assert [frames_of(sound)[0] for sound in sounds] == [8820] * 4 + ([8820 + 43 * 512] if text == "……" else [8820])
    assert not any(any(sound[44:]) for sound in sounds)
    assert not any(client.post("/v1/speak", json=own | {"format": "pcm"}).content)
    timings = client.post("/v1/timings", json=own).json()
    assert (timings["moras"], timings["phones"]) == ([], [{"phone": "pau", "start_s": 0.0, "end_s": 0.2}])
    spoken = client.post("/v1/audio/speech", json={"model": "m", "input": text, "voice": "Mei", "response_format": "flac"})
    assert not soundfile.read(io.BytesIO(spoken.content))[0].any()


def test_ruby_is_read_and_brackets_are_spoken(client: httpx.Client, style: int) -> None:
    for noted, plain in (("｜宇宙《そら》へ。囁（ささや）く。［＃注］", "ソラへ。囁く。"), ("花[小声]。", "花「小声」。")):
        read, spoken = query(client, style, noted), query(client, style, plain)
        assert [[mora["text"] for mora in phrase["moras"]] for phrase in read["accent_phrases"]] == [
            [mora["text"] for mora in phrase["moras"]] for phrase in spoken["accent_phrases"]
        ]
        assert client.post("/synthesis", params={"speaker": style}, json=read).status_code == 200


def test_several_sounds_at_once_and_joined(client: httpx.Client, style: int) -> None:
    values = [query(client, style, text) for text in ("一つ。", "二つ。")]
    archive = zipfile.ZipFile(io.BytesIO(client.post("/multi_synthesis", params={"speaker": style}, json=values).content))
    assert archive.namelist() == ["001.wav", "002.wav"]
    waves = [archive.read(name) for name in archive.namelist()]
    encoded = [base64.b64encode(content).decode() for content in waves]
    joined = client.post("/connect_waves", json=encoded).content
    in_lines = [base64.encodebytes(content).decode().replace("\n", "\r\n ") for content in waves]
    assert client.post("/connect_waves", json=in_lines).content == joined
    assert frames_of(joined)[0] == sum(frames_of(content)[0] for content in waves)
    low = client.post("/synthesis", params={"speaker": style}, json=values[0] | {"outputSamplingRate": 8000, "outputStereo": True}).content
    assert frames_of(client.post("/connect_waves", json=[base64.b64encode(low).decode(), encoded[0]]).content)[1:] == (44100, 2)
    assert client.post("/connect_waves", json=[]).status_code == 422
    huge = [
        base64.b64encode(pack_wav_header(count, rate, 2) + bytes(count * 4)).decode() for count, rate in ((4_000_000, 8000), (1, 192000))
    ]
    assert client.post("/connect_waves", json=huge).status_code == 422  # 8 minutes that would be blown up to 700 MB
    assert client.post("/connect_waves", json=["xx"]).status_code == 422
    unequal = [values[0], values[1] | {"outputSamplingRate": 24000}]
    assert client.post("/multi_synthesis", params={"speaker": style}, json=unequal).status_code == 422


def test_phrases_are_made_and_filled_in(client: httpx.Client, style: int) -> None:
    params = {"speaker": style}
    phrases = client.post("/accent_phrases", params=params | {"text": TEXT}).json()
    assert phrases == query(client, style)["accent_phrases"]
    empty = json.loads(json.dumps(phrases))
    for phrase in empty:
        for mora in phrase["moras"]:
            mora |= {"vowel_length": 0.0, "pitch": 0.0}
    assert client.post("/mora_data", params=params, json=empty).json() == phrases
    lengths = client.post("/mora_length", params=params, json=empty).json()
    assert lengths[0]["moras"][0] | {"pitch": 5.5} == phrases[0]["moras"][0]
    pitches = client.post("/mora_pitch", params=params, json=empty).json()
    assert [mora["pitch"] for mora in pitches[0]["moras"]] == [mora["pitch"] for mora in phrases[0]["moras"]]
    kana = client.post("/accent_phrases", params=params | {"text": "コンニチワ'", "is_kana": True}).json()
    assert len(kana[0]["moras"]) == 5
    wrong = client.post("/accent_phrases", params=params | {"text": "コンニチワ", "is_kana": True})
    assert (wrong.status_code, wrong.json()["detail"]["error_name"]) == (400, "ACCENT_NOTFOUND")
    assert client.post("/validate_kana", params={"text": "コンニチワ'"}).json() is True
    assert client.post("/validate_kana", params={"text": "こんにちは"}).json()["detail"]["error_name"] == "UNKNOWN_TEXT"


def test_speakers_have_the_numbers_that_their_uuids_give(client: httpx.Client) -> None:
    speakers = client.get("/speakers").json()
    assert [speaker["name"] for speaker in speakers] == ["Mei", "Tohoku f01", "NIT m001"]
    for speaker in speakers:
        assert [style["id"] for style in speaker["styles"]] == [compute_style_id(speaker["speaker_uuid"], local) for local in range(5)]
        info = client.get("/speaker_info", params={"speaker_uuid": speaker["speaker_uuid"]}).json()
        assert [entry["id"] for entry in info["style_infos"]] == [style["id"] for style in speaker["styles"]]
        assert base64.b64decode(info["portrait"]).startswith(b"\x89PNG")
        linked = client.get("/speaker_info", params={"speaker_uuid": speaker["speaker_uuid"], "resource_format": "url"}).json()
        assert client.get(linked["portrait"]).headers["content-type"] == "image/png"
    assert client.get("/speaker_info", params={"speaker_uuid": "x"}).status_code == 404
    assert client.get("/_resources/..%2F..%2Fvoice.json").status_code == 404
    assert compute_style_id("e756b8e4-b606-4e15-99b1-3f9c6a1b2317", 0) == 888753760


def test_what_the_service_tells_of_itself(client: httpx.Client, style: int) -> None:
    manifest = client.get("/engine_manifest").json()
    assert manifest["frame_rate"] == 86.1328125
    assert client.get(manifest["url"]).headers["content-type"].startswith("text/html")
    assert client.get("/singers").json() == []
    assert client.get("/supported_devices").json()["cpu"] is True
    assert client.get("/is_initialized_speaker", params={"speaker": style}).json() is False
    assert client.post("/initialize_speaker", params={"speaker": style, "skip_reinit": True}).status_code == 204
    assert client.get("/is_initialized_speaker", params={"speaker": style}).json() is True
    assert client.get("/core_versions").json() == [client.get("/version").json()]
    page = client.get("/docs")
    assert "http" not in page.text.replace("httpx", "")
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_errors_have_the_form_that_clients_know(client: httpx.Client, style: int) -> None:
    assert set(client.post("/audio_query", params={"text": "あ", "speaker": 1}).json()) == {"message"}
    missing = client.post("/audio_query", params={"speaker": style})
    assert (missing.status_code, missing.json()["detail"][0]["loc"]) == (422, ["query", "text"])
    assert client.post("/synthesis", params={"speaker": style}, content="{").status_code == 422
    assert client.post("/synthesis", params={"speaker": style}, json=[]).status_code == 422
    assert client.post("/audio_query", params={"text": "あ" * 3001, "speaker": style}).status_code == 422
    half = client.post("/v1/speak", content=b'{"text": "\\ud800", "format": "\\udfff", "pauses": {"\\udfff": 1}}')
    assert (half.status_code, half.json()["detail"][0]["input"]) == (422, "?")
    assert client.post("/sing_frame_audio_query", params={"speaker": style}, json={}).status_code == 501
    assert client.post("/synthesis_morphing", json={}).status_code == 400
    assert client.get("/synthesis").status_code == 405
    too_long = query(client, style, "あ")
    too_long["accent_phrases"][0]["moras"] *= 100
    for mora in too_long["accent_phrases"][0]["moras"]:
        mora["vowel_length"] = 30.0
    assert client.post("/synthesis", params={"speaker": style}, json=too_long).status_code == 422


def test_presets(client: httpx.Client, style: int) -> None:
    preset = {
        "id": -1,
        "name": "quick",
        "speaker_uuid": "x",
        "style_id": style,
        "speedScale": 1.5,
        "pitchScale": 0.1,
        "intonationScale": 1.2,
    }
    preset |= {"volumeScale": 0.5, "prePhonemeLength": 0.3, "postPhonemeLength": 0.4, "pauseLength": 0.2, "pauseLengthScale": 1.1}
    assert client.post("/add_preset", json=preset).json() == 1
    assert client.post("/add_preset", json=preset | {"id": 1}).json() == 2
    made = client.post("/audio_query_from_preset", params={"text": TEXT, "preset_id": 1}).json()
    assert {name: made[name] for name in preset.keys() & made.keys()} == {name: preset[name] for name in preset.keys() & made.keys()}
    assert client.post("/update_preset", json=preset | {"id": 2, "name": "slow"}).json() == 2
    assert client.post("/delete_preset", params={"id": 1}).status_code == 204
    assert [one["name"] for one in client.get("/presets").json()] == ["slow"]
    assert client.post("/delete_preset", params={"id": 1}).status_code == 422
    assert client.post("/add_preset", json={}).status_code == 422


def test_presets_and_words_that_are_added_at_once_are_all_there(client: httpx.Client, style: int) -> None:
    preset = {"id": -1, "name": "x", "speaker_uuid": "", "style_id": style, "speedScale": 1, "pitchScale": 0, "intonationScale": 1}
    preset |= {"volumeScale": 1, "prePhonemeLength": 0.1, "postPhonemeLength": 0.1}

    def add(number: int) -> tuple[int, str]:
        word: dict[str, str | int] = {"surface": f"語{number}", "pronunciation": "ゴ", "accent_type": 1}
        return client.post("/add_preset", json=preset).json(), client.post("/user_dict_word", params=word).json()

    with ThreadPoolExecutor(10) as clients:
        added = list(clients.map(add, range(30)))
    assert sorted(number for number, _ in added) == list(range(1, 31))
    assert [one["id"] for one in client.get("/presets").json()] == sorted(number for number, _ in added)
    assert client.get("/user_dict").json().keys() == {word for _, word in added}


def test_words_change_what_is_read(client: httpx.Client, style: int) -> None:
    def read() -> str:
        return "".join(mora["text"] for phrase in query(client, style, "魑魅")["accent_phrases"] for mora in phrase["moras"])

    before = read()
    word: dict[str, str | int] = {"surface": "魑魅", "pronunciation": "テスト", "accent_type": 1, "word_type": "PROPER_NOUN", "priority": 9}
    name = client.post("/user_dict_word", params=word).json()
    assert read() == "テスト"
    assert client.get("/user_dict").json()[name]["pronunciation"] == "テスト"
    assert client.put(f"/user_dict_word/{name}", params=word | {"pronunciation": "オバケ"}).status_code == 204
    assert read() == "オバケ"
    kept = client.get("/user_dict").json()
    assert client.delete(f"/user_dict_word/{name}").status_code == 204
    assert read() == before
    assert client.delete(f"/user_dict_word/{name}").status_code == 422
    assert client.post("/import_user_dict", params={"override": True}, json=kept).status_code == 204
    assert read() == "オバケ"


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ([("surface", "新田"), ("surface", "真剣佑"), ("pronunciation", "アラタ"), ("pronunciation", "マッケンユー"), ("accent_type", 1), ("accent_type", 3)], ("新田真剣佑", "アラタマッケンユー", 6)),
        ([("surface", "新田真剣佑"), ("pronunciation", "あらた"), ("pronunciation", "マッケンユー"), ("accent_type", "1.0"), ("accent_type", 0)], ("新田真剣佑", "アラタマッケンユー", 0)),
        ([("surface", "新田"), ("surface", "真剣佑"), ("pronunciation", "アラタ"), ("accent_type", 1)], None),
        ([("surface", "新田"), ("pronunciation", "アラタ"), ("pronunciation", "マ"), ("accent_type", 1)], None),
        ([("surface", "新田"), ("pronunciation", "アラタ"), ("accent_type", 1), ("accent_type", 2)], None),
        ([("surface", "新田"), ("surface", "真"), ("pronunciation", "アラタ"), ("pronunciation", "マ"), ("accent_type", 4), ("accent_type", 1)], None),
    ],
)  # fmt: skip
def test_a_word_in_parts_is_stored_whole_or_refused(
    client: httpx.Client, parts: list[tuple[str, str | int | float | bool | None]], word: tuple[str, str, int] | None
) -> None:
    """As AivisSpeech repeats parameters; elsewhere the last one counts."""
    added = client.post("/user_dict_word", params=[*parts, ("priority", 1), ("priority", 7)])
    assert added.status_code == (422 if word is None else 200)
    found = [
        (one["surface"], one["pronunciation"], one["accent_type"], one["priority"]) for one in client.get("/user_dict").json().values()
    ]
    assert found == ([] if word is None else [(*word, 7)])
    if word is not None:
        assert client.put(f"/user_dict_word/{added.json()}", params=parts).status_code == 204
        assert len(client.get("/user_dict").json()) == 1


def test_nothing_is_changed_without_leave(serve: Serve) -> None:
    with serve() as address:
        changes = ("/add_preset", "/update_preset", "/delete_preset?id=1", "/import_user_dict?override=true")
        words = "/user_dict_word?surface=a&pronunciation=ア&accent_type=0"
        assert {httpx.post(address + path, json={}).status_code for path in (*changes, words)} == {403}
        assert httpx.delete(f"{address}/user_dict_word/x").status_code == 403


@pytest.mark.parametrize("kind", ["wav", "pcm", "mp3", "flac", "ogg", "opus"])
def test_speaking_in_every_format(client: httpx.Client, kind: str) -> None:
    body = {
        "text": TEXT,
        "voice": "Tohoku f01",
        "format": kind,
        "speed": 1.2,
        "pitch": 1,
        "pauses": {"。": 0.5},
        "seed": 3,
        "stereo": kind == "wav",
    }
    answer = client.post("/v1/speak", json=body)
    assert answer.status_code == 200, answer.text
    timings = client.post("/v1/timings", json=body).json()
    if kind == "pcm":
        assert len(answer.content) == timings["samples"] * 2
        return
    samples, rate = soundfile.read(io.BytesIO(answer.content))
    assert len(samples) / rate == pytest.approx(timings["length_s"], abs=0.1 if kind in ("mp3", "opus") else 1e-4)
    assert np.abs(samples).max() > 0.02


def test_a_speaker_and_a_style_are_chosen_as_on_the_command_line(client: httpx.Client) -> None:
    body = {"text": "はい。", "format": "pcm"}
    by_name = client.post("/v1/speak", json=body | {"voice": "mei", "speaker": "NIT m001", "style": "Sad"}).content
    assert by_name == client.post("/v1/speak", json=body | {"voice": "NIT m001/Sad"}).content
    assert by_name == client.post("/v1/speak", json=body | {"speaker": 2, "style": 4}).content
    assert by_name != client.post("/v1/speak", json=body).content
    missing = client.post("/v1/speak", json=body | {"voice": "mei", "style": "Bored"})
    assert (missing.status_code, "mei/Bored" in missing.json()["detail"]) == (422, True)


def test_times_tile_the_sound(client: httpx.Client) -> None:
    times = client.post("/v1/timings", json={"text": TEXT, "post_silence_s": 0.5}).json()
    assert times["reading"] == "コンニチワゲンキデスカ"
    assert times["phones"][0]["start_s"] == 0
    assert times["phones"][-1]["end_s"] == times["length_s"]
    assert all(one["end_s"] == pytest.approx(other["start_s"]) for one, other in zip(times["phones"], times["phones"][1:], strict=False))
    sound = client.post("/v1/speak", json={"text": TEXT, "post_silence_s": 0.5}).content
    samples = np.frombuffer(sound[44:], "<i2") / 32768
    loud = np.flatnonzero(np.abs(samples) > 0.02) / 44100
    assert times["moras"][0]["start_s"] - 0.1 < loud[0] < times["moras"][0]["end_s"]
    assert times["moras"][-1]["start_s"] < loud[-1] < times["moras"][-1]["end_s"] + 0.15


def test_a_stream_begins_before_it_is_made(client: httpx.Client, style: int, mei: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header and the first sound come while later windows wait."""
    go_on = threading.Event()
    assert isinstance(mei.pipeline.synthesizer, OrtSynthesizer)
    decode, windows = mei.pipeline.synthesizer.decode_window, []

    def slowly(*values: Any) -> object:
        windows.append(1)
        if len(windows) > 1:
            assert go_on.wait(10)
        return decode(*values)

    values = query(client, style, "これは少し長い文で、いくつかの窓に分かれます。")
    monkeypatch.setattr(type(mei.pipeline.synthesizer), "decode_window", lambda _self, *given: slowly(*given))
    with client.stream("POST", "/streaming_synthesis", params={"speaker": style}, json=values) as answer:
        pieces = answer.iter_raw()
        held = next(pieces)
        while np.abs(np.frombuffer(held[44 : len(held) // 2 * 2], "<i2")).max(initial=0) == 0:
            held += next(pieces)
        assert len(held) < int(answer.headers["content-length"])
        go_on.set()
        rest = b"".join(pieces)
    assert frames_of(held + rest)[0] / 44100 == pytest.approx(length_s(values), abs=512 / 44100)


@pytest.fixture
def second_sentence(mei: Speaker, monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, list[int]]:
    """Sentences after the first one are measured once the event is set; the list has an item for each."""
    assert isinstance(mei.pipeline.synthesizer, OrtSynthesizer)
    go_on, prosody, measured = threading.Event(), mei.pipeline.synthesizer.run_prosody, []

    def wait_from_second(_self: object, *values: Any) -> object:
        measured.append(1)
        if len(measured) > 1:
            assert go_on.wait(10)
        return prosody(*values)

    monkeypatch.setattr(type(mei.pipeline.synthesizer), "run_prosody", wait_from_second)
    return go_on, measured


def test_sound_without_a_header_waits_for_the_first_sentence_only(
    client: httpx.Client, second_sentence: tuple[threading.Event, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no piece waits for an acknowledgement of the one before."""
    go_on, measured = second_sentence
    delays = []
    connected = HttpConnection.connection_made

    def connection_made(self: HttpConnection, transport: asyncio.Transport) -> None:
        delays.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        connected(self, transport)

    monkeypatch.setattr(HttpConnection, "connection_made", connection_made)
    body = {"text": "一つ目の文だけが要ります。二つ目はまだです。", "format": "pcm", "rate": 22050}
    with client.stream("POST", "/v1/speak", json=body) as answer:
        assert "content-length" not in answer.headers
        pieces = answer.iter_raw()
        held = next(pieces)
        while not np.frombuffer(held[: len(held) // 2 * 2], "<i2").any():
            held += next(pieces)
        go_on.set()
        rest = b"".join(pieces)
    assert len(measured) == 2
    assert delays
    assert all(delays)
    assert len(held + rest) == 2 * round(client.post("/v1/timings", json=body).json()["samples"] / 2)
    monkeypatch.setattr(routes_own, "MAX_SOUND_S", 0.1)
    broken = client.post("/v1/speak", json=body)
    assert (broken.status_code, "longer than" in broken.json()["detail"]) == (422, True)


def test_events_of_pcm_come_while_the_rest_is_made(client: httpx.Client, second_sentence: tuple[threading.Event, list[int]]) -> None:
    go_on, measured = second_sentence
    body = {"input": "初めの文から届きます。次の文はまだです。", "response_format": "pcm", "stream_format": "sse"}
    with client.stream("POST", "/v1/audio/speech", json=body) as answer:
        lines = (json.loads(line.removeprefix("data: ")) for line in answer.iter_lines() if line)
        heard = b""
        while not np.frombuffer(heard, "<i2").any():
            heard += base64.b64decode(next(lines)["audio"])
        go_on.set()
        rest = list(lines)
    assert len(measured) == 2
    assert [event["type"] for event in rest] == ["speech.audio.delta"] * (len(rest) - 1) + ["speech.audio.done"]


def test_a_client_that_goes_away_stops_its_work(url: str, style: int, mei: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []
    terminate = type(mei).terminate
    monkeypatch.setattr(type(mei), "terminate", lambda self: (stopped.append(time.perf_counter()), terminate(self)))
    assert isinstance(mei.pipeline.synthesizer, OrtSynthesizer)
    decode = mei.pipeline.synthesizer.decode_window
    windows = []

    def slowly(_self: object, *values: Any) -> object:
        windows.append(1)
        time.sleep(0.05)
        return decode(*values)

    monkeypatch.setattr(type(mei.pipeline.synthesizer), "decode_window", slowly)
    with httpx.Client(base_url=url) as own:
        text = "この文は、聞く人がいなくなると、途中で終わります。" * 20
        values = query(own, style, text)
        with pytest.raises(httpx.ReadTimeout):
            own.post("/synthesis", params={"speaker": style}, json=values, timeout=0.3)
    until = time.perf_counter() + 5
    while not stopped and time.perf_counter() < until:
        time.sleep(0.01)
    assert stopped
    made = len(windows)
    time.sleep(0.3)
    assert len(windows) <= made + 1
    monkeypatch.undo()
    assert httpx.post(f"{url}/audio_query", params={"text": "はい", "speaker": style}).status_code == 200


def test_work_that_the_service_stops_is_no_failure(
    client: httpx.Client, style: int, mei: Speaker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As it does when it ends: nobody had cancelled the request."""
    values = query(client, style, "サービスが終わると、この文も終わります。")
    stopped = stop_within_run(monkeypatch, mei.terminate)
    assert client.post("/synthesis", params={"speaker": style}, json=values).status_code == 499
    assert stopped == [DECODER]
    assert not caplog.records


def test_a_voice_that_was_loaded_is_warm(client: httpx.Client, style: int, mei: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: clients ask for it again and again."""
    warmed = []
    monkeypatch.setattr(type(mei.pipeline), "warm_up", lambda self, _cancelled: warmed.append(self.voice.name))
    for _ in range(2):
        assert client.post("/initialize_speaker", params={"speaker": style}).status_code == 204
    assert len(warmed) == 1


def test_presets_of_the_window_are_not_those_of_clients(client: httpx.Client, style: int) -> None:
    """Two files, of two forms: neither is touched for the other's sake."""
    mine = locate_presets_file()
    mine.parent.mkdir(parents=True, exist_ok=True)
    save_presets({"quick": LinePreset()}, mine)
    before = mine.read_bytes()
    scales = dict.fromkeys(("speedScale", "intonationScale", "volumeScale"), 1.0) | dict.fromkeys(
        ("pitchScale", "prePhonemeLength", "postPhonemeLength"), 0.0
    )
    assert client.get("/presets").json() == []
    assert client.post("/add_preset", json={"id": 1, "name": "own", "speaker_uuid": "x", "style_id": style} | scales).json() == 1
    assert mine.read_bytes() == before
    assert len(client.get("/presets").json()) == 1
    assert load_presets() == ({"quick": LinePreset()}, None)
