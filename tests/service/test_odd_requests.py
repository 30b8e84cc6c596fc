"""Requests as nobody should send them: each gets right sound, or an error that says what is wrong, as JSON."""

import copy
import json
import math
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.service.request_fields import RequestFields


def mora(text: str, **values: object) -> dict[str, Any]:
    return {"text": text, "vowel": "a", "vowel_length": 0.05, "pitch": 5.0} | values


def phrase(*moras: object, **values: object) -> dict[str, Any]:
    return {"moras": list(moras), "accent": 1, "pause_mora": None, "is_interrogative": False} | values


@pytest.fixture
def query(client: httpx.Client, style: int) -> dict[str, Any]:
    """A good one."""
    found: dict[str, Any] = client.post("/audio_query", params={"speaker": style, "text": "はい。"}).json()
    return found


def refused(answer: httpx.Response, *words: str, status: int = 422) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    answer.json()
    assert [word for word in words if word not in answer.text] == []


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"speedScale": float("nan")}, ["JSON decode error"]),
        ({"speedScale": float("inf")}, ["JSON decode error"]),
        ({"speedScale": 10**400}, ["JSON decode error"]),
        ({"speedScale": "1,5"}, ["speedScale", "valid number"]),
        ({"speedScale": "nan"}, ["speedScale", "valid number"]),
        ({"speedScale": "1e400"}, ["speedScale", "valid number"]),
        ({"outputSamplingRate": 24000.5}, ["outputSamplingRate", "whole number"]),
        ({"outputSamplingRate": "1e4"}, ["outputSamplingRate", "whole number"]),
        ({"outputStereo": 2}, ["outputStereo", "boolean"]),
        ({"outputStereo": "maybe"}, ["outputStereo", "boolean"]),
        ({"kana": 5}, ["kana"]),
        ({"seed": -1}, ["seed"]),
        ({"accent_phrases": {}}, ["accent_phrases", "list"]),
        ({"accent_phrases": [None]}, ["dictionary"]),
        ({"accent_phrases": [phrase(3)]}, ["dictionary"]),
        ({"accent_phrases": [phrase(mora("漢"))], "kana": ""}, ["cannot be spoken", "漢"]),
        ({"accent_phrases": [phrase(mora(""))], "kana": ""}, ["cannot be spoken"]),
        ({"accent_phrases": [phrase(mora("ア"), accent=0.5)]}, ["accent", "from 0 to 1"]),
        ({"accent_phrases": [phrase(*[mora("ア")] * 150)] * 150}, ["at most 20000 morae"]),
    ],
)
def test_queries_that_are_wrong_are_refused(
    client: httpx.Client, style: int, query: dict[str, Any], values: dict[str, Any], words: list[str]
) -> None:
    content = json.dumps(copy.deepcopy(query) | values)
    for path in ("/synthesis", "/streaming_synthesis"):
        refused(client.post(path, params={"speaker": style}, content=content), *words)


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ({"outputStereo": "true", "speedScale": "1.5", "outputSamplingRate": "16000"}, {"outputStereo": True, "speedScale": 1.5, "outputSamplingRate": 16000}),
        ({"outputStereo": 1, "speedScale": True, "outputSamplingRate": 16000.0}, {"outputStereo": True, "outputSamplingRate": 16000}),
        ({"outputStereo": "0", "volumeScale": " 1e0 ", "outputSamplingRate": "16000.0"}, {"outputSamplingRate": 16000}),
        ({"speedScale": 0, "intonationScale": 2.5, "outputSamplingRate": 1}, {"speedScale": 0.5, "intonationScale": 2.0, "outputSamplingRate": 8000}),
        ({"speedScale": 1e308, "pitchScale": -3, "volumeScale": -1}, {"speedScale": 2.0, "pitchScale": -0.5, "volumeScale": 0.0}),
        ({"prePhonemeLength": -1, "pauseLengthScale": 99, "pauseLength": -1}, {"prePhonemeLength": 0, "pauseLengthScale": 10, "pauseLength": 0}),
        ({"accent_phrases": [phrase(mora("ア", vowel_length=99, pitch=-99), accent=9)]}, {"accent_phrases": [phrase(mora("ア", vowel_length=30, pitch=0))]}),
    ],
)  # fmt: skip
def test_what_voicevox_takes_is_taken(
    client: httpx.Client, style: int, query: dict[str, Any], values: dict[str, Any], same: dict[str, Any]
) -> None:
    """As pydantic's lax mode reads it, and the nearest number within our bounds."""
    lax, strict = (client.post("/synthesis", params={"speaker": style}, json=query | body) for body in (values, same))
    assert (lax.status_code, strict.status_code) == (200, 200), lax.text
    assert lax.content == strict.content


def test_numbers_out_of_range_are_noted_once_a_request(
    client: httpx.Client, style: int, query: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "koebako")
    client.post("/multi_synthesis", params={"speaker": style}, json=[query | {"speedScale": 9, "volumeScale": 9.5}] * 3)
    client.post("/multi_synthesis", params={"speaker": style}, json=[query] * 3)
    assert caplog.messages == ["a request had numbers out of range: speedScale 9 → 2, volumeScale 9.5 → 4"]


