"""Readings that stand in a text, with the real front end: what is spoken, with which accent, and what BERT sees."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P, parse_notation
from app.adapters.openjtalk.reading_choices import READING_CHOICES
from app.core.synthesis_types import ReadingOverride
from app.core.text.phone_ids import convert_phones_to_ids

G2P = OpenJTalkG2P()
PIECES = st.lists(
    st.sampled_from(
        [
            *"漢字雪々※〇三かカンっー、。！ aB12｜|《》{}[]［］＃（）()\ue000😀",
            "<ruby>",
            "<rt>",
            "</ruby>",
            "｜20日《はつか》",
            "東京《んー》",
            "｜♪《おんぷ》",
            "{雪|snow}",
            "弟（おとうと）",
        ]
    ),
    max_size=20,
).map("".join)

RUBY = """
曖昧（あいまい） 憤（いきどお）り 慄（おのの）く 齧（かじ）る 几帳面（きちょうめん） 矍鑠（かくしゃく） 杜撰（ずさん）
訝（いぶか）しげ 嗚咽（おえつ） 跪（ひざまず）いた 猪口才（ちょこざい） 小鳥遊六花（たかなしりっか） 織田信長（おだのぶなが）
徳川家康（とくがわいえやす） 坂本龍馬（さかもとりょうま） 紫式部（むらさきしきぶ） 小野小町（おののこまち） 平清盛（たいらのきよもり）
卑弥呼（ひみこ） 安倍晴明（あべのせいめい） 渡辺綱（わたなべのつな） 伊達政宗（だてまさむね） 上杉謙信（うえすぎけんしん）
鈴木一郎（すずきいちろう） 高橋大輔（たかはしだいすけ） 田中碧（たなかあお） 札幌（さっぽろ） 那覇市（なはし） 姫路城（ひめじじょう）
嵐山（あらしやま） 銀閣寺（ぎんかくじ） 道頓堀（どうとんぼり） 高円寺（こうえんじ） 四ツ谷（よつや） 鎌ケ谷（かまがや）
茅ヶ崎（ちがさき） 向日葵（ひまわり） 紫陽花（あじさい） 蒲公英（たんぽぽ） 土筆（つくし） 烏賊（イカ） 海豚（いるか）
啄木鳥（きつつき） 鶯（うぐいす） 鰻（うなぎ） 蕎麦（そば） 饂飩（うどん） 雑煮（ぞうに） 浴衣（ゆかた） 下駄（げた）
行灯（あんどん） 風呂敷（ふろしき） 鍵盤（けんばん） 双子（ふたご）座 赤血球（せっけっきゅう） 高血圧（こうけつあつ）
糖尿病（とうにょうびょう） 脊椎（せきつい） 肘（ひじ） 瞼（まぶた）を閉じる 憑依（ひょうい） 陰陽師（おんみょうじ） 聖女（せいじょ）
魔王城（まおうじょう） 冒険者（ぼうけんしゃ） 黒騎士（くろきし） 竜騎士（りゅうきし） 氷雪（ひょうせつ） 賽銭箱（さいせんばこ）
五百円（ごひゃくえん） 八百屋（やおや） 七夕（たなばた） 十六夜（いざよい） 八百万（やおよろず） 拗（す）ねる 遮（さえぎ）られた
蘇（よみがえ）る 甦（よみがえ）った 弄（もてあそ）ぶ 生憎（あいにく） 強（あなが）ち 偏（ひとえ）に 暫（しばら）く 些細（ささい）な
逞（たくま）しい 鬱陶（うっとう）しい 瑞々（みずみず）しい 忌々（いまいま）しい
"""
REMARKS = """
鈴木（かいちょう） 母（なみだ） 写真（はなこ） 右（みぎがわ） 上司（こわい） 犯人（だれ） 彼（かれし） 妹（アイドル） 料金（こども）
出演（ゲスト） 映画（ホラー） 机（つくえのうえ） 店長（イケメン） 昨日（あさ） 火曜（おやすみ） 正解（せいかいは） 東京（おおさか）
京都（なら） 笑顔（にっこり） 馬鹿（アホ） 地獄（てんごく） 山（うみ） 合計（ぜいこみ） 手紙（メール） 学校（ようちえん）
犬（いぬじゃない） 名前（ひみつ） 目的（ねらい） 解答（こたえ） 報告（しらせ） 友達（ともだちの） 部長（ぶちょうさん） 旅館（やど）
警察（ポリス） 電車（でんしゃで）
"""


@pytest.mark.parametrize(
    ("text", "bert", "reading"),
    [
        ("雨《あめ》が止《や》む。", "雨が止む.", "アメガヤム"),
        ("｜必殺技《ひっさつわざ》だ", "必殺技だ", "ヒッサツワザダ"),
        ("｜漆黒の翼《シュヴァルツ・フリューゲル》よ", "漆黒の翼よ", "シュヴァルツフリューゲルヨ"),
        ("{運命|さだめ}には逆らえない", "運命には逆らえない", "サダメニワサカラエナイ"),
        ("<ruby>鱗<rt>うろこ</rt></ruby>が光る", "鱗が光る", "ウロコガヒカル"),
        ("<ruby>流<rt>る</rt>布<rt>ふ</rt></ruby>する", "流布する", "ルフスル"),
        ("｜宇宙《そら》と宇宙", "宇宙と宇宙", "ソラトウチュー"),
        ("｜NASA《なさ》の基地", "NASAの基地", "ナサノキチ"),
        ("{賞金|100円}をどうぞ", "賞金をどうぞ", "ヒャクエンヲドーゾ"),
        ("｜♪《おんぷ》が付く", "♪が付く", "オンプガツク"),
        ("｜私は《わたくしは》行く", "私は行く", "ワタクシワイク"),
        ("｜走る《はしる》人", "走る人", "ハシルヒト"),
        ("走《はし》った", "走った", "ハシッタ"),
        ("引籠《ひきこ》もる", "引籠もる", "ヒキコモル"),
        ("東京｜都《みやこ》へ", "東京都へ", "トーキョーミヤコエ"),
        ("3匹《びき》の犬", "三匹の犬", "サンビキノイヌ"),
        ("一昨日《いっさくじつ》の夜", "一昨日の夜", "イッサクジツノヨル"),
        ("蠱※［＃「惑」］《こわく》的", "蠱的", "コワクテキ"),
        ("子牛《こうし》と講師《こうし》", "子牛と講師", "コウシトコーシ"),
        # in parentheses
        ("囁（ささや）く声", "囁く声", "ササヤクコエ"),
        ("佐藤花子（さとうはなこ）です", "佐藤花子です", "サトーハナコデス"),
        ("昨日渡辺（ワタナベ）が", "昨日渡辺が", "キノーワタナベガ"),
        ("大阪府(おおさかふ)に住む", "大阪府に住む", "オーサカフニスム"),
        ("お姉（ねえ）さん", "お姉さん", "オネーサン"),
        ("20歳（はたち）の人", "20歳の人", "ハタチノヒト"),
        ("源義経（みなもとのよしつね）だ", "源義経だ", "ミナモトノヨシツネダ"),
        ("雨《あめ》（あめ）だ", "雨だ", "アメダ"),
    ],
)
def test_a_reading_takes_the_place_of_the_words(text: str, bert: str, reading: str) -> None:
    phones = G2P.convert_sentence(text)
    assert (phones.text, phones.reading) == (bert, reading)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("本（もちろん新品）を買う", "ホンモチロンシンピンヲカウ"),
        ("彼（あれ）は誰", "カレアレワダレ"),
        ("東京（みんな）で", "トーキョーミンナデ"),
        ("彼女（おんな）は", "カノジョオンナワ"),
        ("中止（やめ）だ", "チューシヤメダ"),
        ("犬（ポチ）が", "イヌポチガ"),
        ("本（）を", "ホンヲ"),
        ("本（ほんを", "ホンホンヲ"),
        ("小説《雪国》を", "ショーセツユキグニヲ"),
        ("[重要] お知らせ", "ジューヨーオシラセ"),
    ],
)
def test_what_is_no_reading_is_read_after_the_word(text: str, reading: str) -> None:
    assert G2P.convert_sentence(text).reading == reading


@pytest.mark.parametrize(("texts", "are_ruby"), [(RUBY, True), (REMARKS, False)], ids=["ruby", "remarks"])
def test_possible_readings_are_told_from_remarks(texts: str, are_ruby: bool) -> None:
    wrong = [text for text in texts.split() if ("（" not in parse_notation(text, memos=False).plain) != are_ruby]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("雨《あめ》が降る", "雨が降る"),  # read so anyway: nothing changes
        ("東京都《とうきょうと》に住む", "東京都に住む"),
        ("本気《マジ》で言う", "マジで言う"),
        ("超電磁砲《レールガン》を撃つ", "レールガンを撃つ"),
        ("翌朝《あした》です", "明日です"),
        ("蔑（さげす）む心", "蔑む心"),
    ],
)
def test_the_accent_is_that_of_a_word_read_so(text: str, like: str) -> None:
    written, plain = G2P.convert_sentence(text), G2P.convert_sentence(like)
    assert (written.phones, written.tones) == (plain.phones, plain.tones)


def test_nobody_reads_the_word_otherwise_later() -> None:
    assert G2P.convert_sentence("辛いカレー").reading == "カライカレー"
    assert G2P.convert_sentence("辛《つら》いカレー").reading == "ツライカレー"
    (word, *_) = G2P.explain_readings("辛《つら》いカレー")
    assert (word.surface, word.read_by, word.name) == ("辛い", "ruby", "つら")


def test_a_reading_of_the_user_wins_over_the_text() -> None:
    given = (ReadingOverride("漢字", "モジ"),)
    assert G2P.convert_sentence("漢字《かんじ》と漢字", given).reading == "モジトモジ"
    assert G2P.convert_sentence("漢字《かんじ》と漢字", (replace(given[0], occurrence=1),)).reading == "カンジトモジ"
    assert G2P.convert_sentence("漢字《かんじ》とかんじ", (ReadingOverride("かんじ", "モジ"),)).reading == "カンジトモジ", (
        "not within the ruby"
    )
    assert G2P.convert_sentence("超電磁砲《レールガン》", (ReadingOverride("電磁", "モジ"),)).reading == "レールガン", (
        "a part has no reading"
    )
    assert G2P.convert_sentence("囁（ささや）く", (ReadingOverride("囁（ささや）く", "ツブヤク"),)).reading == "ツブヤク"


def test_notes_and_memos_are_not_there_at_all() -> None:
    assert G2P.convert_sentence("20［＃注］階") == G2P.convert_sentence("20階")
    assert G2P.convert_sentence("薔薇[明るく]の花", memos=True) == G2P.convert_sentence("薔薇の花")
    assert G2P.convert_sentence("薔薇[明るく]の花").reading == "バラアカルクノハナ"
    assert not G2P.convert_sentence("[一人だけ]", memos=True).is_spoken


def test_the_users_setting_counts_everywhere() -> None:
    READING_CHOICES.memos_everywhere = True
    try:
        assert G2P.convert_sentence("薔薇[明るく]の花").reading == "バラノハナ"
    finally:
        READING_CHOICES.memos_everywhere = None


@given(text=PIECES)
def test_any_notation_speaks(text: str) -> None:
    for memos in (False, True):
        phones = G2P.convert_sentence(text, memos=memos)
        convert_phones_to_ids(phones)
        assert all(start < end <= len(text) for start, end in phones.notation)
    G2P.explain_readings(text)
