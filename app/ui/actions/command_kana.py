"""The kana readings of command names, which find a command before the input method has converted the typed kana to kanji."""

from __future__ import annotations

COMMAND_KANA = {
    "高精度": "こうせいど",
    "高速": "こうそく",
    "自動再生": "じどうさいせい",
    "連続再生": "れんぞくさいせい",
    "全画面": "ぜんがめん",
    "自然な": "しぜんな",
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
    "作成": "さくせい",
    "位置": "いち",
    "分割": "ぶんかつ",
    "結合": "けつごう",
    "一覧": "いちらん",
    "保存": "ほぞん",
    "移動": "いどう",
    "管理": "かんり",
    "終了": "しゅうりょう",
    "編集": "へんしゅう",
    "表示": "ひょうじ",
    "複製": "ふくせい",
    "設定": "せってい",
    "診断": "しんだん",
    "辞書": "じしょ",
    "台本": "だいほん",
    "追加": "ついか",
    "選択": "せんたく",
    "新規": "しんき",
    "名前": "なまえ",
    "最近": "さいきん",
    "消去": "しょうきょ",
    "付け": "つけ",
    "使っ": "つかっ",
    "選んだ": "えらんだ",
    "配色": "はいしょく",
    "音声": "おんせい",
    "含め": "ふくめ",
    "上に": "うえに",
    "下に": "したに",
    "元に": "もとに",
    "戻す": "もどす",
    "直す": "なおす",
    "使い": "つかい",
    "開く": "ひらく",
    "読み": "よみ",
    "個": "こ",
    "声": "こえ",
    "行": "ぎょう",
    "方": "かた",
}
"""The readings by their spelling; longer spellings come first, because they contain shorter ones."""


def convert_command_to_kana(text: str) -> str:
    """Return a name in kana; text that is not in the table is kept."""
    # The order of the table matters: "再生" replaced first would leave half of "再生中".
    for written, read in COMMAND_KANA.items():
        text = text.replace(written, read)
    return text
