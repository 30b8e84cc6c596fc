"""Phones as the tokens of Kokoro-82M."""

import re
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compose.text_front_end import open_g2p
from app.core.symbols import PUNCTUATION, VOWEL_PHONES
from app.core.synthesis_types import Phones
from app.core.text.phone_ids import KOKORO_PAD_ID, KOKORO_TOKEN_IDS, convert_phones_to_tokens
from app.core.text.pronunciation import PHONES_BY_MORA, Word, convert_words_to_phones

LETTERS = {token: letter for letter, token in KOKORO_TOKEN_IDS.items()} | {KOKORO_PAD_ID: "|"}

SPELLINGS = {
    "雨が降る。": "|ameɡa ɸɯɾɯ.|",
    "飴を食べる。": "|ameo tabeɾɯ.|",
    "学校へ行った。": "|ɡaʔkoːe iʔta.|",
    "新聞を読んだ。": "|ɕimbɯno jonda.|",
    "三月に本屋で。": "|saŋɡaʦɨɲi honjade.|",
    "ティッシュとファイル、ヴァイオリン。": "|tʲiʔɕɨto ɸaiɾɯ, vaioɾʲiɴ.|",
    "東京は大きい都市です。": "|toːkʲoːβa oːkʲiː toɕidesɨ.|",
    "「はい」と言った！": "|“hai” to iʔta!|",
    "お客様ですか？": "|okʲakɯsamadesɨka?|",
    "ふつうの実家の図書館。": "|ɸɯʦɨːno ʥiʔkano toɕokaɴ.|",
    "スーパーの料理": "|sɨːpaːno ɾʲoːɾʲi|",
    "百貨店。": "|çaʔkateɴ.|",
}


def spell(phones: Phones) -> str:
    """The letters of all tokens."""
    return "".join(LETTERS[token] for token in convert_phones_to_tokens(phones).phones.tolist())


def phones_of(*phones: str, phrases: tuple[int, ...] = (0,)) -> Phones:
    """A sentence of these phones, all in one character."""
    return Phones("字", "ジ", ("_", *phones, "_"), (0,) * (len(phones) + 2), (1, len(phones), 1), phrases=phrases)


@pytest.mark.parametrize("text", SPELLINGS)
def test_sentences_are_spelled_as_the_model_was_trained(text: str) -> None:
    assert spell(open_g2p().convert_sentence(text)) == SPELLINGS[text]


def test_the_symbols_of_a_character_are_those_of_its_phones() -> None:
    phones = open_g2p().convert_sentence("三月に本屋で。")
    ids = convert_phones_to_tokens(phones)
    bounds = np.concatenate(([0], np.cumsum(ids.word2ph)))
    letters = spell(phones)
    parts = [letters[start:end] for start, end in pairwise(bounds)]
    assert parts == ["|", "saŋɡ", "aʦɨ", "ɲi ", "hon", "ja", "de", ".", "|"]


@pytest.mark.parametrize("kana", PHONES_BY_MORA)
def test_every_mora_can_be_spoken_after_and_before_every_other_kind(kana: str) -> None:
    phones = PHONES_BY_MORA[kana]
    for before, after in product(((), ("a",), ("N",), ("q",), ("ts", "u")), ((), ("i",), ("k", "u"), ("b", "o"), (",",), ("'",))):
        ids = convert_phones_to_tokens(phones_of(*before, *phones, *after))
        assert (ids.symbol_counts >= 1).all(), kana
        assert KOKORO_PAD_ID not in ids.phones[1:-1], kana


def test_morae_with_other_phones_are_spelled_in_another_way() -> None:
    """A mora that sounds as another one would be a sound that is lost."""
    by_phones = {phones: spell(phones_of(*phones)) for phones in PHONES_BY_MORA.values()}
    spelled: dict[str, list[tuple[str, ...]]] = {}
    for phones, letters in by_phones.items():
        spelled.setdefault(letters, []).append(phones)
    assert {letters: found for letters, found in spelled.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("after", "letter"),
    [("b", "m"), ("by", "m"), ("p", "m"), ("m", "m"), ("k", "ŋ"), ("gy", "ŋ"), ("t", "n"), ("n", "n"), ("y", "n"), ("s", "n"), ("a", "n")],
)
def test_the_moraic_nasal_is_said_where_the_next_phone_is(after: str, letter: str) -> None:
    rest = () if after in VOWEL_PHONES else ("a",)
    assert spell(phones_of("a", "N", after, *rest))[2] == letter


