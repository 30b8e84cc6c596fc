"""What people put around their words: kaomoji, bullets, ruled lines, drawn-out laughter."""

from __future__ import annotations

import re

from app.core.normalise.rare import RarePattern

# Brackets around a face: no kana, kanji or digits inside, and something that looks like an eye or a mouth.
_FACE_PART = "[\\^´`｀≧≦><＞＜ﾟ゜╹ω∀Дд_＿﹏]"
_NO_FACE_PART = "[^)）\ue000ぁ-んァ-ヶ一-龠a-np-su-zA-NPRSU-Z0-9!?！？。、]"
_KAOMOJI = RarePattern(
    "(（", rf"[mｍ][(（][_＿. \u3000]{{1,5}}[)）][mｍ]|[ヽヾ＼]?[(（](?=[^)）]{{0,12}}{_FACE_PART}){_NO_FACE_PART}{{2,12}}[)）][ノﾉ]?"
)
_BULLET = re.compile(r"^\s*(?:[-*•・]|#{1,6})\s+", re.MULTILINE)
_RULED_LINE = re.compile(r"([-_=:*#+〜—])\1{2,}(?:\s*\1{3,})*")
_DOTS = re.compile(r"・{2,}")
_WAVES = re.compile(r"〜{2,}")
_LAUGHTER = RarePattern("wW", r"(?<=[ぁ-んァ-ヶー一-龠々!?。)])[wW]+(?=$|[\s。、!?)」』.,])")


def drop_faces(text: str) -> str:
    """Raw text without kaomoji and bullets; the characters of a face would not survive any normalisation."""
    return _BULLET.sub("", _KAOMOJI.sub(" ", text))


def plain_runs(text: str) -> str:
    """Runs of one sign as what they stand for: a pause, a long vowel, a laugh."""
    text = _DOTS.sub(lambda match: "." * len(match[0]), text)
    text = _WAVES.sub(lambda match: "ー" * len(match[0]), text)
    text = _RULED_LINE.sub(".", text)
    return _LAUGHTER.sub(lambda match: "ワラ" if len(match[0]) < 3 else "ワラワラ", text)
