"""Texts with emoji as Nanairo voices were trained with them, against the front end of their trainer, and what must hold for any text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.adapters.user_dictionary import change_dictionary
from app.core.symbols import NANAIRO_EMOJI
from app.core.text.dictionary_entries import make_entry
from app.core.text.phone_ids import convert_phones_to_ids

G2P = OpenJTalkG2P()
PIECES = st.text(st.sampled_from("今日は、雨。3月4日ABC？ー「」(笑)😀 "), max_size=8)


@pytest.fixture(scope="module")
def golden(shared: Path) -> list[dict[str, Any]]:
    path = shared / "golden" / "nanairo_text.json"
    if not path.is_file():
        pytest.skip(f"no texts at {path}")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["symbols_after_111"] == list(NANAIRO_EMOJI)
    cases: list[dict[str, Any]] = data["cases"]
    return cases


def test_texts_equal_those_of_the_trainer_but_for_its_analyser(golden: list[dict[str, Any]]) -> None:
    """Accents, and numbers on the way to the phones, are the analyser's; all else is compared."""
    assert len(golden) == 20
    same_tones = 0
    for case in golden:
        phones = G2P.convert_sentence(case["text"], emoji=case["nanairo"])
        assert list(phones.phones) == case["phones"], case["text"]
        assert list(phones.word2ph) == case["word2ph"], case["text"]
        assert len(phones.text) == len(case["bert_text"])
        assert [char for char in phones.text if char in NANAIRO_EMOJI] == [char for char in case["bert_text"] if char in NANAIRO_EMOJI]
        same_tones += list(phones.tones) == case["tones"]
        assert convert_phones_to_ids(phones, add_blank=False, emoji=case["nanairo"]).phones.tolist() == case["phone_ids"]
        if case["nanairo"]:
            assert convert_phones_to_ids(phones, emoji=True).kinds.tolist() == case["duration_symbol_types_with_blanks"]
            assert all(tone == 0 for phone, tone in zip(phones.phones, case["tones"], strict=True) if phone in NANAIRO_EMOJI)
    assert same_tones >= 14  # ないで and hearsay そうです have other accents here: app/decisions/reading.md


@given(st.lists(st.tuples(PIECES, st.sampled_from(NANAIRO_EMOJI)), max_size=4), PIECES)
def test_what_lies_between_is_a_sentence_of_its_own(pieces: list[tuple[str, str]], last: str) -> None:
    whole = G2P.convert_sentence("".join(piece + symbol for piece, symbol in pieces) + last, emoji=True)
    phones: list[str] = []
    tones: list[int] = []
    word2ph: list[int] = []
    text = ""
    for piece, symbol in (*pieces, (last, "")):
        alone = G2P.convert_sentence(piece)
        phones += [*alone.phones[1:-1], *symbol]
        tones += [*alone.tones[1:-1], *(0 for _ in symbol)]
        word2ph += [*alone.word2ph[1:-1], *(1 for _ in symbol)]
        text += alone.text + symbol
    assert whole.phones == ("_", *phones, "_")
    assert whole.tones == (0, *tones, 0)
    assert whole.word2ph == (1, *word2ph, 1)
    assert whole.text == text


def test_no_accent_phrase_spans_an_emoji() -> None:
    whole = G2P.convert_sentence("そう？🤭こうしてる", emoji=True)
    assert whole.phrases[:3] == (0, 2, 3)
    assert G2P.convert_sentence("そう？🤭こうしてる").phrases[:2] == (0, 2)


def test_a_word_of_the_user_wins_over_the_symbol() -> None:
    change_dictionary(lambda _: (make_entry("😊", "にこにこ", 1),))
    forget_user_lexicon()
    try:
        for emoji in (True, False):
            assert G2P.convert_sentence("はい😊🥱", emoji=emoji).reading == "ハイニコニコ"
        assert G2P.convert_sentence("はい😊🥱", emoji=True).phones[-2] == "🥱"
    finally:
        change_dictionary(lambda _: ())
        forget_user_lexicon()


def test_the_bert_reads_each_as_one_token(shared: Path) -> None:
    vocabulary = shared / "reference" / "deberta-char-wwm" / "vocab.txt"
    if not vocabulary.is_file():
        pytest.skip(f"no vocabulary at {vocabulary}")
    tokenizer = CharTokenizer(vocabulary)
    unknown = vocabulary.read_text(encoding="utf-8").split("\n").index("[UNK]")
    ids = tokenizer.encode("".join(NANAIRO_EMOJI))[1:-1]
    assert len(ids) == len(NANAIRO_EMOJI)
    assert [symbol for symbol, token in zip(NANAIRO_EMOJI, ids, strict=True) if token == unknown] == ["🫣", "🫶"]
