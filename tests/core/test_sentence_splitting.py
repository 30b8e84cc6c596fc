"""Where a line is cut, and that nothing of it is lost."""

from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.text.sentence_splitting import SENTENCE_LENGTH_LIMIT, split_sentences

TYPICAL = st.text(alphabet="あ漢カーっA1 　、。！？!?.…「」『』（）()\"'\n\r,:\u3099", max_size=300)


def pieces(text: str, limit: int = SENTENCE_LENGTH_LIMIT) -> list[str]:
    """The texts of the sentences."""
    return [sentence.text for sentence in split_sentences(text, limit=limit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("こんにちは", ["こんにちは"]),
        ("こんにちは。さようなら！？はい", ["こんにちは。", "さようなら！？", "はい"]),
        ("あ…い……う。。。", ["あ…", "い……", "う。。。"]),
        ("一行目\n二行目\r\n\n三行目", ["一行目\n", "二行目\r\n\n", "三行目"]),
        ("\n\n始まり", ["\n\n始まり"]),
        ("彼は「行くよ。待って。」と言った。はい。", ["彼は「行くよ。待って。」と言った。", "はい。"]),
        ("「うん。」「そう。」", ["「うん。」", "「そう。」"]),
        ("「うん。でもね。」「そう。」", ["「うん。でもね。」", "「そう。」"]),
        ("「うん。でもね。」　そう。", ["「うん。でもね。」　", "そう。"]),
        ("（え？）そう。", ["（え？）そう。"]),
        ("閉じない「括弧。でも切る。", ["閉じない「括弧。", "でも切る。"]),
        ("なに！？」はい", ["なに！？」", "はい"]),
        ('彼は"はい。"と言った。次。', ['彼は"はい。"と言った。', "次。"]),
        ("Mr. Smith ran. He won.", ["Mr. Smith ran. ", "He won."]),
        ("円周率は3.14です。v1.2.3とa.b.jp", ["円周率は3.14です。", "v1.2.3とa.b.jp"]),
        ("https://a.jp/?q=1!x をどうぞ。", ["https://a.jp/?q=1!x をどうぞ。"]),
        ("1. はじめに\n2. つぎ", ["1. はじめに\n", "2. つぎ"]),
        ("1. 犬 2. 猫", ["1. 犬 2. 猫"]),
        ("Ver. 3.1が出た。次。", ["Ver. 3.1が出た。", "次。"]),
        ("まさか！と驚く。え？", ["まさか！と驚く。", "え？"]),
        ("なぜ？って聞く。", ["なぜ？って聞く。"]),
        ("Yahoo!で探す。", ["Yahoo!で探す。"]),
        ("つのだ☆ひろ。の歌。", ["つのだ☆ひろ。の歌。"]),
        ("行こう！とにかく。のんびり！でもね。", ["行こう！", "とにかく。", "のんびり！", "でもね。"]),
        ("俺……は、もう。そうか……はい。そう…は？", ["俺……は、もう。", "そうか……", "はい。", "そう…", "は？"]),
        ("モーニング娘。は最高！えっ！は、はい。", ["モーニング娘。は最高！", "えっ！", "は、はい。"]),
        ("終わった。でも楽しい！では、また。", ["終わった。", "でも楽しい！", "では、また。"]),
    ],
)
def test_cuts_at_the_end_of_a_sentence(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_a_long_sentence_is_cut_at_a_comma_then_between_words_then_anywhere() -> None:
    assert pieces("あああああ、いいいいい、ううううう", limit=14) == ["あああああ、いいいいい、", "ううううう"]
    words = ["今日は", "とても", "良い", "天気"]

    def cut(text: str) -> list[str]:
        found = []
        for word in words:
            if text:
                found.append(text[: len(word)])
                text = text[len(word) :]
        return found

    by_words = [sentence.text for sentence in split_sentences("今日はとても良い天気", cut, limit=7)]
    assert by_words[0] == "今日はとても"
    assert pieces("あいうえおかきく", limit=3) == ["あいう", "えおか", "きく"]
    assert pieces("あいうーえ", limit=3) == ["あい", "うーえ"], "a long vowel mark stays with its kana"


@settings(deadline=None)
@given(text=TYPICAL | st.text(max_size=200), limit=st.integers(1, 130))
def test_nothing_is_lost_and_nothing_too_long(text: str, limit: int) -> None:
    found = list(split_sentences(text, limit=limit))
    assert "".join(sentence.text for sentence in found) == text
    assert all(0 < len(sentence.text) <= limit for sentence in found)
    assert [sentence.index for sentence in found] == list(range(len(found)))
    assert all(text.startswith(sentence.text, sentence.start) for sentence in found)


def test_is_lazy_and_asks_for_words_only_where_it_must_cut() -> None:
    asked: list[str] = []

    def words(text: str) -> list[str]:
        asked.append(text)
        return [text[:50], text[50:]]

    sentences: Iterator[object] = split_sentences("短い。" + "あ" * 100_000, words)
    assert len(list(islice(sentences, 1))) == 1
    assert asked == []
    next(sentences)
    assert [len(text) for text in asked] == [SENTENCE_LENGTH_LIMIT]


@pytest.mark.parametrize("unit", ["「。", "あ", "。", "(", "、", " ", "A. "])
def test_work_is_linear(unit: str) -> None:
    """Counted, not timed: every look-up of words sees a window, and there are no more windows than the text has pieces."""
    looked_at = 0

    def words(text: str) -> list[str]:
        nonlocal looked_at
        looked_at += len(text)
        return list(text)

    text = (unit * 8_000)[:8_000]
    assert sum(len(sentence.text) for sentence in split_sentences(text, words)) == len(text)
    assert looked_at <= 2 * len(text)