@pytest.mark.parametrize("after", [(), *((mark,) for mark in sorted(PUNCTUATION))])
def test_the_moraic_nasal_at_the_end_is_uvular(after: tuple[str, ...]) -> None:
    assert spell(phones_of("a", "N", *after))[2] == "ɴ"


def test_a_repeated_vowel_is_long_but_not_across_phrases() -> None:
    assert spell(phones_of("k", "o", "o", "o")) == "|koːː|"
    assert spell(phones_of("k", "o", "o", phrases=(0, 1))) == "|ko o|"
    assert spell(phones_of("i", "i", "y", "u", "u")) == "|iːjɯː|"


def test_only_the_first_phone_of_a_phrase_has_a_space_before_it() -> None:
    assert spell(phones_of("k", "a", "k", "i", phrases=(0, 1))) == "|ka kʲi|"
    assert spell(phones_of("k", "a", ",", "k", "i", phrases=(0, 1))) == "|ka, kʲi|"
    assert spell(phones_of("k", "a", "k", "i", phrases=(0, 9))) == "|kakʲi|"  # phrases of another reading
    assert spell(phones_of("k", "a", phrases=())) == "|ka|"


def test_marks_are_spelled() -> None:
    assert spell(phones_of("'", "a", "'", "'", "i", "'", "?")) == "|“a”“i”?|"
    assert spell(phones_of("a", "-", "i", "!", "?", ".")) == "|a,i!?.|"


def test_high_vowels_and_their_consonants() -> None:
    assert [spell(phones_of(*mora.split()))[1:-1] for mora in ("z u", "z a", "j u", "h i", "hy a", "n i", "ny u", "t i", "ty u", "d u")] == [
        "zɨ", "ʣa", "ʥɨ", "çi", "ça", "ɲi", "ɲɯ", "tʲi", "tʲɯ", "dɯ",
    ]  # fmt: skip


KANA = sorted(kana for kana in PHONES_BY_MORA if re.fullmatch("[ァ-ヶ]+", kana) and kana[0] not in "ァィゥェォャュョヮヵヶ")
WORDS = st.lists(
    st.one_of(
        st.builds(
            lambda moras, accent, joined: Word("字" * len(moras), "".join(moras), min(accent, len(moras)), is_joined=joined),
            st.lists(st.sampled_from(KANA), min_size=1, max_size=6),
            st.integers(0, 6),
            st.booleans(),
        ),
        st.builds(lambda mark: Word(mark, ""), st.sampled_from(sorted(PUNCTUATION))),
    ),
    max_size=12,
)


@given(WORDS)
def test_every_phone_has_tokens_and_every_token_a_phone(words: list[Word]) -> None:
    phones = convert_words_to_phones(words)
    ids = convert_phones_to_tokens(phones)
    assert len(ids.symbol_counts) == len(phones.phones)
    assert ids.symbol_counts.min() >= 1
    assert ids.symbol_counts.sum() == ids.word2ph.sum() == len(ids.phones)
    assert len(ids.word2ph) == len(phones.word2ph)
    assert np.array_equal(np.diff(ids.edges), ids.symbol_counts)
    assert ids.edges[0] == 0
    assert ids.edges[-1] == len(ids.phones)
    assert np.array_equal(ids.tones, np.repeat(phones.tones, ids.symbol_counts))
    assert ids.phones[0] == ids.phones[-1] == KOKORO_PAD_ID
    assert set(ids.phones.tolist()) <= LETTERS.keys()
    assert ids.phones.dtype == ids.symbol_counts.dtype == ids.word2ph.dtype == np.int64


@given(WORDS)
def test_spaces_stand_between_phrases_alone(words: list[Word]) -> None:
    phones = convert_words_to_phones(words)
    letters = spell(phones)
    inner = [mora for mora in phones.phrases if mora]
    assert letters.count(" ") == len(inner)
    assert "  " not in letters
