"""How the Japanese names of commands are read, so that they are found before the input method has made kanji of what is typed."""

from __future__ import annotations

KANA = {
    "自動再生": "じどうさいせい",
    "連続再生": "れんぞくさいせい",
    "全画面": "ぜんがめん",
    "変更時": "へんこうじ",
    "書き出": "かきだ",
    "読み込": "よみこ",
    "切り取": "きりと",
    "貼り付": "はりつ",
    "合わせ": "あわせ",
    "停止": "ていし",
    "再生中": "さいせいちゅう",
    "再生": "さいせい",
    "削除": "さくじょ",
    "検索": "けんさく",
    "置換": "ちかん",
    "測定": "そくてい",
    "移動": "いどう",
    "管理": "かんり",
    "終了": "しゅうりょう",
    "編集": "へんしゅう",
    "表示": "ひょうじ",
    "複製": "ふくせい",
    "設定": "せってい",
    "診断": "しんだん",
    "辞書": "じしょ",
    "追加": "ついか",
    "選択": "せんたく",
    "選んだ": "えらんだ",
    "配色": "はいしょく",
    "音声": "おんせい",
    "上に": "うえに",
    "下に": "したに",
    "元に": "もとに",
    "戻す": "もどす",
    "直す": "なおす",
    "使い": "つかい",
    "開く": "ひらく",
    "読み": "よみ",
    "声": "こえ",
    "行": "ぎょう",
    "方": "かた",
}
"""Written → read; longer ones first, because they hold shorter ones."""


def kana_of(text: str) -> str:
    """A name as it is read; what is not in the table stays."""
    for written, read in KANA.items():
        text = text.replace(written, read)
    return text
