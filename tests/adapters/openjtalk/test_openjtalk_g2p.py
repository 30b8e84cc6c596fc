"""Text to phones with the real front end: parity with SBV2, readings, the user's readings, and text that nobody expects."""

import json
import re
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk import mecab_words
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.adapters.openjtalk.reading_choices import READING_CHOICES
from app.common.errors import InputError, InternalError
from app.core.synthesis_types import Phones, ReadingOverride
from app.core.text.phone_ids import convert_phones_to_ids
from app.core.text.sentence_splitting import split_sentences

# One number of ten, 四乗根 as ヨンジョーネ, 空集合 as ソラシューゴー: see app/decisions/reading.md.
MENDED = ("①②③④⑤⑥⑦⑧⑨⑩", "∜16", "∅", "2024年05月08日 00時00分")  # 零時 is レージ
GOLDEN = Path(__file__).parent.parent.parent / "golden" / "g2p_rohan_300.jsonl"
NOTHING = Phones("", "", ("_", "_"), (0, 0), (1, 1))
G2P = OpenJTalkG2P()


def check(text: str) -> Phones:
    """What must hold for any text whatever."""
    phones = G2P.convert_sentence(text)
    convert_phones_to_ids(phones)  # knows every phone
    assert unicodedata.normalize("NFKC", phones.text) == phones.text
    assert not any(char.isspace() for char in phones.text), "a character that the tokenizer drops"
    assert not re.search(r"[\ud800-\udfff]", phones.text)
    assert re.fullmatch("[ァ-ヺー]*", phones.reading)
    return phones


def test_parity_with_sbv2() -> None:
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 300
    same_phones = same_all = 0
    for case in cases:
        phones = G2P.convert_sentence(case["text"])
        if list(phones.phones) == case["phones"]:
            same_phones += 1
            same_all += list(phones.tones) == case["tones"] and list(phones.word2ph) == case["word2ph"]
    assert same_phones >= 298
    assert same_all >= 291  # app/decisions/reading.md lists the kinds of accent that differ on purpose


def test_all_sentences_of_the_corpus_speak(shared: Path) -> None:
    for line in (shared / "texts" / "rohan4600.txt").read_text(encoding="utf-8").splitlines()[::7]:
        assert len(check(line).phones) > 10, line


def test_golden_readings(shared: Path) -> None:
    cases = json.loads((shared / "golden" / "readings.json").read_text(encoding="utf-8"))["cases"]
    wrong = [text for text, reading in cases.items() if _katakana(G2P.convert_sentence(text).reading) != _katakana(reading)]
    assert len(wrong) <= 0.01 * len(cases), wrong


def test_golden_normalisation(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(READING_CHOICES, "links", "all")  # as these were read
    cases = json.loads((shared / "golden" / "normalise.json").read_text(encoding="utf-8"))["cases"]
    wrong = [
        case["text"] for case in cases if case["text"] not in MENDED and list(G2P.convert_sentence(case["text"]).phones) != case["phones"]
    ]
    assert len(wrong) <= 0.015 * len(cases), wrong


def _katakana(text: str) -> str:
    return re.sub(r"[^ァ-ヺー]", "", text)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("8分", "ハップン"),
        ("腹八分", "ハラハチブ"),
        ("何色が好き？", "ナニイロガスキ"),
        ("うわぁwww", "ウワーワラワラ"),
        ("草ｗ", "クサワラ"),
        ("あーーー", "アーーー"),
        ("(^^) はい", "ハイ"),
        ("ｶﾞｷﾞｸﾞ", "ガギグ"),
        ("か゛", "ガ"),
        ("あ゛", "ア"),
        ("\udfffあ\x00い\u202e", "アイ"),
        ("café", "カフェ"),
        ("第Ⅲ章", "ダイサンショー"),
        ("は、は、はい！", "ハハハイ"),
        ("彼が「は？」と「行く」は、と言う。", "カレガハトイクワトイウ"),
        ("「は、は、はい」", "ハハハイ"),
        ("「へ」の字へ、へえ。", "ヘノジエヘー"),
        ("は行の音", "ハギョーノオト"),
        ("うっうわっ、くっう", "ウッウワックッウ"),
        ("海へ行かう。言はう。向かう、逆らう", "ウミエイコーイオームカウサカラウ"),
        ("さうでせう、物を言ふ。行つた。仰せ給ふ", "ソーデショーモノヲイウイッタオーセタマウ"),
        ("見る〱ところ〲", "ミルミルトコロドコロ"),
        ("youtube、Youtube、YOUTUBE", "ユーチューブユーチューブユーチューブ"),
        ("youtubersとimacとNvidia", "ユーチューバーズトアイマックトエヌビディア"),
        ("solarとSOLAR", "ソラートエスオーエルエーアール"),
        ("！！！", ""),
        ("「」", ""),
    ],
)
def test_readings(text: str, reading: str) -> None:
    assert check(text).reading == reading


@pytest.mark.parametrize(
    "text", ["", " \t\u3000", "😀🇯🇵", "\ud800", "\x00\x1f", "〜〜〜", "ーーー", "(´・ω・`)", "한국어", "\ue000", "゛゜", "々"]
)
def test_nothing_readable_gives_only_the_edges(text: str) -> None:
    assert check(text) == NOTHING


def test_marks_alone_are_phones_without_a_reading() -> None:
    assert check("！！！？？？。。。").phones == ("_", "!", "!", "!", "?", "?", "?", ".", ".", ".", "_")
    assert check("……").phones == ("_", *"......", "_")