VALUES = (True, False, None, 0, 1, 2, -1, 0.0, 1.0, 1.5, 1e19, [], {}, "1", "0", "+1", "-0", " 1 ", "1.0", "1.50", "1.", ".5", "1e3", "1_000", "１", "0x10", "",
          "t", "F", "yEs", "on ", "off", "n", "2", "null", "inf", "-Infinity", "nan", "1,5")  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_are_read_as_pydantic_reads_them(value: object) -> None:
    """But for what no number is: NaN and infinity."""
    pydantic = pytest.importorskip("pydantic")
    fields: dict[type, Callable[[RequestFields, str], object]] = {
        bool: RequestFields.read_flag,
        int: RequestFields.read_integer,
        float: RequestFields.read_number,
    }
    for kind, read in fields.items():
        own = RequestFields({"x": value}, ("body",))
        found = read(own, "x")
        try:
            expected = pydantic.TypeAdapter(kind).validate_python(value)
        except pydantic.ValidationError:
            expected = None
        if expected is None or not math.isfinite(expected):
            assert own.findings.has_faults
        else:
            assert (found, type(found), own.findings.has_faults) == (expected, kind, False)


@pytest.mark.parametrize(
    ("phrases", "seconds"),
    [
        ([], 0.0),
        ([phrase(accent=0)], 0.0),
        ([phrase(*[mora("ア")] * 400)], 20.0),
        ([phrase(mora("ア"))] * 200, 10.0),
        ([phrase(*[mora("ア", vowel_length=1e-9)] * 3)], 0.0),
        ([phrase(mora("ぁ"), mora("ッ", vowel="cl"), accent=0)], 0.1),
    ],
)
def test_odd_phrases_last_as_long_as_they_say(
    client: httpx.Client, style: int, query: dict[str, Any], phrases: list[Any], seconds: float
) -> None:
    values = query | {"accent_phrases": phrases, "kana": "", "prePhonemeLength": 0.2, "postPhonemeLength": 0.3}
    answer = client.post("/synthesis", params={"speaker": style}, json=values)
    assert answer.status_code == 200, answer.text
    assert (len(answer.content) - 44) / 2 / 44100 == pytest.approx(0.5 + seconds, abs=512 / 44100)


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/synthesis?speaker={}", b"", ["JSON decode error"]),
        ("/synthesis?speaker={}", b"null", ["dictionary"]),
        ("/synthesis", b"{}", ["speaker", "Field required"]),
        ("/audio_query?speaker=1e3&text=a", b"", ['a whole number"']),
        ("/streaming_synthesis?speaker={}&start_offset=nan", b"{}", ["start_offset"]),
        ("/multi_synthesis?speaker={}", b"{}", ["up to 100"]),
        ("/connect_waves", b"[1]", ["base64"]),
        ("/mora_data?speaker={}", b"{}", ["list"]),
        ("/import_user_dict?override=true", b"xx", ["JSON decode error"]),
        ("/import_user_dict?override=true", b"[]", ["/user_dict"]),
        ("/v1/speak", b'{"text": "a", "style_id": "x"}', ["style_id", "whole number"]),
        ("/v1/speak", b'{"text": "a", "text": "b"}', ["JSON decode error"]),
        ("/v1/speak", '{"text": "あ"}'.encode("cp932"), ["JSON decode error"]),
        ("/v1/speak", b'{"text": "a", "format": "opus", "rate": 44100}', ["44100 Hz"]),
    ],
)
def test_bodies_and_parameters_that_are_wrong_are_refused(
    client: httpx.Client, style: int, path: str, body: bytes, words: list[str]
) -> None:
    refused(client.post(path.format(style), content=body), *words)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"input": "あ", "voice": "nobody"},
        {"input": "あ", "voice": "Mei", "stream_format": "chunks"},
        {"input": "あ", "response_format": "aac"},
    ],
)
def test_errors_of_openai_have_its_form(client: httpx.Client, body: dict[str, object]) -> None:
    answer = client.post("/v1/audio/speech", json=body)
    refused(answer, status=400)
    assert answer.json()["error"]["message"]


BODY = b'{"text":"a","format":"pcm"}'


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"POST /v1/speak HTTP/1.0\r\n%s\r\nContent-Length: 27\r\n\r\n", BODY),
        (
            b"POST /v1/speak HTTP/1.1\r\n%s\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1b;a=b\r\n",
            BODY + b"\r\n0\r\nX: y\r\n\r\n",
        ),
        (b"POST /v1/speak HTTP/1.1\r\n%s\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 27\r\n\r\n", BODY),
    ],
)
def test_every_form_of_http_is_answered(url: str, head: bytes, body: bytes) -> None:
    content = b""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=30) as own:
        own.sendall(head % f"Host: {url[7:]}".encode() + body)
        while piece := own.recv(1 << 16):
            content += piece
    assert b"HTTP/1.1 200 OK" in content[:60]
    assert len(content) > 10_000


def test_only_the_headers_are_sent_where_nothing_else_is_asked_for(client: httpx.Client) -> None:
    answer = client.head("/version")
    assert (answer.status_code, answer.content) == (200, b"")
    assert client.options("/synthesis").status_code == 204
    refused(client.request("PATCH", "/synthesis"), "Method", status=405)
