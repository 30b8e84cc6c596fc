"""Phones as ids, and the places in them that a user edits."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.common.errors import InputError
from app.core.symbols import PUNCTUATION, SYMBOL_IDS, SYMBOLS, is_mora_end
from app.core.synthesis_types import Phones
from app.core.text.phone_ids import (
    NO_INDEX,
    apply_tones,
    convert_phones_to_ids,
    count_marks,
    count_moras,
    map_phones_to_marks,
    map_phones_to_moras,
)
from app.core.text.pronunciation import PHONES_BY_MORA, Word, convert_words_to_phones, find_mora_phones, split_moras

GOLDEN = Path(__file__).parent.parent / "golden" / "phone_ids.json"

WORDS = (Word("声", "コエ", 1), Word("を", "ヲ", is_joined=True), Word(",", ""), Word("聞っ", "キッ"), Word("!", ""))
PHONES = convert_words_to_phones(WORDS)


def test_golden_ids() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert list(SYMBOLS) == golden["symbols"]
    for case in golden["sentences"]:
        word2ph = np.array(case["word2ph"])
        word2ph[0] -= 1
        tones = tuple(tone - 6 for tone in case["tones"][1::2])
        phones = Phones(case["bert_text"], "", tuple(case["phones"]), tones, tuple((word2ph // 2).tolist()))
        ids = convert_phones_to_ids(phones)
        assert ids.phones.tolist() == case["x_tst"]
        assert ids.tones.tolist() == case["tones"]
        assert ids.language.tolist() == case["language"]
        assert ids.word2ph.tolist() == case["word2ph"]
        assert ids.phones.dtype == ids.tones.dtype == ids.language.dtype == ids.word2ph.dtype == np.int64


def test_without_blanks_and_for_multilingual_voices() -> None:
    phones = convert_words_to_phones([Word("本", "ホン")])
    plain = convert_phones_to_ids(phones, add_blank=False)
    assert [SYMBOLS[index] for index in plain.phones] == ["_", "h", "o", "N", "_"]
    assert plain.word2ph.tolist() == [1, 3, 1]
    multilingual = convert_phones_to_ids(phones, multilingual=True, add_blank=False)
    assert [SYMBOLS[index] for index in multilingual.phones] == ["_", "h", "o", "n", "_"]


def test_a_phone_outside_the_table_is_an_input_error() -> None:
    with pytest.raises(InputError) as caught:
        convert_phones_to_ids(Phones("あ", "ア", ("_", "kw", "_"), (0, 0, 0), (1, 1, 1)))
    assert "kw" in caught.value.message
    assert caught.value.hint


def test_words_become_phones_tones_and_word2ph() -> None:
    assert PHONES.phones == ("_", "k", "o", "e", "o", ",", "k", "i", "q", "!", "_")
    assert PHONES.tones == (0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0)
    assert PHONES.word2ph == (1, 3, 1, 1, 2, 1, 1, 1)
    assert PHONES.text == "声を,聞っ!"
    assert PHONES.reading == "コエヲキッ"


def test_words_without_sound_leave_no_trace() -> None:
    assert convert_words_to_phones([]) == Phones("", "", ("_", "_"), (0, 0), (1, 1))
    assert convert_words_to_phones([Word("🍣", ""), Word("ー", "ー")]) == Phones("", "", ("_", "_"), (0, 0), (1, 1))


def test_accent_heights() -> None:
    def heights(*words: Word) -> str:
        phones = convert_words_to_phones(words)
        return "".join(str(tone) for phone, tone in zip(phones.phones, phones.tones, strict=True) if is_mora_end(phone))

    assert heights(Word("箸", "ハシ", 1), Word("が", "ガ", is_joined=True)) == "100"
    assert heights(Word("橋", "ハシ", 2), Word("が", "ガ", is_joined=True)) == "010"
    assert heights(Word("端", "ハシ", 0), Word("が", "ガ", is_joined=True)) == "011"
    assert heights(Word("木", "キ", 1)) == "0", "one mora alone stays low"
    assert heights(Word("端", "ハシ"), Word("橋", "ハシ", 2)) == "0101"
    assert heights(Word("端", "ハシ"), Word(",", ""), Word("割", "ワリ", is_joined=True)) == "0100", "a level stretch after a pause is low"


def test_morae_and_marks_are_counted_apart() -> None:
    assert map_phones_to_moras(PHONES.phones) == (NO_INDEX, 0, 0, 1, 2, NO_INDEX, 3, 3, 4, NO_INDEX, NO_INDEX)
    assert map_phones_to_marks(PHONES.phones) == (*[NO_INDEX] * 5, 0, *[NO_INDEX] * 3, 1, NO_INDEX)
    assert count_moras(PHONES.phones) == 5
    assert count_marks(PHONES.phones) == 2


def test_tones_of_single_morae_can_be_replaced() -> None:
    edited = apply_tones(PHONES, {0: 0, 4: 0, 99: 1})
    assert edited.tones == (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert edited.phones == PHONES.phones
    assert apply_tones(PHONES, {}) is PHONES


def test_every_mora_is_in_the_symbol_table_and_rare_ones_decompose() -> None:
    assert {phone for phones in PHONES_BY_MORA.values() for phone in phones} <= set(SYMBOL_IDS)
    rare = {
        "グァ": "g u a",
        "クァ": "k u a",
        "ツィ": "ts i",
        "ヴョ": "by o",
        "テャ": "ty a",
        "フュ": "hy u",
        "デェ": "d e e",
        "キェ": "ky e",
    }
    for mora, phones in rare.items():
        assert split_moras(mora) == [mora]
        assert " ".join(find_mora_phones(mora, "")) == phones
    assert split_moras("ニャーッチョン") == ["ニャ", "ー", "ッ", "チョ", "ン"]
    assert find_mora_phones("ー", "a") == ("a",)
    assert find_mora_phones("ー", "") == ()
    assert set(SYMBOL_IDS) >= PUNCTUATION


def test_phones_check_themselves() -> None:
    with pytest.raises(ValueError, match="word2ph"):
        Phones("あ", "ア", ("_", "a", "_"), (0, 0, 0), (1, 2, 1))
