"""Removes the decoration around words: bullets, ruled lines, drawn-out laughter, faces drawn with signs such as (∩´∀｀)∩."""

from __future__ import annotations

import re

from app.core.text.normalise.characters import BOUNDARY_CHAR, PLACEHOLDER
from app.core.text.normalise.lazy_pattern import LazyPattern

_ONLY_FACE_CHARS = frozenset("´｀`ﾟ゜˘д▽╹﹏‿◡ᴥㅂㅅ益皿￣¯＾•◕◉ಠ⌒╥ᴗ")  # eyes and mouths
_FACE_CHARS = _ONLY_FACE_CHARS | frozenset("ωД∀∇Θ≧≦")  # those of formulas as well
# Letters and kana that are cheeks, tears and hands.
_LIMBS = frozenset("っつッノﾉヽヾゝゞーヘへ一人口ロﾛワﾜヮェｪェシｼoOｏＯcCｃvVｖuUTＴxXqQpbdmnzAD03３εзΦ")
_TEXT_CHAR = "[A-Za-zＡ-Ｚａ-ｚ0-9０-９ぁ-ゖァ-ヺｦ-ﾝ一-龠Α-ωА-я]"
_MOUTH = "[_＿ω∀▽△ДдO○□Θ﹏]"
_SPARKLES = r"[ﾟ゜+＋*＊☆★✧:：･｡.]{2,40}+"
_SYMMETRIC_FACE = (
    rf"([TＴoOｏＯ0０xX@＠*＊+＋$?？uUvVqQ=＝;；~'’ノﾉ°・･•。｡.ー−-]){_MOUTH}{{1,2}}\1"  # (o_o), ('ω')
    r"|([TＴ;；・･°'])[oOｏＯ0０.vVзε3３qー−^-]\2"  # (T-T), (・３・)
    r"|[\^＾].?[\^＾]|[\^＾][_＿][-−ー]|[>＞].{0,2}[<＜]|≧.?≦|[_＿]{2}|[/／][ω_＿▽∀]?[\\＼]|['´]A[`´]"
)
_LEFT_LIMB = rf"(?:<(?=[(（])|(?<![A-Za-z0-9])[mｍoｏOdｄc]|(?<![ぁ-んァ-ヶー])[ノっつヘ]|{_SPARKLES}|[∩ヽヾ＼\\σ⊂⊃٩ᕦ⁽ʅ┗└┏Σ✧☆★╰╭｡ﾟ]){{0,3}}"
_RIGHT_LIMB = (
    rf"(?:>|[mｍoｏOdｄbｂvｖc](?![A-Za-z])|[zZｚＺ]{{2,}}(?![A-Za-z])|ノシ|ﾉｼ|-☆|[ノシっッつ旦](?![ぁ-んァ-ヶー])|{_SPARKLES}"
    r"|[∩丿ゞ／/σ⊃⊂و۶┛┘┓✧☆★彡ﾉヾ╯︵ﾟ｡]){0,3}"
)
_FACE_CONTENT = rf"[^()（）{PLACEHOLDER}\n]"
_BRACKETED_FACE = LazyPattern("(（", rf"{_LEFT_LIMB}[(（]({_FACE_CONTENT}{{2,16}})[)）]{_RIGHT_LIMB}")
_UNCLOSED_FACE = LazyPattern("(（", rf"{_LEFT_LIMB}[(（]({_FACE_CONTENT}{{2,8}}?)(?=$|[\s。、！？!?」』])", re.MULTILINE)  # (´Д⊂ヽ
_OTHER_FACES = LazyPattern(
    "_＿:ʕ¯^＾><＞",
    r"¯\\_[(（]ツ[)）]_/¯|_?[(（]?:3\s?[」ヽ]\s?∠?\s?[)）]?_{0,2}(?![A-Za-z0-9])|ʕ[^ʕʔ\ue000\n]{1,9}ʔ"
    r"|(?<![A-Za-z0-9(（_])(?:T_T|[;；][_＿][;；]|[>＞][_＿][<＜]|[\^＾][_＿oOω-][\^＾]|[oO]_[oO])[;；]*(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9(（_])(?:[>＞]ω?[<＜]|[\^＾]{2})[;；]*(?=$|[\s。、！？!?wｗ♪☆」』)）])",
    re.MULTILINE,
)


def drop_faces(text: str) -> str:
    """Return raw text without faces, whose characters would not survive any normalisation."""
    text = _BRACKETED_FACE.sub(lambda match: BOUNDARY_CHAR if _is_face(match[1]) else match[0], text)
    return _OTHER_FACES.sub(BOUNDARY_CHAR, _UNCLOSED_FACE.sub(lambda match: BOUNDARY_CHAR if _is_face(match[1]) else match[0], text))


def _is_face(inside: str) -> bool:
    """Return whether the text has eyes or a mouth, and nothing but characters that draw faces: neither a word nor a formula, such as (∀x) or (ωt)."""
    signs = re.sub(r"\s", "", inside)
    letters = [sign for sign in signs if re.match(_TEXT_CHAR, sign) and sign not in _FACE_CHARS]
    if not _LIMBS.issuperset(letters):
        return False
    if re.search(_SYMMETRIC_FACE, signs):
        return True
    sure = sum(sign in _ONLY_FACE_CHARS for sign in signs)
    drawn = sum(sign in _FACE_CHARS for sign in signs)
    return sure > 1 or (sure == 1 and (drawn > 1 or not letters))


_BULLET = re.compile(r"^[^\S\n]*(?:[-*•・]|#{1,6}|>{1,3})\s+", re.MULTILINE)
_POST_ANCHOR = LazyPattern(">", r"(?<![\w<>])>>(?=\d)")  # the post of a board that another one answers
_RULED_LINE = re.compile(r"([-_=:*#+〜—])\1{2,}(?:\s*\1{3,})*")
_DOT_RUN = re.compile(r"・{2,}")
_WAVE_RUN = re.compile(r"〜{2,}")
_LAUGHTER = LazyPattern("wW", r"(?<=[ぁ-んァ-ヶー一-龠々!?。)])[wW]+(?=$|[\s。、!?)」』.,])")


def drop_bullets(text: str) -> str:
    """Return text without the bullets of a list, the signs of a quotation, and those before the number of a post."""
    return _POST_ANCHOR.sub("", _BULLET.sub("", text))


def replace_runs(text: str) -> str:
    """Replace runs of one sign by their meaning: a pause, a long vowel, a laugh."""
    text = _DOT_RUN.sub(lambda match: "." * len(match[0]), text)
    text = _WAVE_RUN.sub(lambda match: "ー" * len(match[0]), text)
    text = _RULED_LINE.sub(".", text)
    return _LAUGHTER.sub(lambda match: "ワラ" if len(match[0]) < 3 else "ワラワラ", text)
