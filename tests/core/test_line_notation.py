"""Lines with ruby and memos as they are shown, edited and searched: places count over the text as it is written."""

from dataclasses import replace

import pytest

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.script.script import Line, LineSettings, Script, cut_long_line
from app.core.script.script_data import convert_script_to_data, parse_script
from app.core.script.text_search import SearchMatch, SearchQuery, replace_matches
from app.core.sound.line_edits import move_overrides_to_text, set_mora_length, set_word_reading
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import Overrides, ReadingOverride
from app.core.text.text_lines import MAX_LINE_CHARACTERS
from tests.core.test_text_search import find

G2P = OpenJTalkG2P()
TEXT = "｜漢字《かんじ》を読む[小声で。]人は、囁（ささや）く。"


def read(
    text: str, readings: tuple[ReadingOverride, ...] = (), emoji: bool = False, memos: bool = True, english: bool = False
) -> LineReading:
    return read_line(text, readings, G2P, emoji=emoji, memos=memos, english=english)


def kana(reading: LineReading, mora: int) -> str:
    """What the word of a mora is read as."""
    word = reading.find_word(mora)
    assert word is not None
    return "".join(one.kana for one in reading.moras[word.first_mora : word.end_mora])


def test_each_word_has_its_letters_without_the_marks_around_them() -> None:
    reading = read(TEXT)
    spoken = [(TEXT[word.start : word.end], reading.extract_text(word.start, word.end)) for word in reading.words if word.phones]
    assert spoken == [(word, word) for word in ("漢字", "を", "読む", "人", "は", "、")] + [("囁（ささや）く", "囁く"), ("。", "。")]
    assert (reading.extract_text(), len(reading.offsets)) == ("漢字を読む人は、囁く。", 1)
    assert [mark.phone for mark in reading.marks] == [",", "."]
    assert [kana(reading, mora) for mora in (0, 7, len(reading.moras) - 1)] == ["カンジ", "ヒト", "ササヤク"]


def test_a_reading_given_to_a_word_wins_over_its_ruby() -> None:
    reading = read("漢字と漢字《かんじ》と囁（ささや）く")
    second, last = (reading.find_word(mora) for mora in (4, len(reading.moras) - 1))
    assert second is not None
    assert last is not None
    readings = set_word_reading(reading, second, "モジ")
    assert readings == (ReadingOverride("漢字", "モジ", occurrence=1),)
    changed = read(reading.text, (*readings, *set_word_reading(reading, last, "ツブヤク")))
    assert "".join(mora.kana for mora in changed.moras) == "カンジトモジトツブヤク"


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("｜漢字《かんじ》を読む[大声で。]人は、囁（ささや）く。", ["カンジ", "ヒト"]),  # the memo says something else
        ("漢字を読む人は、囁く。", ["カンジ", "ヒト"]),  # no notation any more: the words are the same
        ("｜漢字《もじ》を読む[小声で。]人は、囁（ささや）く。", ["ヒト"]),  # another word
    ],
)
def test_edits_stay_with_words_that_are_read_as_before(new: str, kept: list[str]) -> None:
    edited = replace(set_mora_length(set_mora_length(Overrides(), 1, 0.3), 7, 0.4), text=TEXT, memos=True)
    moved = move_overrides_to_text(edited, new, read, memos=True)
    assert [kana(read(new), edit.mora) for edit in moved.moras] == kept
    assert [edit.length_s for edit in moved.moras] == [0.3, 0.4][-len(kept) :]


def test_edits_find_their_words_when_brackets_become_memos() -> None:
    edited = replace(set_mora_length(Overrides(), len(read(TEXT, memos=False).moras) - 1, 0.3), text=TEXT)
    moved = move_overrides_to_text(edited, TEXT, read, memos=True)
    assert moved.memos
    assert [edit.mora for edit in moved.moras] == [len(read(TEXT).moras) - 1]
    assert move_overrides_to_text(moved, TEXT, read, memos=False) == edited
    plain = replace(edited, text="雨が降る。")
    assert move_overrides_to_text(plain, "雨が降る。", read, memos=True) is plain, "no bracket, nothing to count otherwise"


def test_whether_brackets_are_memos_is_kept_and_old_scripts_have_none() -> None:
    line = Line(TEXT, LineSettings(memos=True), Overrides(text=TEXT, memos=True))
    data = convert_script_to_data(Script((line, Line("[重要]"))))
    assert parse_script(data).lines[0] == line
    assert "settings" not in data["lines"][1]
    assert not parse_script({"version": 1, "lines": [{"text": "[a]", "overrides": {"text": "[a]"}}]}).lines[0].settings.memos
    for wrong in ({"settings": {"memos": 1}}, {"overrides": {"memos": "yes"}}):
        with pytest.raises(ValueError, match=r"memos|overrides"):
            parse_script({"version": 1, "lines": [{"text": "a"} | wrong]})


def test_words_are_found_across_notation() -> None:
    script = Script(
        (Line("漢字《かんじ》を｜読《よ》む", id="0"), Line("花[メモ]火", LineSettings(memos=True), id="1"), Line("花[メモ]火", id="2"))
    )
    assert find(script, SearchQuery("漢字を読む")) == [SearchMatch("0", 0, 14)]
    assert find(script, SearchQuery("かんじ")) == [SearchMatch("0", 3, 6)], "what is on the screen is found as well"
    assert find(script, SearchQuery("花火")) == [SearchMatch("1", 0, 6)]
    assert find(script, SearchQuery("メモ", is_loose=False)) == [SearchMatch("1", 2, 4), SearchMatch("2", 2, 4)]
    assert replace_matches(script, find(script, SearchQuery("漢字を")), "文を").lines[0].text == "文を｜読《よ》む"


def test_a_line_that_is_too_long_is_not_cut_within_notation() -> None:
    settings = LineSettings(memos=True)
    pieces = cut_long_line(Line("あ" * (MAX_LINE_CHARACTERS - 3) + "[メモ。続き]" + "い" * 10 + "。", settings))
    assert [piece.text[-3:] for piece in pieces] == ["あああ", "いい。"]
    assert pieces[1].text.startswith("[メモ。続き]")
    assert all(piece.settings.memos for piece in pieces)
    assert [
        len(piece.text) <= MAX_LINE_CHARACTERS for piece in cut_long_line(Line("[" + "。" * 3 * MAX_LINE_CHARACTERS + "]", settings))
    ] == [True] * 4
