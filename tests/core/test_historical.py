"""Historical kana become modern kana, and modern text stays as it is."""

import pytest

from app.core.text.normalise.historical_kana import convert_to_modern_kana

DICTIONARY = set(
    "言う 思う 食う 給う 違う 味わう 使う 買う 会う 歌う 行う 教える 考える 例える 会える 答える 帰る 立つ 待つ 行う 終わる 見る 従う 悪う うたう もらう 気う 子のう 白う 然う さいう さいふ しまう 率いる".split()  # noqa: SIM905
)


@pytest.mark.parametrize(
    ("text", "modern"),
    [
        ("言ふまでもない。", "言うまでもない。"),
        ("仰せ給ふ", "仰せ給う"),
        ("思ひ出を味はふ", "思い出を味わう"),
        ("使はない、食はせる、行はれる", "使わない、食わせる、行われる"),
        ("言はうと思ふ", "言わうと思う"),
        ("例へば考へて教へる", "例えば考えて教える"),
        ("行つた。帰つて待つた、終はつた、従つて", "行った。帰って待つた、終わった、従って"),
        ("見やうとした", "見ようとした"),
        ("さうでせう。行きませうか、だらう", "さうでしょう。行きましょうか、だろう"),
        ("来たらうか。高からう、あるであらう。", "来たろうか。高かろう、あるであろう。"),
        ("楽しさうに", "楽しそうに"),
        ("さうだつた。なかつたが、であつた。", "さうだった。なかったが、であった。"),
        ("率ゐる", "率いる"),
        ("ありがたう、おめでたう", "ありがとう、おめでとう"),
        ("うたをうたふ。", "うたをうたう。"),
        ("恋すてふ、てふてふ", "恋すちょう、ちょうちょう"),
        ("といふこと", "ということ"),
        ("ちひさい、とほり、にほひ", "ちいさい、とおり、におい"),
    ],
)
def test_historical_kana(text: str, modern: str) -> None:
    assert convert_to_modern_kana(text, lambda word: word if word in DICTIONARY else None) == modern


@pytest.mark.parametrize(
    "text",
    [
        "会はない。歌は好きだ。行はどこ？裁く気はない。",
        "会へ行く。回答へたどり着く。",
        "歌ひとつ歌えない。歌ひめ",
        "帽子のふち、紅白ふたいろ、寂然ひそまり返る",
        "悪ふざけ、ひと言ふた言、味ふりかけ",
        "したらうまくいった。見たらうれしい。行ったらうちに来て。",
        "今からうちに来て。駅からうまい店まで。",
        "手であらう。水であらう。はらう、もらう、ならう",
        "さいふ。しまふくろう、もらいふろ",
        "立つため、待つたび、一つてに取る",
        "させうる、見せうる、済ませうる",
        "まだつたない。いつかつたえる。",
        "あやうい。おやうさぎ、てふだ、手てふき",
        "なかなかへらない。どこかへ行く。聞くとほっとする。",
    ],
)
def test_modern_text_is_left_alone(text: str) -> None:
    assert convert_to_modern_kana(text, lambda word: word if word in DICTIONARY else None) == text
