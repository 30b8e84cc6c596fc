"""One spelling for each character: NFKC, no control or format characters, letters without accents; and the spaces that part words: 今日 中野へ is not 今日中 野へ."""

import re
import unicodedata

from app.core.text.normalise.lazy_pattern import LazyPattern
from app.core.text.normalise.spoken_signs import KEPT_SIGNS_BEFORE_NFKC, SIGNS_BEFORE_NFKC, keep_words

PLACEHOLDER = "\ue000"  # stands for a word whose reading the user gave; no rule may read or drop it

_LINE_BREAK_TABLE = dict.fromkeys("\x85\u2028\u2029\v\f", "\n") | {"\r": ""}
_OTHER_KANA = {"゛": "\u3099", "゜": "", "ヷ": "ヴァ", "ヸ": "ヴィ", "ヹ": "ヴェ", "ヺ": "ヴォ"}  # ゛ joins the kana before it
_SMALL_KANA = dict(zip("ㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ", "クシストヌハヒフヘホムラリルレロ", strict=True))  # of Ainu: ㇷ゚ is プ
_BEFORE_NFKC = str.maketrans(
    SIGNS_BEFORE_NFKC
    | {sign: keep_words(words) for sign, words in KEPT_SIGNS_BEFORE_NFKC.items()}
    | _LINE_BREAK_TABLE
    | _OTHER_KANA
    | _SMALL_KANA
    | {"\u200b": " ", "\u00ad": "", "´": "", "¨": "", "⁄": "/", "ℓ": "L", "℉": "°F"}
    | dict.fromkeys("～∼〰", "〜")
    | dict.fromkeys("⸺⸻", "—")
)
_AFTER_NFKC = str.maketrans(
    dict.fromkeys("‐‑⁃﹣－", "-") | dict.fromkeys("–‒―─━﹘", "—") | dict.fromkeys("’‘", "'") | {"~": "〜", "`": "", "゠": "=", "∕": "/"}
)

_SUPERSCRIPT = "([⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
_SUPERSCRIPT_POWER = re.compile(rf"(?<=[\d)）]){_SUPERSCRIPT}|(?<![\dA-Za-z])([A-Za-z]){_SUPERSCRIPT}")
_RATE_BEFORE = re.compile(r"(?:\d\s?[A-Za-zµμ]{1,4}|[A-Za-zµμ]{2,4})[²³23]?/$")
_LONGEST_RATE = 8  # letters before an exponent
_VULGAR_FRACTION = re.compile(r"(?<!\d)(\d*+)([¼½¾⅐-⅞])")

BOUNDARY_CHAR = "\ue001"  # stands for such a space, as all others between Japanese characters are only a matter of style

_JAPANESE_CLASS = "ぁ-ゖァ-ヺー一-龠々〇"
_SPACE_CHARS = " \t\u00a0\u3000"
_SPACE_BETWEEN_JAPANESE = LazyPattern(_SPACE_CHARS, rf"(?<=[{_JAPANESE_CLASS}])[{_SPACE_CHARS}]+(?=[{_JAPANESE_CLASS}])")
_LETTER_SPACED = LazyPattern(
    " \u3000", rf"(?<![^\s])[{_JAPANESE_CLASS}](?:[ \u3000][{_JAPANESE_CLASS}]){{2,}}(?![^\s、。！？!?])"
)  # お は よ う is one word


def normalise_characters(text: str) -> str:
    """Return text whose characters are NFKC and make a sound or a pause; all others are dropped."""
    text = _SUPERSCRIPT_POWER.sub(_speak_power, text)
    text = _VULGAR_FRACTION.sub(_speak_fraction, text)
    text = unicodedata.normalize("NFKC", text.translate(_BEFORE_NFKC)).translate(_AFTER_NFKC)
    return "".join(_simplify_char(char) for char in text)


def _speak_power(match: re.Match[str]) -> str:
    """Read a power of a number or a variable, but not of the unit behind a stroke: 5m/s²."""
    if match[2] and match[2] in "ms" and _RATE_BEFORE.search(match.string, max(0, match.start() - _LONGEST_RATE), match.start()):
        return match[0]
    return f"{match[2] or ''}の{unicodedata.normalize('NFKC', match[1] or match[3])}乗"


def _speak_fraction(match: re.Match[str]) -> str:
    numerator, denominator = unicodedata.normalize("NFKC", match[2]).split("⁄")
    return f"{match[1]}{'と' if match[1] else ''}{denominator}ぶんの{numerator}"


def _simplify_char(char: str) -> str:
    if char == "\n":
        return char
    if char.isspace():
        return " "
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn", "Mn", "Me"):
        return ""
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() else char


def mark_boundaries(text: str) -> str:
    """Return raw text with a sign of its own for every space between Japanese words."""
    text = _LETTER_SPACED.sub(lambda match: re.sub(r"\s", "", match[0]), text)
    return _SPACE_BETWEEN_JAPANESE.sub(BOUNDARY_CHAR, text)
