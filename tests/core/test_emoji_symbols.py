"""Emoji as symbols: which there are, what stands for them, their kinds, and what becomes of them in lines and their edits."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.common.errors import InputError
from app.core.script.script import Line, Script
from app.core.script.script_data import convert_script_to_data, parse_script
from app.core.sound.line_edits import list_phrases, may_toggle_phrase, move_overrides_to_text, set_accent, set_mora_length, toggle_phrase
from app.core.sound.line_reading import LineReading, read_line
from app.core.symbols import EMOJI_IDS, NANAIRO_EMOJI, SYMBOLS
from app.core.synthesis_types import MoraOverride, Overrides, Phones, ReadingOverride
from app.core.text.emoji_symbols import find_emoji, has_emoji, trim_emoji
from app.core.text.phone_ids import apply_tones, convert_phones_to_ids, count_moras, list_symbol_kinds
from app.core.text.sentence_splitting import split_sentences

G2P = OpenJTalkG2P()
TEXT = "そう？🤭こうして😮‍💨橋を渡る。"
GIGGLE, SIGH = 2, 7  # morae
ALIKE = "😡😤😂🤣😢🥲😨😥😧😦😣😫😓🥰☺❤💕🤨😜😼🤢🤮"


def read(
    text: str, readings: tuple[ReadingOverride, ...] = (), emoji: bool = True, memos: bool = False, english: bool = False
) -> LineReading:
    return read_line(text, readings, G2P, emoji=emoji, memos=memos, english=english)


def kana(reading: LineReading) -> list[str]:
    return [mora.kana for mora in reading.moras]


def test_ids_follow_those_of_jp_extra_in_order_of_code_point() -> None:
    assert list(EMOJI_IDS.values()) == list(range(len(SYMBOLS), 151))
    assert list(NANAIRO_EMOJI) == sorted(NANAIRO_EMOJI)
    assert (EMOJI_IDS["⏩"], EMOJI_IDS["💨"], EMOJI_IDS["🫶"]) == (112, 121, 150)
    assert all(len(symbol) == 1 for symbol in NANAIRO_EMOJI), "one character for the BERT"


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("⏸", "⏸"),
        ("⏸️", "⏸"),
        ("👌🏽", "👌"),
        ("👌️🏿", "👌"),
        ("😮‍💨", "💨"),
        ("😮️‍💨", "💨"),
        ("😮💨", "😮💨"),
        ("😡😤", "😠😠"),
        ("❤️💕", "🫶🫶"),
        ("☺️", "😊"),
        ("😀🏽️", ""),
        ("a😀b", ""),
    ],
)
def test_likenesses_and_how_they_are_dressed(written: str, symbols: str) -> None:
    places = find_emoji(written)
    assert "".join(place.symbol for place in places) == symbols
    assert "".join(written[place.start : place.end] for place in places) == (written if symbols else "")
    assert has_emoji(written) == bool(symbols)


def test_every_likeness_stands_for_a_symbol() -> None:
    assert all(find_emoji(char)[0].symbol in EMOJI_IDS for char in ALIKE)


@pytest.mark.parametrize("symbol", [*NANAIRO_EMOJI, *ALIKE, "😮‍💨", "👌🏽"])
def test_for_other_voices_they_all_vanish(symbol: str) -> None:
    assert G2P.convert_sentence(f"今日は{symbol}晴れ") == G2P.convert_sentence("今日は晴れ")
    assert not G2P.convert_sentence(symbol).is_spoken


@given(st.text(st.sampled_from("あ。😊🏽\ufe0f\u200d💨😮❤x"), max_size=8))
def test_a_stretch_is_trimmed_to_what_is_no_emoji(text: str) -> None:
    start, end = trim_emoji(text, 0, len(text))
    kept, places = text[start:end], find_emoji(text[start:end])
    if "".join(text[place.start : place.end] for place in find_emoji(text)) == text:
        assert kept == text, "nothing else is in it"
    else:
        assert kept
        assert not places or (places[0].start > 0 and places[-1].end < len(kept))


def test_kinds_of_symbols() -> None:
    phones = ("_", "a", ",", ".", "a", ".", ".", ".", "?", "!", "'", "-", "🌬", "🥱", "😊", "N", "q", "SP", "…", "UNK", "_")
    assert list_symbol_kinds(phones) == [1, 0, 2, 3, 0, 4, 4, 4, 5, 6, 7, 8, 9, 9, 10, 0, 0, 1, 0, 0, 1]
    assert [symbol for symbol in NANAIRO_EMOJI if list_symbol_kinds((symbol,)) == [9]] == list("🌬👅💋💨🤧🥤🥱")


def test_neighbours_are_looked_at_before_blanks_are_put_in() -> None:
    ids = convert_phones_to_ids(G2P.convert_sentence("はい…。🥱", emoji=True), emoji=True)
    assert ids.kinds.tolist() == [1, 1, 1, 0, 1, 0, 1, 0, 1, *(4, 1) * 4, 9, 1, 1, 1]
    plain = convert_phones_to_ids(G2P.convert_sentence("はい。", emoji=True), add_blank=False)
    assert plain.kinds.tolist() == [1, 0, 0, 0, 3, 1]


def test_only_voices_that_know_them_take_them() -> None:
    phones = G2P.convert_sentence("🥱", emoji=True)
    ids = convert_phones_to_ids(phones, emoji=True)
    assert ids.phones.tolist() == [0, 0, 0, 145, 0, 0, 0]
    assert ids.tones.tolist() == [0, 6, 0, 6, 0, 6, 0]
    with pytest.raises(InputError, match="🥱"):
        convert_phones_to_ids(phones)


def test_they_end_a_piece_or_begin_the_next_one() -> None:
    cut = [sentence.text for sentence in split_sentences("やった！😊\n次だ。😮‍💨そう？🤭こう「え。」👌🏽 🥱")]
    assert cut == ["やった！😊\n", "次だ。", "😮‍💨そう？", "🤭こう「え。」👌🏽 ", "🥱"]


def test_each_is_a_mora_of_its_own() -> None:
    reading = read(TEXT)
    assert kana(reading) == [*"ソー", "🤭", *"コーシテ", "💨", *"ハシヲワタル"]
    assert [mora.tone for mora in reading.moras if mora.is_emoji] == [0, 0]
    assert "".join(kana(read(TEXT, emoji=False))) == "ソーコーシテハシヲワタル"
    alone = read("🥱")
    assert (kana(alone), alone.silent) == (["🥱"], frozenset())
    assert read("🥱", emoji=False).silent == {0}


def test_it_has_no_accent_and_nothing_joins_it() -> None:
    reading = read(TEXT)
    starts = [phrase.start for phrase in list_phrases(reading, Overrides())]
    assert {GIGGLE, GIGGLE + 1, SIGH, SIGH + 1} <= set(starts)
    assert set_accent(reading, Overrides(), SIGH, 1) == Overrides()
    for mora in (GIGGLE, GIGGLE + 1, SIGH, SIGH + 1):
        assert not may_toggle_phrase(reading, mora)
        assert toggle_phrase(reading, Overrides(), mora) == Overrides()


def test_whatever_is_edited_it_stays_low() -> None:
    phones = G2P.convert_sentence("🥱あめ", emoji=True)
    raised = apply_tones(phones, {0: 1, 1: 1, 2: 0})
    assert raised.tones == (0, 0, 1, 0, 0, 0)
    assert count_moras(phones.phones) == 3


def test_edits_find_their_mora_whichever_voice_speaks() -> None:
    reading = read(TEXT)
    bridge = kana(reading).index("ハ")
    edits = replace(set_mora_length(Overrides(), bridge, 0.3), text=TEXT, emoji=True)
    plain = move_overrides_to_text(edits, TEXT, read, emoji=False)
    assert [kana(read(TEXT, emoji=False))[edit.mora] for edit in plain.moras] == ["ハ"]
    assert (plain.moras[0].mora, plain.emoji) == (bridge - 2, False)
    assert move_overrides_to_text(plain, TEXT, read, emoji=True) == edits


def test_the_length_of_an_emoji_is_lost_with_it_and_no_other() -> None:
    edits = Overrides(moras=(MoraOverride(GIGGLE, length_s=0.5), MoraOverride(SIGH + 1, 1)), text=TEXT, emoji=True)
    plain = move_overrides_to_text(edits, TEXT, read, emoji=False)
    assert plain.moras == (MoraOverride(SIGH - 1, 1),)


def test_without_emoji_in_the_text_nothing_is_counted_anew() -> None:
    edits = Overrides(moras=(MoraOverride(1, 1),), text="雨が降る。", emoji=True)

    def never(*_: object) -> LineReading:
        raise AssertionError("read again")

    assert move_overrides_to_text(edits, "雨が降る。", never, emoji=False) is edits


def test_scripts_from_before_count_without_them() -> None:
    line = Line(TEXT, overrides=Overrides(moras=(MoraOverride(5, 1),), text=TEXT), id="a")
    data = convert_script_to_data(Script((line,)))
    assert "emoji" not in data["lines"][0]["overrides"]
    counted = replace(line, overrides=replace(line.overrides, emoji=True))
    assert parse_script(convert_script_to_data(Script((counted,)))).lines[0] == counted
    with pytest.raises(ValueError, match="overrides"):
        parse_script({"version": 1, "lines": [{"text": "雨", "overrides": {"emoji": "yes"}}]})


def test_what_is_only_emoji_is_spoken_and_marks_are_not() -> None:
    assert Phones("🥱", "", ("_", "🥱", "_"), (0, 0, 0), (1, 1, 1)).is_spoken
    assert not Phones(".", "", ("_", ".", "_"), (0, 0, 0), (1, 1, 1)).is_spoken


def test_a_word_does_not_take_a_silent_emoji_with_it() -> None:
    reading = read(TEXT, emoji=False)
    written = [TEXT[word.start : word.end] for word in reading.words]
    assert {"こうして", "橋"} <= set(written)
    assert not any(has_emoji(word) for word in written)


def test_a_reading_given_to_an_emoji_wins() -> None:
    given_reading = (ReadingOverride("🤭", "うふふ"),)
    for emoji in (True, False):
        assert G2P.convert_sentence("そう🤭ね", given_reading, emoji=emoji).reading == "ソーウフフネ"
    reading = read("そう🤭ね", given_reading)
    assert "🤭" in ["そう🤭ね"[word.start : word.end] for word in reading.words]
