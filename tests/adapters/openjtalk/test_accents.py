"""Accents by Tokyo's pronunciation, kind by kind, each judged against the rules of Tokyo accent; ＼ is where the pitch falls."""

import pytest

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P, parse_sentence
from app.core.text.pronunciation import split_moras

# 〜ないで, hearsay そうです, いい behind an adverb, の behind a noun, hundreds of yen, meals, 一杯 as a counter, 〜なさい, words of the dictionary,
# short words that end others, 行かう, mimetic words.
ACCENTS = """
ふわふわの毛布 フワフワノ モ＼ーフ
さらさらだ サラサラダ
もちもちのパン モチモチノ パ＼ン
ぐちゃぐちゃになる グチャグチャニ ナ＼ル
ふわふわと飛ぶ フ＼ワフワト トブ
ふわふわする フ＼ワフワスル
そろそろだ ソ＼ロソロダ
行かないで イカナ＼イデ
言わないで イワナ＼イデ
笑わないで ワラワナ＼イデ
忘れないで ワスレナ＼イデ
止まらないで トマラナ＼イデ
買わないで カワナ＼イデ
歌わないで ウタワナ＼イデ
捨てないで ステナ＼イデ
押さないで オサナ＼イデ
触らないで サワラナ＼イデ
開けないで アケナ＼イデ
入れないで イレナ＼イデ
使わないで ツカワナ＼イデ
遊ばないで アソバナ＼イデ
飲まないで ノマ＼ナイデ
食べないで タベ＼ナイデ
見ないで ミ＼ナイデ
来ないで コ＼ナイデ
話さないで ハナサ＼ナイデ
走らないで ハシラ＼ナイデ
怒らないで オコラ＼ナイデ
帰らないで カエラ＼ナイデ
読まないで ヨマ＼ナイデ
待たないで マタ＼ナイデ
行かないでください イカナ＼イデクダサイ
触らないでください サワラナ＼イデクダサイ
飲まないでください ノマ＼ナイデクダサイ
話さないでください ハナサ＼ナイデクダサイ
雨が降るそうです ア＼メガ フ＼ルソーデス
雪が降ったそうです ユキ＼ガ フ＼ッタソーデス
彼は来るそうです カ＼レワ ク＼ルソーデス
もう帰るそうです モ＼ー カ＼エルソーデス
店を開けるそうです ミセ＼ヲ アケルソ＼ーデス
学校を休むそうだ ガッコーヲ ヤス＼ムソーダ
彼女は泣いたそうだ カ＼ノジョワ ナイタソ＼ーダ
値段が高いそうです ネダンガ タカ＼イソーデス
とても安いそうです トテモ ヤス＼イソーデス
冬は寒いそうだ フユ＼ワ サム＼イソーダ
海は青いそうです ウ＼ミワ アオ＼イソーデス
先生だそうです センセ＼ーダソーデス
静かだそうです シ＼ズカダソーデス
元気だそうです ゲ＼ンキダソーデス
会議は中止だそうです カ＼イギワ チューシダソ＼ーデス
本を読むそうです ホ＼ンヲ ヨ＼ムソーデス
薬を飲むそうです クスリヲ ノ＼ムソーデス
車を買うそうです クルマヲ カウソ＼ーデス
彼は若いそうだ カ＼レワ ワカ＼イソーダ
犬を飼っているそうです イヌ＼ヲ カ＼ッテイルソーデス
とてもいい トテモ イ＼イ
すごくいい スゴ＼ク イ＼イ
もっといいです モ＼ット イ＼イデス
かなりいいね カ＼ナリ イ＼イネ
本当にいいよ ホントーニ＼ イ＼イヨ
やっぱりいいな ヤッパ＼リ イ＼イナ
一番いいです イチバン イ＼イデス
なかなかいい ナカナカ イ＼イ
ちょうどいい チョード＼ イ＼イ
どうでもいい ド＼ーデモ イ＼イ
桜の花 サクラノ ハナ＼
桜の下で サクラノ シタデ
桜の人 サクラノ ヒト
百円 ヒャクエ＼ン
二百円 ニヒャクエ＼ン
三百円 サンビャクエ＼ン
四百円です ヨンヒャクエ＼ンデス
五百円 ゴヒャクエ＼ン
六百円を払う ロッピャクエ＼ンヲ ハラ＼ウ
七百円です ナナヒャクエ＼ンデス
八百円も ハッピャクエ＼ンモ
九百円と キューヒャクエ＼ント
朝ご飯 アサゴ＼ハン
昼ご飯 ヒルゴ＼ハン
晩ご飯 バンゴ＼ハン
夕ご飯を食べる ユーゴ＼ハンヲ タベ＼ル
夜ご飯です ヨルゴ＼ハンデス
お茶を一杯 オチャヲ イ＼ッパイ
コーヒーをもう一杯 コーヒ＼ーヲ モ＼ー イ＼ッパイ
水を一杯ください ミズヲ イ＼ッパイ クダサ＼イ
一杯のかけそば イ＼ッパイノ カケソバ
ビールを一杯飲む ビ＼ールヲ イ＼ッパイ ノ＼ム
とりあえず一杯 トリア＼エズ イ＼ッパイ
ご飯を一杯 ゴ＼ハンヲ イ＼ッパイ
おかえりなさい オカエリナサ＼イ
おやすみなさい オヤスミナサ＼イ
お帰りなさい オカエリナサ＼イ
お休みなさい オヤスミナサ＼イ
お帰りなさいませ オカエリナサイマ＼セ
おやすみなさいませ オヤスミナサイマ＼セ
おかえりなさいませ オカエリナサイマ＼セ
お休みなさいませ オヤスミナサイマ＼セ
いらっしゃいませ イラッシャイマ＼セ
梅雨前線 バイウゼ＼ンセン
小豆島に行く ショード＼シマニ イク
呪術廻戦を見る ジュジュツカイ＼センヲ ミ＼ル
Steamで買う スチ＼ームデ カウ
Gmailを送る ジーメ＼ールヲ オクル
行くそうです イクソ＼ーデス
泣いたそうだ ナイタソ＼ーダ
若いそうだ ワカ＼イソーダ
呼ばないで ヨバナ＼イデ
置かないで オカナ＼イデ
コミュ障が コミュショーガ
裏垢が ウラアカガ
本垢が ホンアカガ
推し活が オシカツガ
指示厨が シジ＼チューガ
配信主が ハイシ＼ンヌシガ
陽キャが ヨーキャガ
限界陰キャが ゲンカイイ＼ンキャガ
彼氏面が カレシズラガ
電池切れが デンチギレガ
二人暮らしが フタリグ＼ラシガ
日本中が ニホンジューガ
同接が ドーセツガ
断捨離が ダンシャリガ
海へ行かう ウ＼ミエ イコ＼ー
本を読まう ホ＼ンヲ ヨモ＼ー
"""
CASES = [line.split(" ", 1) for line in ACCENTS.strip().splitlines()]


def phrases(text: str) -> str:
    """Accent phrases in katakana, as this file writes them."""
    found: list[tuple[str, int]] = []
    for word in parse_sentence(text):
        if word.is_joined and found:
            found[-1] = (found[-1][0] + word.pronunciation, found[-1][1])
        elif word.pronunciation:
            found.append((word.pronunciation, word.accent))
    return " ".join(_marked(kana, accent) for kana, accent in found)


def _marked(kana: str, accent: int) -> str:
    moras = split_moras(kana)
    return "".join(moras[:accent]) + ("＼" if accent else "") + "".join(moras[accent:])


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_accents(text: str, expected: str) -> None:
    assert phrases(text) == expected


def test_there_are_a_hundred() -> None:
    assert len({text for text, _ in CASES}) >= 100


def test_the_fall_is_heard() -> None:
    phones = OpenJTalkG2P().convert_sentence("行かないで")
    assert phones.tones == (0, 0, 1, 1, 1, 1, 0, 0, 0, 0)  # _ i k a n a i d e _
