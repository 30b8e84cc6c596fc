"""Numbers, units, dates, addresses, Latin words and signs as the text that is spoken."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.text.normalise import PLACEHOLDER, normalise_surface, normalise_text
from app.core.text.normalise.english_words import convert_spelling
from app.core.text.normalise.latin_words import convert_romaji
from app.core.text.normalise.numbers import convert_to_kanji

DICTIONARY = {
    "pen": "ペン",
    "Good": "グッド",
    "Morning": "モーニング",
    "iPhone": "アイフォン",
    "computer": "コンピューター",
    "release": "リリース",
    "API": "エーピーアイ",
}


def spoken(text: str) -> str:
    """`text` normalised with a dictionary of a few Latin words."""
    return normalise_text(text, DICTIONARY.get)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("72kg", "72キログラム"),
        ("1.5 TB", "1.5テラバイト"),
        ("8GiB", "8ギビバイト"),
        ("3Mb/s", "3メガビット毎秒"),
        ("12m2", "12平方メートル"),
        ("7㎥", "7立方メートル"),
        ("2h30min", "2時間30分"),
        ("440hz", "440ヘルツ"),
        ("6Bの鉛筆", "6 ビーの鉛筆"),
        ("48dogs", "48 ドッグズ"),
        ("$1,999.50", "1999.50ドル"),
        ("980¥", "980円"),
        ("€3万", "3万ユーロ"),
        ("30g〜40g", "30グラムから40グラム"),
        ("85mg/dL", "85ミリグラムパーデシリットル"),
        ("4.1mmol/L", "4.1ミリモル毎リットル"),
        ("12µg/m³", "12マイクログラム毎立方メートル"),
        ("1.6m/s²", "1.6メートル毎秒毎秒"),
        ("22㎏/㎡", "22キログラム毎平方メートル"),
        ("80kcal/100g", "80キロカロリーパー100グラム"),
        ("2mg/kg/day", "2ミリグラムパーキログラム毎日"),
        ("6L/100km", "6リットルパー100キロメートル"),
        ("300円/kg", "300円パーキログラム"),
        ("単位はg/cm3", "単位はグラムパー立方センチメートル"),
        ("8GB/256GB", "8ギガバイト 256ギガバイト"),
        ("3NG、2SV、4EV", "3 エヌジー,2 エスブイ,4 イーブイ"),
        ("104℉", "華氏104度"),
        ("-4°F", "華氏マイナス4度"),
        ("x/y²", "エックス ワイの2乗"),
        ("5%~8%", "5パーセントから8パーセント"),
    ],
)
def test_units_and_currencies(text: str, expected: str) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2031-03-09", "2031年3月9日"),
        ("２０３１／３／９（土）", "2031年3月9日土曜日"),
        ("99/12/31", "1999年12月31日"),
        ("11/23(火)", "11月23日火曜日"),
        ("2031/02/30", "2031年2月30"),
        ("R3.7.8", "令和3年7月8日"),
        ("S60.13.8", "エス 60テン13テン8"),
        ("H30年", "平成30年"),
        ("R7年度", "令和7年度"),
        ("S58年生まれ", "昭和58年生まれ"),
        ("R元年", "令和元年"),
        ("R5/6/7", "令和5年6月7日"),
        ("H1年生", "エイチ 1年生"),
        ("T19年", "ティー 19年"),
        ("AR7年", "エーアール 7年"),
        ("2/3", "三ぶんの二"),
        ("45/60", "六十ぶんの四十五"),
        ("08:05", "8時5分"),
        ("23:00:09", "23時零分9秒"),
        ("0時0分", "零時"),
        ("7:2", "七タイ二"),
        ("午前05時", "午前5時"),
        ("100時間", "100時間"),
    ],
)
def test_dates_and_times(text: str, expected: str) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234,567", "1234567"),
        ("2.5e3", "二千五百"),
        ("約6e23個", "約6かける10の23乗個"),
        ("4e-3", "零点零零四"),
        ("-7度", "マイナス7度"),
        ("9-4=5", "9ひく4イコール5"),
        ("3²", "3の2乗"),
        ("1½", "1と2ぶんの1"),
        ("v1.2.3", "ブイ 1テン2テン3"),
        ("Ver.4.0.2", "バージョン 4テン0テン2"),
        ("192.0.2.7", "192テン0テン2テン7"),
        ("約3.14", "約3.14"),
        ("03(1234)5678", "ゼロサン,イチニーサンヨン,ゴーロクナナハチ"),
        ("（06）6000-0000", "ゼロロク,ロクゼロゼロゼロ,ゼロゼロゼロゼロ"),
        ("090 1234 5678", "ゼロキューゼロ,イチニーサンヨン,ゴーロクナナハチ"),
        ("+81-3-1234-5678", "プラスハチイチ,サン,イチニーサンヨン,ゴーロクナナハチ"),
        ("2(3)4", "2'3'4"),
        ("▲312円", "マイナス312円"),
        ("前年比△1,200", "前年比マイナス1200"),
        ("▲3番線", "▲3番線"),
        ("◎3▲7", "◎3▲7"),
        ("0120-345-678", "ゼロイチニーゼロ,サンヨンゴー,ロクナナハチ"),
        ("〒100-0001", "郵便番号イチゼロゼロのゼロゼロゼロイチ"),
        ("No.7", "ナンバー7"),
        ("第Ⅻ章", "第12章"),
        ("④⑤", "4,5"),
        ("❶⓶㉓", "1,2,23"),
        ("1️⃣2️⃣", "1,2"),
        ("8⑨", "8,9"),
        ("第③回の②番", "第3回の2番"),
        ("ⅠⅡⅢ", "1,2,3"),
        ("ⅩⅢ", "13"),
        ("II・III、I", "2,3,1"),
        ("I, X", "アイ,エックス"),
    ],
)
def test_numbers(text: str, expected: str) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "よhttps://koebako.app/a-b?x=1#top",
            "よエイチティーティーピーエス,コエバコドットアップ,スラッシュ,エイハイフンビー,クエスチョン,エックスイコール1シャープトップ",
        ),
        ("x.y@mail.co.jp", "エックスドットワイ,アットマーク,メールドットシーオードットジェイピー"),
        ("main.pyを", "メインドットパイを"),
    ],
)
def test_addresses(text: str, expected: str) -> None:
    words = {"mail": "メール", "main": "メイン", "top": "トップ", "py": "パイ"}
    spelled = normalise_text(text, words.get).replace(" ", "")
    for word, kana in words.items():
        spelled = spelled.replace(word, kana)
    assert spelled == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Good Morning", "Good Morning"),
        ("a pen, computers and releasing", "ア pen,コンピューターズ アンド リリーシング"),
        ("iPhone8", "iPhone エイト"),
        ("iPhone 17", "iPhone 17"),
        ("iPhone 3台、iPhone 9.", "iPhone 3台,iPhone ナイン."),
        ("API/GPU", "API ジーピーユー"),
        ("GPUs", "ジーピーユーズ"),
        ("splitText", "スプリット テクスト"),
        ("don't, Mr. Yamada's", "ドント,ミスター ヤマダズ"),
        ("Wi-Fiとe-mail", "ワイファイとイーメール"),
        ("abc", "エービーシー"),
        ("http", "エイチティーティーピー"),
        ("C#", "C シャープ"),
    ],
)
def test_latin_words(text: str, expected: str) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「はい」（え？）", "'はい''え?'"),
        ("あ・い、う。え…お", "あ,い,う.え...お"),
        ("一行目\r\n二行目", "一行目.二行目"),
        ("えー〜、つづく・・・", "えーー,つづく..."),
        ("東京〜大阪", "東京から大阪"),
        ("〜春〜夏〜", "ー春ー夏ー"),
        ("-----", "."),
        ("ジャン＝ジャック", "ジャンジャック"),
        ("㈱声箱と㊙", "株式会社声箱と秘密"),
        ("2×3÷4≠5", "2かける3わる4ノットイコール5"),
        ("男／女", "男,女"),
        ("- 一\n- 二", "一.二"),
        ("今日 は 晴れ", "今日は晴れ"),
        ("や゛は゜", "やは"),
        ("いろ〱、しみ〲、人〱、にこ／＼、さま／″＼な", "いろいろ,しみじみ,人人,にこにこ,さまざまな"),
        ("シㇼ、トペッㇷ゚、ㇰ", "シリ,トペップ,ク"),
        ("彼が「は？」『へ、へえ』（は）「はい」「行く」は", "彼が'ハ?''ヘ,へえ''ハ''はい''行く'は"),
    ],
)
def test_signs_and_marks(text: str, expected: str) -> None:
    assert spoken(text) == expected


@settings(deadline=None)
@given(text=st.text(max_size=80))
@example("½⅐①㋿ﷺ\u1100\u1161\ufb01")
def test_the_result_is_settled(text: str) -> None:
    once = spoken(text)
    assert not set(once) & set("\n\r\t。、（）「」"), "marks have one spelling"
    assert "  " not in once


@given(before=st.text(alphabet="あ1/:年月日AaＡ(.-@〜 ", max_size=12), after=st.text(alphabet="あ1/:円gAa)）.-@〜 ", max_size=12))
def test_the_place_of_a_reading_survives(before: str, after: str) -> None:
    assert spoken(before + PLACEHOLDER + after).count(PLACEHOLDER) == 1


def test_a_surface_is_not_read() -> None:
    assert normalise_surface("ＳＢＶ２ v1.0") == "SBV2v1.0"
    assert normalise_surface("100 kg") == "100kg"


def test_kanji_numerals() -> None:
    numbers = {0: "零", 10: "十", 11: "十一", 100: "百", 1204: "千二百四", 10_000: "一万", 10_000_000: "一千万", 100_010_001: "一億一万一"}
    for number, text in numbers.items():
        assert convert_to_kanji(number) == text
    with pytest.raises(ValueError, match="beyond"):
        convert_to_kanji(10**24)


def test_spelling_and_romaji() -> None:
    assert [convert_spelling(word) for word in ("bentol", "slack", "nation", "cascade")] == [
        "ベントル",
        "スラック",
        "ネーション",
        "カスケード",
    ]
    assert [convert_romaji(word) for word in ("sakura", "gakkou", "shinjuku", "code", "xyz", "a")] == [
        "サクラ",
        "ガッコウ",
        "シンジュク",
        None,
        None,
        None,
    ]
