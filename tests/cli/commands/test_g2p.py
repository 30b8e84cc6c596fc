"""`koebako g2p`: what gave each reading, and readings without the built-in dictionary."""

import io
import json
from typing import Any

import pytest

from app.cli.main import main


def lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, *options: str) -> list[dict[str, Any]]:
    """The output for a text."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8"))
    assert main(["g2p", *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_word_says_what_gave_its_reading(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = lines(capsys, monkeypatch, "麻婆豆腐が辛い。3人でGmailとfantasticな身体。", "--explain")
    words = {word["surface"]: word for word in line["words"]}
    assert "".join(word["reading"] for word in line["words"]) == line["reading"]
    assert (words["辛い"]["by"], words["辛い"]["name"], words["辛い"]["reading"]) == ("rule", "辛い", "カライ")
    assert (words["ジーメール"]["by"], words["ジーメール"]["name"]) == ("dictionary", "Gmail")
    assert (words["ファンタスティック"]["by"], words["ファンタスティック"]["name"]) == ("english", "fantastic")
    assert words["三"]["by"] == "normalisation"
    assert (words["身体"]["by"], words["身体"]["reading"], words["身体"]["other"]) == ("analyser", "シンタイ", "カラダ")


def test_a_text_is_given_as_speak_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["g2p", "雨です。\n\n橋"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["text"], row["reading"], "error" in row) for row in rows] == [
        ("雨です。", "アメデス", False),
        ("", "", True),
        ("橋", "ハシ", False),
    ]
    assert main(["g2p", ""]) == 0
    assert json.loads(capsys.readouterr().out)["phones"] == ["_", "_"]


def test_english_is_read_as_asked(capsys: pytest.CaptureFixture[str]) -> None:
    for options in ((), ("--latin", "english")):
        assert main(["g2p", "Hello、雨。", *options]) == 0
    plain, english = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (plain["reading"], english["reading"]) == ("ハローアメ", "həˈloʊアメ")
    assert english["phones"] == ["_", "hə", "ˈloʊ", ",", "a", "m", "e", ".", "_"]


def test_without_the_option_nothing_is_added(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(lines(capsys, monkeypatch, "声")[0]) == ["text", "normalized", "reading", "phones", "tones", "word2ph"]


def test_a_line_without_words_has_an_empty_list(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(capsys, monkeypatch, "😀", "--explain")[0]["words"] == []


def test_the_built_in_words_can_be_left_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with_words = lines(capsys, monkeypatch, "四月一日さん")[0]["reading"]
    without = lines(capsys, monkeypatch, "四月一日さん", "--no-built-in-words")[0]["reading"]
    assert with_words == "ワタヌキサン" != without
    assert lines(capsys, monkeypatch, "四月一日さん")[0]["reading"] == with_words


def test_ruby_says_so_and_memos_can_be_left_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = lines(capsys, monkeypatch, "聖剣《エクスカリバー》[小声]", "--explain")
    assert (line["normalized"], line["reading"]) == ("聖剣'小声'", "エクスカリバーコゴエ")
    assert next((word["surface"], word["by"], word["name"]) for word in line["words"]) == ("聖剣", "ruby", "エクスカリバー")
    assert lines(capsys, monkeypatch, "聖剣《エクスカリバー》[小声]", "--memos")[0]["reading"] == "エクスカリバー"
    assert lines(capsys, monkeypatch, "花[小声]")[0]["reading"] == "ハナコゴエ", "the option counts once"


def test_web_addresses_are_read_as_asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "http://test.jp/a"
    assert lines(capsys, monkeypatch, text)[0]["reading"] == "テストドットジェイピー"  # as the settings say
    assert lines(capsys, monkeypatch, text, "--links", "all")[0]["reading"].startswith("エイチティーティーピー")
    assert lines(capsys, monkeypatch, text, "--links", "skip")[0]["reading"] == ""
