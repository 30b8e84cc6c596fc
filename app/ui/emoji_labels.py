"""What each emoji does to a voice that speaks them, in a few words: what such voices are trained to do. How well they do it differs."""

from __future__ import annotations

from app.language import localized

_WORDS = {
    "⏩": ("早口で", "fast, in a hurry"),
    "⏸": ("間を置く", "a pause"),
    "🌬": ("息づかい、荒い息", "breathing, out of breath"),
    "🎵": ("鼻歌", "humming"),
    "🐢": ("ゆっくり", "slowly"),
    "👂": ("耳元でささやく", "whispering"),
    "👅": ("舌や口の中の音", "sounds of tongue and mouth"),
    "👌": ("相づち", "a sound of agreement"),
    "💋": ("リップ音", "a smack of the lips"),
    "💨": ("ため息、吐息", "a sigh"),
    "📞": ("電話越しの声", "as over the telephone"),
    "📢": ("響く声、エコー", "with an echo"),
    "😆": ("うれしそうに", "overjoyed"),
    "😊": ("楽しそうに", "cheerful"),
    "😌": ("ほっとして", "relieved"),
    "😏": ("からかうように", "teasing"),
    "😒": ("舌打ち", "a click of the tongue"),
    "😖": ("苦しそうに", "in pain"),
    "😟": ("心配そうに", "worried"),
    "😠": ("怒って", "angry"),
    "😪": ("眠そうに", "sleepy"),
    "😭": ("泣きながら", "crying"),
    "😮": ("息をのむ", "a gasp"),
    "😰": ("慌てて、緊張して", "flustered"),
    "😱": ("悲鳴", "a scream"),
    "😲": ("驚いて", "surprised"),
    "🙄": ("あきれて", "exasperated"),
    "🙏": ("頼み込むように", "pleading"),
    "🤐": ("口をふさがれた声", "as through a hand over the mouth"),
    "🤔": ("考えるように", "wondering"),
    "🤧": ("せき、鼻をすする", "a cough or a sniff"),
    "🤭": ("くすくす笑い", "a giggle"),
    "🥤": ("飲み込む音", "a gulp"),
    "🥱": ("あくび", "a yawn"),
    "🥴": ("酔って", "drunk"),
    "🥵": ("うめき声、あえぎ", "groaning, panting"),
    "🥺": ("自信なさげに、震える声で", "timid, with a trembling voice"),
    "🫣": ("恥ずかしそうに", "shy"),
    "🫶": ("優しく", "tenderly"),
}


def emoji_words(symbol: str) -> str:
    """What one of the 39 does; empty for any other character."""
    return localized(*_WORDS.get(symbol, ("", "")))
