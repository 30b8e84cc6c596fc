"""Words that a user teaches: what can be one, where they stand in a text, and how they are exchanged."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.common.language import set_language
from app.core.text import dictionary_formats
from app.core.text.dictionary_entries import DICTIONARY_ENTRY_KINDS, DictionaryEntry, make_entry, merge_entries
from app.core.text.dictionary_formats import (
    convert_entries_to_data,
    format_entries_csv,
    format_exchange_json,
    parse_dictionary_text,
    parse_entries,
)
from app.core.text.pronunciation import split_moras
from app.core.text.readings.shipped_words import UserWordMatcher, is_analysed

KANA = st.text("アイウエオカキクケコガッンーャュョファ", min_size=1, max_size=12).filter(lambda text: text.strip("ー") != "")
SURFACES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1, max_size=12)


@st.composite
def entries(draw: st.DrawFn) -> list[DictionaryEntry]:
    """Any words; of each surface one."""
    made = []
    for surface in draw(st.lists(SURFACES, max_size=6)):
        reading = draw(KANA)
        accent = draw(st.integers(0, len(split_moras(reading))))
        made.append(make_entry(surface, reading, accent, draw(st.sampled_from(DICTIONARY_ENTRY_KINDS)), draw(st.integers(0, 10))))
    return list(merge_entries((), made))


@given(entries())
def test_every_form_brings_the_words_back(words: list[DictionaryEntry]) -> None:
    assert list(parse_entries(json.loads(json.dumps(convert_entries_to_data(words))))) == words
    assert parse_dictionary_text(format_exchange_json(words)) == (words, [])
    assert parse_dictionary_text(format_entries_csv(words)) == (words, [])


def test_a_word_is_spelled_as_the_dictionary_spells_it() -> None:
    assert make_entry(" Ｋｏｅｂａｋｏ ", "こえ ばこ", 2) == DictionaryEntry("Koebako", "コエバコ", 2)
    assert make_entry("ｶﾞ②Ⅱ㈱", "あ").surface == "ガ②Ⅱ㈱"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("", "あ"), "cannot be added to the dictionary"),
        ((" ", "あ"), "cannot be added to the dictionary"),
        (("a\nb", "あ"), "cannot be added to the dictionary"),
        (("あ" * 101, "あ"), "cannot be added to the dictionary"),
        (("声", "abc"), "is not kana"),
        (("声", ""), "is not kana"),
        (("声", "ー"), "is not kana"),
        (("声", "あ" * 201), "out of range"),
        (("声", "こえ", 3), "out of range"),
        (("声", "こえ", -1), "out of range"),
        (("声", "こえ", 1, "particle"), "part of speech or priority"),
        (("声", "こえ", 1, "noun", 11), "part of speech or priority"),
    ],
)
def test_what_can_be_no_word(arguments: tuple[Any, ...], told: str) -> None:
    with pytest.raises(InputError, match=told):
        make_entry(*arguments)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("AIとＡＩとaiアプリ", ["AI", "ＡＩ", "ai"]),
        ("AIR、MAI、AI2、4AI", []),
        ("4Kと14Kと４ｋ", ["4K", "４ｋ"]),
        ("C++とCとc＋＋", ["C++", "c＋＋"]),
        ("Visual Studio Code", ["Visual Studio"]),
        ("新AI機能", ["AI"]),
        ("", []),
        ("何もない", []),
    ],
)
def test_written_words_are_found_whole_in_any_width_and_case(text: str, found: list[str]) -> None:
    words = UserWordMatcher([make_entry(surface, "あ") for surface in ("AI", "4K", "C++", "Visual", "Visual Studio")])
    places = words.find_words(text)
    assert [text[start:end] for start, end, _ in places] == found
    assert all(override.surface == text[start:end] for start, end, override in places)


@pytest.mark.parametrize(
    ("surface", "text", "found"),
    [
        ("②", "2と２と②と②番", ["②", "②"]),
        ("2", "②と2と２と2.5と1,2と12", ["2", "２"]),
        ("Ⅱ", "IIと2とⅡとⅱ", ["Ⅱ", "ⅱ"]),
        ("II", "ⅡとIIとＩＩ", ["II", "ＩＩ"]),
        ("㈱", "(株)と株式会社と㈱", ["㈱"]),
        ("½", "1/2と½と半分", ["½"]),
        ("℃", "°Cと度と℃", ["℃"]),
        ("ガ#", "ガ#とｶﾞ#とガ＃", ["ガ#", "ｶﾞ#", "ガ＃"]),
        ("a〜b", "a～bとA~Bとa-b", ["a～b", "A~B"]),
        ("é", "éとe\u0301とe", ["é", "e\u0301"]),
    ],
)
def test_a_word_is_found_as_wide_as_it_is_written(surface: str, text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end, _ in UserWordMatcher([make_entry(surface, "あ")]).find_words(text)] == found


def test_of_words_that_differ_in_case_the_one_as_written_counts() -> None:
    words = UserWordMatcher([make_entry("US", "ユーエス"), make_entry("us", "アス")])
    assert [override.reading for _, _, override in words.find_words("US us ＵＳ Us")] == ["ユーエス", "アス", "ユーエス", "アス"]


@given(st.text(max_size=40), entries())
def test_places_never_overlap_and_lie_in_the_text(text: str, words: list[DictionaryEntry]) -> None:
    places = UserWordMatcher(words).find_words(text)
    assert all(0 <= start < end <= len(text) for start, end, _ in places)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("surface", "analysed"),
    [("声箱", True), ("こえ", True), ("コエ", True), ("AI", False), ("4K", False), ("100円", False), ("言ふ", False), ("いろ〱", False)],
)
def test_letters_and_digits_are_found_before_they_become_kana(surface: str, analysed: bool) -> None:
    assert is_analysed(make_entry(surface, "あ")) is analysed


def test_the_later_word_counts() -> None:
    old, new, other = make_entry("声", "こえ"), make_entry("声", "せい"), make_entry("箱", "はこ")
    assert merge_entries([old, other], [new]) == (new, other)


def test_what_other_programs_write() -> None:
    """VOICEVOX's file, and AivisSpeech's with the parts of a compound."""
    word = {
        "surface": "ＡＩ",
        "priority": 8,
        "part_of_speech": "名詞",
        "part_of_speech_detail_1": "一般",
        "pronunciation": "アイ",
        "accent_type": 1,
    }
    compound = {"surface": ["東京", "都"], "pronunciation": ["トーキョー", "ト"], "accent_type": [0, 1]}
    flat = compound | {"surface": ["声", "箱"], "accent_type": [1, 0], "part_of_speech": "動詞"}
    found, wrong = parse_dictionary_text(
        json.dumps({"1": word, "2": compound, "3": flat, "4": 5, "5": word | {"pronunciation": "x"}, "6": {}})
    )
    assert found == [
        DictionaryEntry("AI", "アイ", 1, "noun", 8),
        DictionaryEntry("東京都", "トーキョート", 5),
        DictionaryEntry("声箱", "トーキョート", 0, "verb"),
    ]
    assert len(wrong) == 3


BOX = DictionaryEntry("檜箱庵", "ヒノバコアン", 3)


@pytest.mark.parametrize(
    ("row", "entry"),
    [
        ("檜箱庵,,,0,名詞,固有名詞,一般,*,*,*,檜箱庵,ヒノバコアン,ヒノバコアン,3/6,*", BOX),
        ("檜箱庵,1348,1348,8609,名詞,固有名詞,一般,*,*,*,檜箱庵,ヒノバコアン,ヒノバコアン,3/6,C1,-1", BOX),
        ("檜箱庵,-1,-1,-4000,名詞,固有名詞,一般,*,*,*,*,*,ヒノバコアン,3/6,*", replace(BOX, priority=7)),
        ("檜箱庵,1288,1288,-99999999,名詞,固有名詞,一般,*,*,*,檜箱庵,ヒノバコアン,ヒノバコアン", replace(BOX, accent=0, priority=10)),
        ("檜箱庵,,,1,名詞,一般,*,*,*,*,檜箱庵,ひのばこあん,*,*/*,*", replace(BOX, accent=0, kind="noun")),
        ("檜箱庵,,,,名詞,固有名詞,ヒノバコアン,ヒノバコアン", replace(BOX, accent=0)),
        ("檜箱庵,,,,名詞,固有名詞,一般,*,*,*,ヒノバコアン", replace(BOX, accent=0)),
        ("檜箱庵,名詞,固有名詞,一般,*,*,*,ヒノバコアン,3/6", BOX),
        ("檜箱庵,,,0,名詞,固有名詞,一般,*,*,*,檜:箱庵,ヒノ:バコアン,ヒノ:バコアン,1/2:1/4,*", BOX),
        ("檜箱庵,,,0,名詞,固有名詞,一般,*,*,*,檜箱庵,ヒノバコアン,ヒノバコア’ン,3/6,*", BOX),
        ("カステラ,,,0,名詞,一般,*,*,*,*,*,*,*,*,*", DictionaryEntry("カステラ", "カステラ", 0, "noun")),
        ("走る,,,0,動詞,自立,*,*,五段・ラ行,基本形,走る,ハシル,ハシル,2/3,*", DictionaryEntry("走る", "ハシル", 2, "verb")),
    ],
)
def test_rows_of_mecab(row: str, entry: DictionaryEntry) -> None:
    assert parse_dictionary_text(row) == ([entry], [])
    assert parse_dictionary_text(f"sep=\t\n箱,ハコ\n{row}\n".replace(",", "\t")) == ([DictionaryEntry("箱", "ハコ"), entry], [])


def test_a_bad_line_costs_itself_and_is_named() -> None:
    set_language("ja")
    found, wrong = parse_dictionary_text(
        '箱,ハコ\n"声,コエ\n雪,,,0,名詞,固有名詞,一般,*,*,*,雪,ユキ,ユキ,9/2,*\n雨,,,0,名詞,一般,*,*,*,*,雨,*,*\n\n風,kaze\n声,コエ\n'
    )
    assert found == [DictionaryEntry("箱", "ハコ"), DictionaryEntry("声", "コエ")]
    assert [error.message for error in wrong] == [
        "2 行目: 単語として読み込めません。",
        "3 行目: 「雪」のアクセント位置または読みの長さが範囲外です。",
        "4 行目: 「雨」の読み「」は、ひらがなまたはカタカナではありません。",
        "6 行目: 「風」の読み「kaze」は、ひらがなまたはカタカナではありません。",
    ]
    set_language("en")
    _, wrong = parse_dictionary_text(json.dumps([{"surface": "箱", "reading": "ハコ"}, 5, {"surface": "声"}]))
    assert [error.message for error in wrong] == [
        "Word 2: This is not a word with its reading.",
        "Word 3 (“声”): The reading “” is not kana.",
    ]


def test_heads_in_japanese_and_kinds_of_the_library() -> None:
    assert parse_dictionary_text("表記;読み;アクセント\n声箱;こえばこ;3\n") == ([DictionaryEntry("声箱", "コエバコ", 3)], [])
    word = {"surface": "声箱", "pronunciation": "コエバコ", "accent_type": 3, "word_type": "COMMON_NOUN", "priority": 6, "mora_count": 4}
    assert parse_dictionary_text(json.dumps({"1": word})) == ([DictionaryEntry("声箱", "コエバコ", 3, "noun", 6)], [])


def test_no_spreadsheet_computes_a_word() -> None:
    words = [make_entry(surface, "あ") for surface in ("=1+1", "'=1", "-5度", "@x", "+", "'x")]
    written = format_entries_csv(words)
    assert not any(line[0] in "=+-@" for line in written.splitlines())
    assert parse_dictionary_text(written) == (words, [])


def test_a_table_without_a_head() -> None:
    found, wrong = parse_dictionary_text("声箱,こえばこ,3\n箱,はこ\n\n,x\n")
    assert found == [DictionaryEntry("声箱", "コエバコ", 3), DictionaryEntry("箱", "ハコ")]
    assert len(wrong) == 1


@pytest.mark.parametrize("text", ["{", "[[[[", '{"entries": 5}', "[" * 100_000])
def test_what_is_no_dictionary(text: str) -> None:
    with pytest.raises(InputError, match="not a dictionary"):
        parse_dictionary_text(text)


@pytest.mark.parametrize("data", [None, [], {}, {"version": 2, "entries": []}, {"version": 1, "entries": {}}])
def test_our_own_file_is_checked(data: object) -> None:
    with pytest.raises(ValueError, match="no dictionary"):
        parse_entries(data)


@pytest.mark.parametrize(
    "word",
    [
        None,
        5,
        "声",
        [],
        {"surface": "声"},
        {"surface": 5, "reading": "コエ"},
        {"surface": ["声"], "reading": "コエ"},
        {"surface": "声", "reading": "コエ", "accent": []},
        {"surface": "声", "reading": "コエ", "accent": True},
        {"surface": "声", "reading": "コエ", "accent": 1.5},
        {"surface": "声", "reading": "コエ", "accent": "1e3"},
        {"surface": "声", "reading": "コエ", "accent": "9" * 5000},
        {"surface": "声", "reading": "コエ", "priority": {}},
        {"surface": "声", "reading": "コエ", "priority": float("nan")},
        {"surface": "声", "reading": "コエ", "priority": float("inf")},
        {"surface": "声", "reading": "コエ", "kind": 5},
        {"surface": "声" * 100_000, "reading": "コエ"},
        {"surface": "声", "reading": "コ" * 100_000},
        {"surface": "声", "pronunciation": "コエ"},
        {"surface": "声", "pronunciation": "コエ", "accent_type": []},
        {"surface": "声", "pronunciation": "コエ", "accent_type": None},
        {"surface": "声", "pronunciation": ["コエ", 5], "accent_type": 0},
        {"surface": "声", "pronunciation": ["コ"] * 100_000, "accent_type": 0},
        {"surface": {}, "pronunciation": "コエ", "accent_type": 0},
        {"surface": "声", "pronunciation": "コエ", "accent_type": "x"},
        {"surface": "声", "pronunciation": "コエ", "accent_type": 1, "part_of_speech": [], "priority": []},
    ],
)
def test_a_word_of_another_form_costs_no_other_word(word: object) -> None:
    found, wrong = parse_dictionary_text(json.dumps([word, {"surface": "箱", "reading": "ハコ"}]))
    assert found == [DictionaryEntry("箱", "ハコ")]
    assert len(wrong) == 1
    with pytest.raises((ValueError, InputError)):
        parse_entries({"version": 1, "entries": [word]})


def test_numbers_beyond_all_others_are_wrong_words() -> None:
    for digits in ("1e400", "9" * 5000, "NaN", "-Infinity"):
        found, wrong = parse_dictionary_text(
            '[{"surface": "声", "reading": "コエ", "priority": DIGITS}, {"surface": "箱", "reading": "ハコ"}]'.replace("DIGITS", digits)
        )
        assert found == [DictionaryEntry("箱", "ハコ")]
        assert len(wrong) == 1


def test_more_words_than_a_dictionary_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary_formats, "MAX_DICTIONARY_ENTRIES", 3)
    words = [make_entry(surface, "あ") for surface in "声箱風雨"]
    for write in (format_exchange_json, format_entries_csv, lambda entries: json.dumps(convert_entries_to_data(entries))):
        assert len(parse_dictionary_text(write(words[:3]))[0]) == 3
        with pytest.raises(InputError, match="too many words"):
            parse_dictionary_text(write(words))
    with pytest.raises(InputError, match="too many words"):
        parse_dictionary_text("声,コエ\n" * 1_000_000)


def test_what_voicevox_writes_of_the_most_words_is_not_too_much() -> None:
    word = format_exchange_json([make_entry("声", "こえ")])
    assert 1.5 * sum(word.count(mark) for mark in "[{,") < dictionary_formats.MOST_VALUES_OF_ENTRY
