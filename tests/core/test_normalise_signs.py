"""Scores, ordinals, Roman numerals, signs of posts and of forms: as words, and not where they are something else."""

import pytest

from app.core.text.normalise import normalise_text


def spoken(text: str) -> str:
    return normalise_text(text, lambda _: None).replace(" ", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("外は-8℃", "外はマイナス8度"),
        ("ザク-8", "ザク-8"),
        ("6-2で圧勝", "六タイ二で圧勝"),
        ("6-2の部屋", "6-2の部屋"),
        ("4対0", "ヨンタイゼロ"),
        ("2^8", "2の8乗"),
        ("640x480", "640かける480"),
        ("11:05pm", "午後11時5分"),
        ("3am", "午前3時"),
        ("午前0時に", "午前レイジに"),
        ("4thシングル", "フォースシングル"),
        ("2on2", "ツーオンツー"),
        ("F2の車", "エフツーの車"),
        ("第IX章", "第九章"),
        ("アイアンマンIII", "アイアンマンスリー"),
        ("ヘンリーIV世", "ヘンリー四世"),
        ("(土)と(日)", "ドとニチ"),
        ("(火)〜(木)", "カからモク"),
    ],
)
def test_numbers(text: str, words: str) -> None:
    assert spoken(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#猫の日", "猫の日"),
        ("羽田→成田", "羽田,成田"),
        ("→次へ", "次へ"),
        ("> 引用です", "引用です"),
        (">>12さん", "12さん"),
        ("続く⇒", "続く"),
        ("設定 -> 一般=>表示", "設定,一般,表示"),
        ("犬➡猫", "犬,猫"),
        ("10→20", "10から20"),
        ("p⇒q", "ピーならばキュー"),
        ("「→」キー", "'右矢印'キー"),
        ("ジャン＝リュック", "ジャンリュック"),
        ("1+1＝2", "1プラス1イコール2"),
        ("○×表", "マルバツ表"),
        ("□□会社", "シカクシカク会社"),
        ("○か×か", "マルかバツか"),
        ("3×4", "3かける4"),
        ("ラン〜♪", "ラン♪"),
        ("③次に", "3,次に"),
        ("(株)犬猫", "株式会社犬猫"),
        ("A組とB組", "エー組とビー組"),
        ("HANA NO IRO", "ハナノイロ"),
        ("WE ARE THE CHAMPIONS", "ウィーアーザチャンピオンズ"),
        ("@neko_inuです", "アットネコイヌです"),
    ],
)
def test_signs(text: str, words: str) -> None:
    assert spoken(text).replace("♪", "") == words.replace("♪", "")


def test_the_english_converter_is_asked_last() -> None:
    asked: list[str] = []

    def spell(word: str) -> str:
        asked.append(word)
        return "カナ"

    assert (
        normalise_text("schnorkelとsakuraとHTMLとdata", lambda _: None, spell).replace(" ", "")
        == "カナとサクラとエイチティーエムエルとデータ"
    )
    assert asked == ["schnorkel"]
