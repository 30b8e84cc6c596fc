"""`koebako dict`: words come and go, and the next command speaks with them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters import user_dictionary
from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.cli.main import main


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    forget_user_lexicon()
    yield
    forget_user_lexicon()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["dict", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_word_is_added_listed_changed_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "list") == (0, "", "The user dictionary is empty. Add a word with `koebako dict add`.\n")
    code, out, _ = run(capsys, "add", "声箱", "こえばこ", "--accent", "3", "--json")
    word = {"surface": "声箱", "reading": "コエバコ", "accent": 3, "kind": "proper_noun", "priority": 5}
    assert (code, json.loads(out)) == (0, word)
    run(capsys, "add", "声箱", "コエバコ", "--kind", "noun", "--priority", "8")
    _, out, _ = run(capsys, "list")
    assert out == "声箱\tコエバコ\t0\tnoun\t8\n"
    assert run(capsys, "remove", "声箱", "--json")[:2] == (0, '{"removed": "声箱"}\n')
    code, out, err = run(capsys, "remove", "声箱")
    assert (code, out) == (2, "")
    assert "“声箱” is not in the user dictionary." in err


def test_what_can_be_no_word_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "add", "声箱", "box", "--json")
    assert code == 2
    assert json.loads(out)["error"] == {
        "family": "input", "message": "The reading “box” is not kana.", "hint": "Enter it in hiragana or katakana."
    }  # fmt: skip
    assert run(capsys, "add", "声箱", "こえばこ", "--accent", "9")[0] == 2
    assert run(capsys, "add", "声箱", "こえばこ", "--kind", "particle")[0] == 2
    assert run(capsys, "list")[1] == ""


@pytest.mark.parametrize("name", ["辞書.json", "辞書.csv"])
def test_words_are_exchanged(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    run(capsys, "add", "声箱", "こえばこ")
    run(capsys, "add", "AI", "アイ", "--accent", "1")
    file = tmp_path / name
    assert run(capsys, "export", str(file), "--json")[0] == 0
    words = run(capsys, "list")[1]
    run(capsys, "remove", "声箱")
    run(capsys, "add", "AI", "エーアイ")
    _, out, _ = run(capsys, "import", str(file), "--keep", "--json")
    assert json.loads(out) == {"imported": 2, "refused": 0, "words": 2}
    assert "エーアイ" in run(capsys, "list")[1]
    run(capsys, "import", str(file))
    assert sorted(run(capsys, "list")[1].splitlines()) == sorted(words.splitlines())


def test_files_that_are_no_dictionary_change_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "add", "声箱", "こえばこ")
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "c.csv").write_text("声,abc\n箱,\n", encoding="utf-8")
    for name, told in (
        ("a.json", "not a dictionary"),
        ("b.csv", "cannot be read"),
        ("none.json", "cannot be read"),
        (".", "cannot be read"),
    ):
        code, out, err = run(capsys, "import", str(tmp_path / name))
        assert (code, out) == (2, "")
        assert told in err
    code, _, err = run(capsys, "import", str(tmp_path / "c.csv"))
    assert code == 2
    assert "is not kana" in err
    assert run(capsys, "list")[1].startswith("声箱\t")


def test_some_words_of_a_file_may_be_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("surface,reading\n声,abc\n箱,ハコ\n", encoding="utf-8-sig")
    code, _, err = run(capsys, "import", str(tmp_path / "c.csv"))
    assert code == 0
    assert "Words imported: 1; rejected: 1; now in the dictionary: 1." in err


def test_only_a_few_of_many_wrong_words_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("声,abc\n" * 100, encoding="utf-8")
    code, _, err = run(capsys, "import", str(tmp_path / "c.csv"))
    assert code == 2
    assert err.count("is not kana") == 5
    assert "… and 95 more" in err
    assert "Words imported: 0; rejected: 100; now in the dictionary: 0." in err


def test_a_dictionary_that_is_full_takes_no_more(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_dictionary, "MAX_DICTIONARY_ENTRIES", 1)
    assert run(capsys, "add", "声", "こえ")[0] == 0
    code, _, err = run(capsys, "add", "箱", "はこ")
    assert code == 2
    assert "too many words" in err
    assert run(capsys, "add", "声", "せい")[0] == 0
    assert run(capsys, "list")[1].startswith("声\tセイ")


def test_a_place_that_cannot_be_written_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    code, _, err = run(capsys, "export", str(tmp_path / "file" / "a.csv"))
    assert code == 7
    assert "could not be written" in err


def test_what_is_spoken_next_knows_the_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "add", "檜箱庵", "ひのばこあん", "--accent", "3")
    (tmp_path / "a.txt").write_text("檜箱庵", encoding="utf-8")
    forget_user_lexicon()  # another process
    from app.compose.text_front_end import open_g2p

    assert open_g2p().convert_sentence("檜箱庵です").reading == "ヒノバコアンデス"


def test_a_dry_run_says_what_would_change_and_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "add", "声箱", "こえばこ", "--accent", "3")
    file = tmp_path / "ime.txt"
    file.write_text("!Microsoft IME Dictionary Tool\nせいばこ\t声箱\t名詞\nもり\t森\t名詞\nかお\t^^\t顔文字\n", encoding="utf-16")
    code, out, err = run(capsys, "import", str(file), "--dry-run")
    assert (code, out) == (0, "conflict\t声箱\tコエバコ\t3\tproper_noun\t5\t声箱\tセイバコ\t0\tnoun\t5\n")
    assert "Line 4" in err
    assert "New words: 1; the same already: 0; different: 1" in err
    out = run(capsys, "import", str(file), "--dry-run", "--json")[1]
    assert {"added": 1, "unchanged": 0, "conflicts": 1, "duplicates": 0, "refused": 1} in map(json.loads, out.splitlines())
    assert run(capsys, "list")[1] == "声箱\tコエバコ\t3\tproper_noun\t5\n"
