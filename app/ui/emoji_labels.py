"""Short descriptions of the emoji that some voices speak.

They say what such voices are trained to do; how well a voice does it differs.
"""

from __future__ import annotations

from app.common.language import localize

_EMOJI_LABELS = {
    "⏩": ("早口で", "fast, hurried"),
    "⏸": ("間を置く", "pause"),
    "🌬": ("息づかい、荒い息", "breathing, out of breath"),
    "🎵": ("鼻歌", "humming"),
    "🐢": ("ゆっくりと", "slowly"),
    "👂": ("耳元でささやく", "whispering"),
    "👅": ("舌や口の中の音", "tongue and mouth sounds"),
    "👌": ("相づち", "agreement"),
    "💋": ("リップ音", "lip smack"),
    "💨": ("ため息、吐息", "sigh"),
    "📞": ("電話越しの声", "as if on the phone"),
    "📢": ("響く声、エコー", "with an echo"),
    "😆": ("うれしそうに", "overjoyed"),
    "😊": ("楽しそうに", "cheerful"),
    "😌": ("ほっとして", "relieved"),
    "😏": ("からかうように", "teasing"),
    "😒": ("舌打ち", "tongue click"),
    "😖": ("苦しそうに", "in pain"),
    "😟": ("心配そうに", "worried"),
    "😠": ("怒って", "angry"),
    "😪": ("眠そうに", "sleepy"),
    "😭": ("泣きながら", "crying"),
    "😮": ("息をのむ", "gasp"),
    "😰": ("慌てて、緊張して", "flustered"),
    "😱": ("悲鳴", "scream"),
    "😲": ("驚いて", "surprised"),
    "🙄": ("あきれて", "exasperated"),
    "🙏": ("懇願するように", "pleading"),
    "🤐": ("口をふさがれた声", "muffled, as if gagged"),
    "🤔": ("考えるように", "thinking"),
    "🤧": ("せき、鼻をすする", "cough, sniff"),
    "🤭": ("くすくす笑い", "giggle"),
    "🥤": ("飲み込む音", "gulp"),
    "🥱": ("あくび", "yawn"),
    "🥴": ("酔って", "drunk"),
    "🥵": ("うめき声、あえぎ", "groaning, panting"),
    "🥺": ("自信なさげに、震える声で", "timid, trembling"),
    "🫣": ("恥ずかしそうに", "shy"),
    "🫶": ("優しく", "tenderly"),
}


def describe_emoji(symbol: str) -> str:
    """Return the effect of one of the 39 emoji; empty for any other character."""
    return localize(*_EMOJI_LABELS.get(symbol, ("", "")))
