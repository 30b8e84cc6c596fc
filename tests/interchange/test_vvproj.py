"""Projects of VOICEVOX and AivisSpeech."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.interchange.imported import SpokenPhrase
from app.interchange.source import read_source
from app.interchange.vvproj import read_vvproj
from app.language import set_language
from tests.interchange.peers import AISP_VERSIONS, VERSIONS, aisp, mora, phrase, query, vvproj

LINES = [
    ("こんにちは。", 1, query(phrase(["コ", "ン", "ニ", "チ", "ワ"], 5), speedScale=1.2, volumeScale=0.8)),
    ("はい。", 0, None),
    ("", 0, None),
]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_voicevox(version: str, tmp_path: Path) -> None:
    file = tmp_path / "a.vvproj"
    file.write_bytes(vvproj(version, LINES))
    lines = read_source(file).project.script.lines
    assert [(line.id, line.text, line.settings.voice) for line in lines] == [
        ("key-0", "こんにちは。", "voicevox:1"),
        ("key-1", "はい。", "voicevox:0"),
    ]
    assert (lines[0].settings.speed, lines[0].settings.volume, lines[1].settings.speed) == (1.2, 0.8, 1.0)


@pytest.mark.parametrize("version", AISP_VERSIONS)
def test_every_version_of_aivisspeech(version: str) -> None:
    asked = query(intonationScale=1.5, tempoDynamicsScale=0.5, prePhonemeLength=0.4, postPhonemeLength=0.0, pauseLengthScale=1.0)
    imported = read_vvproj("a.aisp", ".aisp", aisp(version, [("はい。", 888753760, asked)]))
    (line,) = imported.project.script.lines
    assert line.settings.voice == "aivisspeech:888753760"
    assert (line.settings.style_weight, line.settings.sdp_ratio) == (5.5, 0.1)  # 1 … 2 is 1 … 10; 0 … 1 is 0 … 0.2
    assert (line.settings.pre_silence_s, line.settings.post_silence_s) == (0.4, 0.0)
    assert imported.dropped == ()


def test_what_has_no_place_here_is_said_once() -> None:
    set_language("en")
    asked = query(phrase(["ハ", "イ"], 1), pitchScale=0.05, intonationScale=1.3, speedScale=3.0, volumeScale=9.0)
    more = {"morphingInfo": {"rate": 0.5}}
    data = json.loads(vvproj("0.25.0", [("はい。", 3, asked), ("はい！", 3, asked)]))
    for item in data["talk"]["audioItems"].values():
        item.update(more)
    data["song"]["tracks"] = {"t": {"notes": [{"id": "n"}]}}
    imported = read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode())
    assert imported.dropped == (
        "Not imported: speed out of range (2 lines).",
        "Not imported: volume out of range (2 lines).",
        "Not imported: pitch and length of single morae (the voice decides) (2 lines).",
        "Not imported: morphing (2 lines).",
        "Not imported: songs.",
    )
    taken = imported.project.script.lines[0].settings
    assert (taken.speed, taken.pitch, taken.intonation) == (2.0, 0.6, 1.3)
    assert imported.project.voices[0].name == "VOICEVOX style 3"
    set_language("ja")
    assert "モーフィングは読み込みませんでした（2 行）。" in read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode()).dropped


def test_accents_and_pauses() -> None:
    asked = query(phrase(["キョ", "オ", "ワ"], 1, 0.4), phrase(["ハ", "レ"], 2), speedScale=2.0, pauseLengthScale=1.5)
    imported = read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", [("今日は、晴れ。", 3, asked)]))
    assert imported.spoken == {"key-0": (SpokenPhrase(("キョ", "オ", "ワ"), 1, pytest.approx(0.3)), SpokenPhrase(("ハ", "レ"), 2))}


def test_aivisspeech_has_marks_among_morae_and_no_lengths() -> None:
    one = phrase(["ハ", "イ"], 1, 0.4)
    one["moras"].append(mora("！", "pau"))
    imported = read_vvproj("a.aisp", ".aisp", aisp("1.2.0", [("はい！", 3, query(one))]))
    assert imported.spoken == {"key-0": (SpokenPhrase(("ハ", "イ"), 1, 0.0),)}
    assert imported.dropped == ()


def nested(levels: int) -> bytes:
    return b'{"talk":' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff\xfe\x00",
        b'{"appVersion":"0.25.0"}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{}}}',
        b'{"talk":{"audioKeys":["a","a"],"audioItems":{"a":{"text":"x"},"a":{"text":"y"}}}}',
        b'{"talk":{"audioKeys":[["a"]],"audioItems":{"a":{"text":"x"}}}}',
        b'{"talk":{"audioKeys":"a","audioItems":{"a":{"text":"x"}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":5}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","voice":7}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","styleId":true}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","styleId":-1}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","query":{"speedScale":NaN}}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","query":{"speedScale":1e999}}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","query":{"accentPhrases":[{"moras":{}}]}}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","query":{"accentPhrases":"abc"}}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":"x","query":7}}}}',
        nested(100_000),
    ],
)
def test_what_nobody_writes_is_one_sentence(data: bytes) -> None:
    with pytest.raises(InputError):
        read_vvproj("a.vvproj", ".vvproj", data)


def test_a_million_lines_are_too_many() -> None:
    data = json.dumps({"talk": {"audioKeys": ["a"] * 1_000_000, "audioItems": {"a": {"text": "はい"}}}}).encode()
    with pytest.raises(InputError):
        read_vvproj("a.vvproj", ".vvproj", data)


def test_one_key_twice_gives_two_lines() -> None:
    data: dict[str, Any] = {"talk": {"audioKeys": ["a", "a"], "audioItems": {"a": {"text": "はい"}}}}
    lines = read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode()).project.script.lines
    assert len({line.id for line in lines}) == 2
