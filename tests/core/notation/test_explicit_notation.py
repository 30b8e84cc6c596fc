"""Notation that says itself what it is: what is spoken of a text, and which readings stand at which letters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.text.notation.explicit_notation import convert_memos_to_notes, parse_noted_text, strip_notation
from app.core.text.notation.noted_text import NotedText, RubyReading
from app.core.text.sentence_splitting import split_sentences

NOTATION = st.lists(
    st.sampled_from([*"漢字々※かんカン、。｜|《》{}｛｝[]［］＃<> \n", "<ruby>", "<rt>", "</rt>", "<rb>", "</RUBY>", "［＃"]), max_size=40
)
ANY = NOTATION.map("".join) | st.text(max_size=80)


def readings(noted: NotedText) -> list[tuple[str, str]]:
    return [(noted.plain[ruby.start : ruby.end], ruby.reading) for ruby in noted.plain_rubies]


@pytest.mark.parametrize(
    ("text", "plain", "found"),
    [
        ("彼は山田《やまだ》です", "彼は山田です", [("山田", "やまだ")]),
        ("代々木《よよぎ》と三ヶ月《さんかげつ》", "代々木と三ヶ月", [("代々木", "よよぎ"), ("三ヶ月", "さんかげつ")]),
        ("この｜お父《とう》さん", "このお父さん", [("お父", "とう")]),
        ("|ABC《えーびーしー》", "ABC", [("ABC", "えーびーしー")]),
        ("｜モーニング娘。《モームス》", "モーニング娘。", [("モーニング娘。", "モームス")]),
        ("甲｜乙。丙丁《へいてい》", "甲｜乙。丙丁", [("丙丁", "へいてい")]),
        ("東《ひがし》山《やま》", "東山", [("東", "ひがし"), ("山", "やま")]),
        ("{今日|きょう}と｛明日｜あす｝", "今日と明日", [("今日", "きょう"), ("明日", "あす")]),
        ("<ruby>花<rt>はな</rt></ruby>よ", "花よ", [("花", "はな")]),
        ("<RUBY lang='ja'>花<RP>（</RP><RT class=a>はな</RT><RP>）</RP></RUBY>", "花", [("花", "はな")]),
        ("<ruby>\n 花 <rt> はな </rt>\n</ruby>よ", "花よ", [("花", "はな")]),
        ("<ruby>花<rt>はな<rp>)</ruby>", "花", [("花", "はな")]),
        ("<ruby><rb>花</rb><rb>火</rb><rt>はな</rt><rt>び</rt></ruby>", "花火", [("花", "はな"), ("火", "び")]),
        ("<ruby>花<rt>はな</rt>火<rt>び</rt></ruby>", "花火", [("花", "はな"), ("火", "び")]),
        ("<ruby><rb>花<rb>火<rt>はなび</ruby>", "花火", [("花火", "はなび")]),
        ("<ruby>差<rt>さ</rt>し支<rt>つか</rt>え</ruby>", "差し支え", [("差", "さ"), ("支", "つか")]),
        ("<ruby><ruby>花<rt>はな</rt></ruby><rt>hana</rt></ruby>", "花", [("花", "はな")]),
        ("蠱※［＃「惑」の俗字］《こわく》", "蠱※", [("蠱※", "こわく")]),
        ("［＃３字下げ］序［＃「序」は大見出し］", "序", []),
        ("［＃「［＃改ページ］」は注記］序", "序", []),
        # no notation
        ("小説《雪国》と映画《Film》", "小説《雪国》と映画《Film》", []),
        ("本物《《だけ》》", "本物《《だけ》》", []),
        ("よむ《よみ》", "よむ《よみ》", []),
        ("漢字《かんじ", "漢字《かんじ", []),
        ("{漢字|かんじ", "{漢字|かんじ", []),
        ("{a|b|c} {} {|}", "{a|b|c} {} {|}", []),
        ("<ruby>花<rt>はな</rt>", "<ruby>花<rt>はな</rt>", []),
        ("<ruby>花、<ruby>火<rt>ひ</rt></ruby></rt>", "<ruby>花、火</rt>", [("火", "ひ")]),
        ("[重要]［重要］ 文献[1]", "[重要]［重要］ 文献[1]", []),
        ("［＃閉じない", "［＃閉じない", []),
        # empty readings are none
        ("漢字《》{漢字|}<ruby>漢字<rt></rt></ruby>", "漢字漢字漢字", []),
    ],
)
def test_what_is_spoken_and_what_is_a_reading(text: str, plain: str, found: list[tuple[str, str]]) -> None:
    noted = parse_noted_text(text, memos=False)
    assert (noted.plain, readings(noted)) == (plain, found)


@pytest.mark.parametrize(
    ("text", "plain", "found"),
    [
        ("薔薇[明るく]の花［小さく］", "薔薇の花", []),
        ("花[a[b]c]火[]", "花火", []),
        ("花[閉じない", "花[閉じない", []),
        ("花[行が\n違う]", "花[行が\n違う]", []),
        ("{花|は[x]な}[{花|はな}]", "花", [("花", "はな")]),
    ],
)
def test_memos_are_left_out_where_they_are_wanted(text: str, plain: str, found: list[tuple[str, str]]) -> None:
    noted = parse_noted_text(text, memos=True)
    assert (noted.plain, readings(noted)) == (plain, found)


@pytest.mark.parametrize("memos", [False, True])
@settings(deadline=None)
@given(text=ANY)
def test_places_of_both_texts_belong_together(text: str, memos: bool) -> None:
    noted = parse_noted_text(text, memos=memos)
    silent = {place for start, end in noted.silent for place in range(start, end)}
    assert noted.plain == "".join(char for place, char in enumerate(text) if place not in silent)
    assert [text[noted.map_to_written(place)] for place in range(len(noted.plain))] == list(noted.plain)
    assert [noted.map_to_plain(noted.map_to_written(place)) for place in range(len(noted.plain))] == list(range(len(noted.plain)))
    assert all(ruby.start < ruby.end and ruby.reading for ruby in noted.plain_rubies)
    assert all(before.end <= after.start for before, after in zip(noted.rubies, noted.rubies[1:], strict=False))


@given(text=st.text(st.characters(exclude_characters="《{｛<［[")))
def test_a_text_without_notation_is_itself(text: str) -> None:
    assert parse_noted_text(text, memos=True) == NotedText(text)


@pytest.mark.parametrize("memos", [False, True])
@settings(deadline=None)
@given(text=ANY, limit=st.integers(20, 130))
def test_a_sentence_never_ends_within_notation(text: str, limit: int, memos: bool) -> None:
    noted = parse_noted_text(text, memos=memos)
    found = list(split_sentences(text, limit=limit, memos=memos))
    assert "".join(sentence.text for sentence in found) == text
    assert all(sentence.text for sentence in found)
    assert all(noted.find_notation(sentence.start) == (sentence.start, sentence.start) for sentence in found)
    assert "".join(strip_notation(sentence.text, memos=memos) for sentence in found) == noted.plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("花《はな。》が。次。", ["花《はな。》が。", "次。"]),
        ("｜花が。《はな》次。", ["｜花が。《はな》", "次。"]),
        ("花が[まだ。次に]咲く。次。", ["花が[まだ。次に]咲く。", "次。"]),
        ("花が。[次]咲く。[終わり]", ["花が。", "[次]咲く。[終わり]"]),
        ("[一人だけ。]", ["[一人だけ。]"]),
        ("花" + "[長いメモ。]" * 100 + "咲く。次。", ["花" + "[長いメモ。]" * 100 + "咲く。", "次。"]),
        ("あ" * 119 + "花火《はなび》", ["あ" * 119, "花火《はなび》"]),
    ],
)
def test_stops_in_notation_end_nothing(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text, memos=True)] == expected


def test_what_is_too_long_is_text() -> None:
    for text in (
        "漢" * 101 + "《か》",
        "漢《" + "か" * 201 + "》",
        "<ruby>" + "漢" * 101 + "<rt>か</rt></ruby>",
        "<ruby>漢<rt>" + "か" * 5000 + "</ruby>",
    ):
        noted = parse_noted_text(text, memos=False)
        assert len(noted.plain) >= 101


@pytest.mark.parametrize(
    "unit", ["｜", "漢《か》", "《》", "<ruby>", "<ruby>漢<rt>か</rt></ruby>", "[", "[a[b]", "{", "{漢|", "［＃", "［＃［"]
)
def test_work_is_linear(unit: str) -> None:
    """A hundred thousand letters; what took the square of them would take minutes."""
    parse_noted_text((unit * 100_000)[:100_000] + "漢《か》", memos=True)


def test_memos_become_notes_that_stay_unspoken() -> None:
    text = convert_memos_to_notes("花[a［b]c]と［小さく］火［＃注］[]")
    assert text == "花［＃a[b]c］と［＃小さく］火［＃注］［＃］"
    assert strip_notation(text, memos=False) == "花と火"


def test_of_two_readings_the_first_one_counts() -> None:
    noted = NotedText("漢字（かんじ）").add_notation([(2, 7)], [RubyReading(0, 2, "かんじ")])
    assert noted.add_notation([], [RubyReading(1, 2, "じ")]).rubies == noted.rubies
