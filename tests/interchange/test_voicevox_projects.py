"""Projects of VOICEVOX and AivisSpeech."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from app.common.errors import InputError
from app.common.language import set_language
from app.interchange import imported_script
from app.interchange.imported_script import ImportedPhrase, ImportedScript
from app.interchange.script_import import read_script_file
from app.interchange.voicevox_projects import read_vvproj
from app.interchange.voicevox_styles import find_style_name
from tests.interchange.peers import AISP_VERSIONS, VERSIONS, VOICEVOX, aisp, mora, phrase, query, vvproj

LINES = [
    ("こんにちは。", 1, query(phrase(["コ", "ン", "ニ", "チ", "ワ"], 5), speedScale=1.2, volumeScale=0.8)),
    ("はい。", 0, None),
    ("", 0, None),
]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_voicevox(version: str, tmp_path: Path) -> None:
    file = tmp_path / "a.vvproj"
    file.write_bytes(vvproj(version, LINES))
    lines = read_script_file(file).project.script.lines
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
    assert imported.losses == ()


def test_what_has_no_place_here_is_said_once() -> None:
    set_language("en")
    asked = query(phrase(["ハ", "イ"], 1), pitchScale=0.05, intonationScale=1.3, speedScale=3.0, volumeScale=9.0)
    more = {"morphingInfo": {"rate": 0.5}}
    data = json.loads(vvproj("0.25.0", [("はい。", 3, asked), ("はい！", 3, asked)]))
    for item in data["talk"]["audioItems"].values():
        item.update(more)
    data["song"]["tracks"] = {"t": {"notes": [{"id": "n"}]}}
    imported = read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode())
    assert imported.losses == (
        "Not imported: speed out of range (2 lines).",
        "Not imported: volume out of range (2 lines).",
        "Not imported: length of single morae (the voice decides) (2 lines).",
        "Not imported: morphing (2 lines).",
        "Not imported: songs.",
    )
    taken = imported.project.script.lines[0].settings
    assert (taken.speed, taken.pitch, taken.intonation) == (2.0, 0.6, 1.3)
    assert imported.project.voices[0].name == "ずんだもん（ノーマル）"
    set_language("ja")
    assert "モーフィングは読み込みませんでした（2 行）。" in read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode()).losses


def test_accents_and_pauses() -> None:
    asked = query(phrase(["キョ", "オ", "ワ"], 1, 0.4), phrase(["ハ", "レ"], 2), speedScale=2.0, pauseLengthScale=1.5)
    imported = read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", [("今日は、晴れ。", 3, asked)]))
    assert imported.phrases_by_line == {
        "key-0": (ImportedPhrase(("キョ", "オ", "ワ"), 1, pytest.approx(0.3)), ImportedPhrase(("ハ", "レ"), 2))  # type: ignore[arg-type]
    }


def test_aivisspeech_has_marks_among_morae_and_no_lengths() -> None:
    one = phrase(["ハ", "イ"], 1, 0.4)
    one["moras"].append(mora("！", "pau"))
    imported = read_vvproj("a.aisp", ".aisp", aisp("1.2.0", [("はい！", 3, query(one))]))
    assert imported.phrases_by_line == {"key-0": (ImportedPhrase(("ハ", "イ"), 1, 0.0),)}
    assert imported.losses == ()


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
        b'{"talk":{"audioKeys":[["a"]],"audioItems":{"a":{"text":"x"}}}}',
        b'{"talk":{"audioKeys":"a","audioItems":{"a":{"text":"x"}}}}',
        b'{"talk":{"audioKeys":["a"],"audioItems":{"a":{"text":5}}}}',
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


def read(item: dict[str, Any], *others: Any) -> ImportedScript:
    """Of a good line, this one, and these instead of items."""
    items = {"good": {"text": "よい行"}, "bad": {"text": "はい"} | item, **{f"other {place}": other for place, other in enumerate(others)}}
    return read_vvproj("a.vvproj", ".vvproj", json.dumps({"talk": {"audioKeys": [*items], "audioItems": items}}).encode())


LONG = [phrase(["ア"] * 900, 1)] * 20


@pytest.mark.parametrize(
    ("item", "lost"),
    [
        ({"voice": 7}, "voices that are not valid"),
        ({"voice": {"engineId": VOICEVOX, "styleId": -1}}, "voices that are not valid"),
        ({"voice": {"engineId": [1], "styleId": 1}}, "voices that are not valid"),
        ({"styleId": True}, "voices that are not valid"),
        ({"styleId": 1.5}, "voices that are not valid"),
        ({"query": 7}, "settings that are not valid"),
        ({"query": {"speedScale": float("nan")}}, "values that cannot be used (speed)"),
        ({"query": {"speedScale": "fast"}}, "values that cannot be used (speed)"),
        ({"query": {"accentPhrases": "abc"}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": {"a": 1}}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": [{"moras": {}}]}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": [{"moras": ["ア"], "accent": 1}]}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": [phrase(["ア"], 1) | {"accent": None}]}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": [phrase(["ア" * 9], 1)]}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": [phrase(["ア"], 1)] * 2_001}}, "readings and accents that are not valid"),
        ({"query": {"accentPhrases": LONG}}, "readings and accents that are not valid"),
    ],
)
def test_what_is_wrong_with_a_line_costs_no_more_than_that(item: dict[str, Any], lost: str) -> None:
    set_language("en")
    imported = read(item)
    assert [line.text for line in imported.project.script.lines] == ["よい行", "はい"]
    assert imported.losses == (f"Not imported: {lost} (line 2).",)


def test_a_line_that_is_none_is_named() -> None:
    set_language("ja")
    imported = read({}, 5, {"text": 5}, {"query": {}}, None)
    assert [line.text for line in imported.project.script.lines] == ["よい行", "はい"]
    assert imported.losses == ("壊れた行は読み込みませんでした（4 行: 3、4、5、6 行目）。",)


def test_a_line_that_is_repeated_is_taken_once() -> None:
    """No program writes that; a file of 1 MB could ask for 200 million phrases."""
    set_language("en")
    item = {"text": "はい", "query": query(*[phrase(["ハ"], 1)] * 2_000)}
    data = {"talk": {"audioKeys": ["a"] * 100_000, "audioItems": {"a": item}}}
    imported = read_vvproj("a.vvproj", ".vvproj", json.dumps(data).encode())
    assert len(imported.project.script.lines) == 1
    assert imported.losses[-1] == "Not imported: repetitions of a line (99,999 lines: 2, 3, 4, 5, 6, …)."
    twice = b'{"talk":{"audioKeys":["a","a"],"audioItems":{"a":{"text":"x"},"a":{"text":"y"}}}}'
    assert [line.text for line in read_vvproj("a.vvproj", ".vvproj", twice).project.script.lines] == ["y"]


@pytest.mark.parametrize(
    ("limit", "what"), [("MAX_IMPORTED_PHRASES", "accent phrases"), ("MAX_IMPORTED_MORAS", "morae"), ("MAX_IMPORTED_CHARS", "characters")]
)
def test_what_a_project_becomes_is_bounded(limit: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_language("en")
    monkeypatch.setattr(imported_script, limit, 5)
    lines = [("あい", 1, query(phrase(["ア", "イ"], 1), phrase(["ウ"], 1))) for _ in range(2)]
    assert len(read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", lines[:1])).project.script.lines) == 1
    with pytest.raises(InputError, match=f"too many {what}"):
        read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", lines * 2))


def test_a_line_without_end_is_refused_at_once() -> None:
    began = time.process_time()
    with pytest.raises(InputError, match="too long"):
        read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", [("あ" * 2_000_000, 1, None)]))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(("suffix", "data"), [(".vvproj", vvproj("0.25.0", LINES)), (".aisp", aisp("1.2.0", LINES))])
def test_square_brackets_hold_memos(suffix: str, data: bytes) -> None:
    lines = read_vvproj(f"a{suffix}", suffix, data).project.script.lines
    assert [line.settings.memos for line in lines] == [True, True]


def test_public_numbers_of_styles_have_names() -> None:
    assert find_style_name("3") == "ずんだもん（ノーマル）"
    assert find_style_name("51") == "†聖騎士紅桜†（ノーマル）"
    assert find_style_name("888753760") == ""
