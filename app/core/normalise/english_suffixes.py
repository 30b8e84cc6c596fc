"""English endings on a word that is already katakana: コンピューター + s → コンピューターズ."""

from __future__ import annotations

_SUFFIXED_ENDINGS = {
    "ing": {
        "ス": "シング", "ズ": "ジング", "ト": "ティング", "ド": "ディング", "ク": "キング", "グ": "ギング", "プ": "ピング", "ブ": "ビング",
        "ム": "ミング", "ン": "ニング", "ル": "リング", "チ": "チング", "ジ": "ジング", "シュ": "シング", "フ": "フィング",
    },
    "er": {
        "ス": "サー", "ズ": "ザー", "ト": "ター", "ド": "ダー", "ク": "カー", "グ": "ガー", "プ": "パー", "ブ": "バー", "ム": "マー",
        "ン": "ナー", "ル": "ラー", "チ": "チャー", "ジ": "ジャー", "シュ": "シャー", "フ": "ファー",
    },
    "s": {"ス": "シズ", "ズ": "ジズ", "チ": "チズ", "ジ": "ジズ", "シュ": "シズ", "ト": "ツ", "ド": "ズ", "ク": "クス", "プ": "プス", "フ": "フス"},
    "ed": {"ト": "テッド", "ド": "デッド", "ク": "クト", "プ": "プト", "ス": "スト", "チ": "チト", "シュ": "シュト", "フ": "フト"},
    "ly": {"ル": "リー"},
}  # fmt: skip
_ADDED_SUFFIXES = {"ing": "イング", "er": "ヤー", "s": "ズ", "ed": "ド", "ly": "リー"}
_CONTRACTED_SUFFIXES = {"ve": "ブ", "re": "アー", "ll": "ル", "d": "ド", "m": "ム", "t": "ント"}


def add_suffix(kana: str, suffix: str) -> str:
    """Return `kana` with the ending added as its last mora demands."""
    for end, replacement in _SUFFIXED_ENDINGS.get(suffix, {}).items():
        if kana.endswith(end):
            return kana.removesuffix(end) + replacement
    return kana + (_ADDED_SUFFIXES.get(suffix) or _CONTRACTED_SUFFIXES.get(suffix, ""))