@given(text=st.text(max_size=60) | st.text(alphabet=st.characters(max_codepoint=0x3100, exclude_categories=()), max_size=60))
def test_any_text_speaks_and_its_characters_are_tokens(text: str) -> None:
    check(text)
    assert "".join(G2P.split_words(text)) == text


@pytest.mark.parametrize("unit", ["あ", "1", "漢", "っ", "a", "ｗ", "々", "(", "-", "1:", "🍣", "\ud800", "1e5", "𠮷", "aB-", "「"])
def test_ten_thousand_characters(unit: str) -> None:
    check((unit * 10_000)[:10_000])


def test_words_join_to_the_text() -> None:
    text = "今日は良い天気ですね。ABC defと１２ｱｲ😀\n終わり"
    words = G2P.split_words(text)
    assert "".join(words) == text
    assert {"今日", "天気", "ABC", "終わり"} <= set(words)
    assert G2P.split_words("") == []
    long = "吾輩は猫である" * 40
    assert all(sentence.text.endswith(("吾輩", "は", "猫", "で", "ある")) for sentence in split_sentences(long, G2P.split_words))


def test_a_reading_of_the_user_replaces_the_word() -> None:
    plain = G2P.convert_sentence("今日は良い天気ですね")
    told = G2P.convert_sentence("今日は良い天気ですね", [ReadingOverride("今日", "こんにち", 2)])
    assert told.reading == "コンニチワヨイテンキデスネ"
    assert told.text == plain.text
    assert told.phones[1:9] == ("k", "o", "N", "n", "i", "ch", "i", "w")
    assert told.tones[1:10] == (0, 0, 1, 0, 0, 0, 0, 0, 0)
    assert told.word2ph[1:3] == (4, 3)
    assert told.phones[10:] == plain.phones[6:]


def test_a_reading_reaches_the_phones_unchanged() -> None:
    assert G2P.convert_sentence("東京", [ReadingOverride("東京", "とうきょう")]).phones == ("_", "t", "o", "u", "ky", "o", "u", "_")
    assert G2P.convert_sentence("母は", [ReadingOverride("母は", "ハハハ", 1)]).phones == ("_", *"hahaha", "_")


def test_readings_of_parts_signs_numbers_and_chosen_occurrences() -> None:
    part = G2P.convert_sentence("生ビールと生野菜", [ReadingOverride("生", "キ", 1, occurrence=0)])
    assert part.reading.startswith("キビール")
    flat = G2P.convert_sentence("東京都に", [ReadingOverride("京都", "ミヤコ")])
    assert flat.reading == "ヒガシミヤコニ"
    assert flat.tones[-8:-1] == (0, 0, 1, 1, 1, 1, 1, 1)[-7:]
    assert (
        G2P.convert_sentence(
            "3/4と😀と100", [ReadingOverride("3/4", "あ"), ReadingOverride("😀", "え"), ReadingOverride("100", "お")]
        ).reading
        == "アトエトオ"
    )
    second = G2P.convert_sentence("橋と橋と橋", [ReadingOverride("橋", "キョー", occurrence=1)])
    assert second.reading == "ハシトキョートハシ"
    every = G2P.convert_sentence("橋と橋と橋", [ReadingOverride("橋", "キョー")])
    assert every.reading == "キョートキョートキョー"
    assert G2P.convert_sentence("橋", [ReadingOverride("谷", "タニ"), ReadingOverride("", "ア")]) == G2P.convert_sentence("橋")


def test_a_thousand_readings_in_one_line() -> None:
    phones = G2P.convert_sentence("谷" * 1000, [ReadingOverride("谷", "ヤ")])
    assert phones.reading == "ヤ" * 1000
    assert phones.text == "谷" * 1000


@pytest.mark.parametrize(
    "override", [ReadingOverride("橋", "abc"), ReadingOverride("橋", ""), ReadingOverride("橋", "ー"), ReadingOverride("橋", "ハシ", 3)]
)
def test_a_wrong_reading_is_an_input_error(override: ReadingOverride) -> None:
    with pytest.raises(InputError) as caught:
        G2P.convert_sentence("橋", [override])
    assert caught.value.message
    assert caught.value.hint


def test_speaks_without_the_second_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyopenjtalk.utils as utils

    def missing(*_: object) -> None:
        raise ModuleNotFoundError("Package `sudachidict_core` does not exist.")

    monkeypatch.setattr(utils, "_SUDACHI_DICTIONARY", None)
    monkeypatch.setattr(utils, "_SUDACHI_TOKENIZER_LOCAL", threading.local())
    monkeypatch.setattr("sudachipy.dictionary.Dictionary", missing)
    assert G2P.convert_sentence("風が強い").reading == "カゼガツヨイ"
    assert "デス" in G2P.convert_sentence("㐂久は店です").reading  # a kanji the first dictionary does not have


def test_foreign_exceptions_become_errors_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("internal failure")

    monkeypatch.setattr(mecab_words.load_pyopenjtalk(), "run_frontend", broken)
    with pytest.raises(InternalError) as caught:
        G2P.convert_sentence("声")
    assert caught.value.hint
    monkeypatch.setitem(sys.modules, "pyopenjtalk", None)
    with pytest.raises(InternalError):
        G2P.warm_dictionaries()


def test_the_front_end_is_loaded_only_when_needed() -> None:
    code = "import sys; from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P; OpenJTalkG2P(); print('pyopenjtalk' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout.strip() == "False"
