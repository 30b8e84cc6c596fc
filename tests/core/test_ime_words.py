"""Dictionaries of input methods, and what an import of one would change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.core.text.dictionary_entries import DictionaryEntry, compare_import, make_entry
from app.core.text.dictionary_formats import (
    find_ime_kind,
    format_entries_csv,
    format_exchange_json,
    is_ime_text,
    parse_dictionary_text,
    parse_ime_lines,
)
from app.core.text.text_lines import decode_text

MICROSOFT = (
    "!Microsoft IME Dictionary Tool 98\r\n!Version:\r\n!Format:WORDLIST\r\n!User Dictionary Name: imjp\r\n\r\n"
    "こえばこ\t声箱\t固有名詞\t合成\r\nおせ\tお世話になっております\t短縮よみ\r\nはしる\t走る\tら行五段\r\nこわれた\r\n"
)
GOOGLE = "# 辞書\nこえばこ\t声箱\t固有名詞\t\nあーる\tR\t名詞\tコメント\nげんき\t元気\t名詞形動\t\nさん\tさん\t接尾人名\t\n"
KANA = st.text("あいうえおかきくけこさしすせそーん", min_size=1, max_size=8).filter(lambda text: text[0] not in "ーん")
SURFACE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=8)
KIND = st.sampled_from(("名詞", "固有名詞", "人名", "動詞ラ行五段", "形容詞", "接尾一般", "さ変名詞", "地名その他"))


@pytest.mark.parametrize("codec", ["utf-16", "utf-8", "utf-8-sig", "cp932"])
def test_the_text_of_microsoft_ime_is_read_in_its_encodings(codec: str) -> None:
    found, rejected = parse_dictionary_text(decode_text("ime.txt", MICROSOFT.encode(codec)))
    assert found == [make_entry("声箱", "コエバコ"), make_entry("走る", "ハシル", kind="verb")]
    assert [error.message.partition(":")[0] for error in rejected] == ["Line 7 (“お世話になっております”)", "Line 9"]


def test_the_text_of_google_is_read() -> None:
    found, rejected = parse_dictionary_text(GOOGLE)
    assert not rejected
    assert [(entry.surface, entry.kind) for entry in found] == [
        ("声箱", "proper_noun"),
        ("R", "noun"),
        ("元気", "noun"),
        ("さん", "suffix"),
    ]


@pytest.mark.parametrize(
    "text", ["", "声箱,こえばこ,3\n", "声箱\tこえばこ\t3\n", "surface\treading\tkind\n声箱\tこえばこ\tnoun\n", "{}", "声箱\tこえばこ\n"]
)
def test_other_tables_are_none_of_an_input_method(text: str) -> None:
    assert not is_ime_text(text)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("サ変名詞", "noun"),
        ("形容動詞", "noun"),
        ("一段動詞", "verb"),
        ("姓", "proper_noun"),
        ("副詞", "noun"),
        ("助数詞", "suffix"),
        ("", "noun"),
    ],
)
def test_parts_of_speech_become_kinds(part: str, kind: str) -> None:
    assert find_ime_kind(part) == kind
    with pytest.raises(InputError, match="no reading"):
        find_ime_kind("顔文字")


@given(st.lists(st.tuples(KANA, SURFACE, KIND, st.sampled_from(("", "メモ"))), min_size=1, max_size=8), st.sampled_from(("\n", "\r\n")))
def test_words_survive_the_way_through_the_file(words: list[tuple[str, str, str, str]], end: str) -> None:
    text = end.join(("! remark", *("\t".join(word) for word in words), ""))
    found, rejected = parse_dictionary_text(text)
    assert not rejected
    assert found == [make_entry(surface, reading, kind=find_ime_kind(part)) for reading, surface, part, _ in words]
    for other in (format_entries_csv(found), format_exchange_json({entry.surface: entry for entry in found}.values())):
        assert {entry.surface: entry for entry in parse_dictionary_text(other)[0]} == {entry.surface: entry for entry in found}


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    assert all(number > 0 for number, _ in parse_ime_lines("!Microsoft IME Dictionary Tool\n" + text))
    entries, rejected = parse_dictionary_text("!Microsoft IME Dictionary Tool\n" + text)
    assert len(entries) + len(rejected) == len(list(parse_ime_lines("!Microsoft IME Dictionary Tool\n" + text)))


def test_what_an_import_changes_is_known_before() -> None:
    mine = (make_entry("声箱", "コエバコ", 3), make_entry("箱", "ハコ"), make_entry("雨", "アメ", 1))
    theirs = [make_entry("声箱", "コエバコ"), make_entry("箱", "ハコ"), make_entry("森", "モリ"), make_entry("森", "シン")]
    found = compare_import(mine, theirs, [InputError("x", "y")])
    assert [entry.surface for entry in found.added] == ["森"]
    assert [entry.surface for entry in found.unchanged] == ["箱"]
    assert [(item.present.accent, item.imported.accent) for item in found.conflicts] == [(3, 0)]
    assert [(item.present.reading, item.imported.reading) for item in found.duplicates] == [("モリ", "シン")]
    assert len(found.rejected) == 1

    def read(keep: bool) -> dict[str, DictionaryEntry]:
        return {entry.surface: entry for entry in found.merge_into(mine, keep=keep)}

    assert read(False)["声箱"].accent == 0
    assert read(True)["声箱"].accent == 3
    assert read(True)["森"].reading == read(False)["森"].reading == "シン"
