"""Requests as nobody should send them: each gets right sound, or an error that says what is wrong, as JSON."""

from __future__ import annotations

import copy
import json
import socket
from typing import Any

import httpx
import pytest


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
        ({"speedScale": 0}, ["speedScale", "from 0.5 to 2"]),
        ({"speedScale": float("nan")}, ["JSON decode error"]),
        ({"speedScale": float("inf")}, ["JSON decode error"]),
        ({"speedScale": 1e308}, ["speedScale"]),
        ({"speedScale": 10**400}, ["JSON decode error"]),
        ({"speedScale": "1"}, ["speedScale", "valid number"]),
        ({"speedScale": True}, ["speedScale", "valid number"]),
        ({"outputSamplingRate": 1}, ["from 8000 to 192000"]),
        ({"outputStereo": 1}, ["outputStereo", "boolean"]),
        ({"prePhonemeLength": 1e9}, ["prePhonemeLength"]),
        ({"kana": 5}, ["kana"]),
        ({"seed": -1}, ["seed"]),
        ({"accent_phrases": {}}, ["accent_phrases", "list"]),
        ({"accent_phrases": [None]}, ["dictionary"]),
        ({"accent_phrases": [phrase(3)]}, ["dictionary"]),
        ({"accent_phrases": [phrase(mora("漢"))], "kana": ""}, ["cannot be spoken", "漢"]),
        ({"accent_phrases": [phrase(mora(""))], "kana": ""}, ["cannot be spoken"]),
        ({"accent_phrases": [phrase(mora("ア"), accent=9)]}, ["accent", "from 0 to 1"]),
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
    ("phrases", "seconds"),
    [
        ([], 0.0),
        ([phrase(accent=0)], 0.0),
        ([phrase(*[mora("ア")] * 1000)], 50.0),
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
        {"input": "あ", "voice": "alloy"},
        {"input": "あ", "voice": "Mei", "stream_format": "sse"},
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
