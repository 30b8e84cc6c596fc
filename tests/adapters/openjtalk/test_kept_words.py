"""What the normaliser settles stays so beside anything: words for signs, words that a space parts, numbers of their own."""

import pytest

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.adapters.openjtalk.reading_choices import READING_CHOICES
from app.core.synthesis_types import ReadingOverride
from app.core.text.link_reading import LinkReading
from app.core.text.normalise.characters import KEPT_SIGN_WORDS, KEPT_SIGNS_BEFORE_NFKC, KeptWord, keep_words, split_kept_words

G2P = OpenJTalkG2P()
NEIGHBOURS = (("あ", "い"), ("犬", "猫"), ("5", "6"), ("カ", "キ"), ("A", "B"), ("お", "さん"))
BETWEEN_WORDS = "→←↔⇒⇔×="  # a pause or silent there


@pytest.mark.parametrize("sign", [sign for sign in KEPT_SIGN_WORDS | KEPT_SIGNS_BEFORE_NFKC if sign not in BETWEEN_WORDS])
def test_a_sign_is_read_the_same_beside_anything(sign: str) -> None:
    reading = "".join(
        word.reading
        for word in split_kept_words(keep_words((KEPT_SIGN_WORDS | KEPT_SIGNS_BEFORE_NFKC)[sign]))
        if isinstance(word, KeptWord)
    )
    for before, after in NEIGHBOURS:
        assert reading in G2P.convert_sentence(before + sign + after).reading


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("犬<猫", "イヌショーナリネコ"),
        ("時速4km/hで", "ジソクヨンキロメートルマイジデ"),
        ("7kg/m2", "ナナキログラムマイヘーホーメートル"),
        ("今日 中野へ", "キョーナカノエ"),
        ("大阪　城を見る", "オーサカシロヲミル"),
        ("今日(^^)中野へ", "キョーナカノエ"),
        ("今日😊中野へ", "キョーナカノエ"),
        ("わたし は ねこ です", "ワタシワネコデス"),
        ("お は よ う", "オハヨー"),
        ("⑦⑧を解く", "ナナハチヲトク"),
        ("3😊4", "サンヨン"),
        ("7 8 9", "ナナハチキュー"),
        ("10.0.19045", "ジューテンゼロテンイチマンキューセンヨンジューゴ"),
        ("Core i7-8700", "コアアイセブンハッセンナナヒャク"),
        ("気温-2度", "キオンマイナスニド"),
    ],
)
def test_readings(text: str, reading: str) -> None:
    assert G2P.convert_sentence(text).reading == reading


def test_a_sign_has_its_accent_and_says_what_gave_it() -> None:
    word = next(word for word in G2P.explain_readings("A<B") if word.surface == "小なり")
    assert (word.pronunciation, word.accent, word.read_by) == ("ショーナリ", 1, "normalisation")


@pytest.mark.parametrize(("links", "reading"), [("host", "イグザンプルドットコムヘ"), ("skip", "ヘ"), ("all", "エイチティーティーピー")])
def test_links_are_read_as_chosen(monkeypatch: pytest.MonkeyPatch, links: LinkReading, reading: str) -> None:
    monkeypatch.setattr(READING_CHOICES, "links", links)
    assert G2P.convert_sentence("http://example.com/newsヘ").reading.startswith(reading)


def test_given_readings_count_outside_of_tags_only() -> None:
    given = [ReadingOverride("ok", "よし"), ReadingOverride("example", "れい")]
    assert G2P.convert_sentence("<:ok:123456789012>ok", given).reading == "ヨシ"
    assert G2P.convert_sentence("https://example.com/ok", given).reading == "レイドットコム"
