"""One spelling for each character: NFKC, no control or format characters, letters without accents; spaces that part words: 今日 中野へ is not 今日中 野へ; signs that are words.

Of these it is said how each is spoken, where Unicode's own compatibility forms (NFKC) do not settle it well. Some of the words the analyser must not read
again: 小なり is ショーナリ wherever it occurs. On its way through the normaliser each of them is one private character; `split_kept_words` says where they
are when all else is settled. Patterns that few texts have anything for are compiled when a text holds one of the signs they need.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property


class LazyPattern:
    """A regular expression; `signs`: whatever it matches, one of these characters is in the text: in the match, or in what is looked for around it."""

    def __init__(self, signs: str, pattern: str, flags: int = 0) -> None:
        self._signs, self._source, self._flags = frozenset(signs), pattern, flags

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Return the compiled expression."""
        return re.compile(self._source, self._flags)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with every match replaced."""
        return text if self._signs.isdisjoint(text) else self.regex.sub(replacement, text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every match, in order."""
        return iter(()) if self._signs.isdisjoint(text) else self.regex.finditer(text)


# Taken before NFKC, which would make them something else or hide what they meant.
SIGNS_BEFORE_NFKC: dict[str, str] = {
    "㈱": "株式会社", "㈲": "有限会社", "㈳": "社団法人", "㈴": "合名会社", "㈵": "特殊法人", "㈶": "財団法人", "㈷": "祝日",
    "㈸": "労働組合", "㈹": "代表", "㈺": "呼出し電話", "㈻": "学校法人", "㈼": "監査法人", "㈽": "企画", "㈾": "合資会社",
    "㈿": "協同組合", "㉀": "祭日", "㉁": "休日", "㊑": "株式会社", "㊒": "有限会社", "㊓": "社団法人", "㊔": "合名会社", "㊕": "特殊法人",
    "㊖": "財団法人", "㊘": "労働組合", "㊙": "秘密", "㊝": "優良", "㊟": "注意", "㊡": "休日", "㊢": "写し",
    "㊩": "医療法人", "㊪": "宗教法人", "㊫": "学校法人", "㊬": "監査法人", "㊭": "企業組合", "㊮": "合資会社", "㊯": "協同組合",
    "℃": "度", "℡": "電話", "№": "ナンバー", "™": "トレードマーク", "℠": "サービスマーク", "〒": "郵便番号",
}  # fmt: skip
KEPT_SIGNS_BEFORE_NFKC: dict[str, str] = {
    "∬": "二重積分", "∭": "三重積分", "∮": "周回積分", "∯": "面積分", "∰": "体積分", "≠": "ノットイコール",
    "∌": "含まない", "∉": "属さない", "⊄": "部分集合 ではない", "⊅": "上位集合 ではない", "≢": "合同でない", "∦": "平行でない", "㊗": "祝",
}  # fmt: skip

CURRENCIES: dict[str, str] = {
    "$": "ドル", "€": "ユーロ", "£": "ポンド", "¥": "円", "₩": "ウォン", "₹": "ルピー", "₽": "ルーブル", "₺": "リラ", "฿": "バーツ", "₱": "ペソ",
    "₴": "フリヴニャ", "₫": "ドン", "₪": "シェケル", "₡": "コロン", "₿": "ビットコイン", "₦": "ナイラ", "₲": "グアラニー", "₵": "セディ", "₸": "テンゲ",
    "₭": "キープ", "₮": "トゥグルグ", "₾": "ラリ", "¢": "セント",
}  # fmt: skip

# Taken after NFKC. A unit that follows a number is read with it; all other words are kept from the analyser.
SIGN_WORDS: dict[str, str] = CURRENCIES | {
    "⋯": "...", "%": "パーセント", "‰": "パーミル", "°": "度", "′": "分", "″": "秒", "π": "パイ", "Ω": "オーム", "µ": "マイクロ",
}  # fmt: skip
KEPT_SIGN_WORDS: dict[str, str] = {
    "+": "プラス", "=": "イコール", "±": "プラス マイナス", "∓": "マイナス プラス", "×": "かける", "÷": "わる", "−": "マイナス",
    "&": "アンド", "@": "アット", "#": "シャープ", "§": "セクション", "¶": "段落",
    "<": "小なり", ">": "大なり", "≦": "小なり イコール", "≧": "大なり イコール", "≤": "小なり イコール", "≥": "大なり イコール",
    "≪": "非常に 小さい", "≫": "非常に 大きい", "≒": "ニアリーイコール", "≈": "ほぼ 等しい", "≃": "ほぼ 等しい", "≅": "合同", "≡": "合同", "∽": "相似",
    "∞": "無限大", "√": "ルート", "∛": "立方根", "∜": "四乗根", "∑": "シグマ", "∏": "総乗", "∫": "インテグラル",
    "∂": "パーシャル", "∇": "ナブラ", "∆": "デルタ", "∝": "比例", "∴": "ゆえに", "∵": "なぜならば", "∀": "すべての", "∃": "存在する", "∄": "存在しない",
    "∈": "属する", "∋": "含む", "∪": "和集合", "∩": "共通部分", "⊂": "部分集合", "⊃": "上位集合", "⊆": "部分集合 または 等しい",
    "⊇": "上位集合 または 等しい", "∅": "空集合", "∖": "差集合", "∧": "かつ", "∨": "または", "¬": "否定", "⇒": "ならば", "⇔": "同値",
    "∥": "平行", "⊥": "垂直", "∠": "角", "∟": "直角", "⊿": "三角形", "⊕": "直和", "⊗": "テンソル積",
    "→": "右矢印", "←": "左矢印", "↑": "上矢印", "↓": "下矢印", "↔": "双方向矢印",
    "♀": "メス", "♂": "オス", "♭": "フラット", "♮": "ナチュラル", "♯": "シャープ", "©": "コピーライト", "®": "登録商標",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeptWord:
    """A word that is always read this way."""

    surface: str
    reading: str  # katakana, long vowels as ー
    accent: int  # mora after which the pitch falls, 0 = never


# Word, reading, accent.
_KEPT_WORD_TABLE = """
プラス プラス 0 マイナス マイナス 0 かける カケル 2 わる ワル 0 ひく ヒク 0 イコール イコール 2 ノットイコール ノットイコール 5 ニアリーイコール ニアリーイコール 6
小なり ショーナリ 1 大なり ダイナリ 1 非常に ヒジョーニ 0 小さい チーサイ 3 大きい オーキイ 3 ほぼ ホボ 1 等しい ヒトシイ 3
アンド アンド 1 アット アット 1 シャープ シャープ 1 セクション セクション 1 段落 ダンラク 0 合同 ゴードー 0 合同でない ゴードーデナイ 6 相似 ソージ 0
無限大 ムゲンダイ 2 ルート ルート 1 立方根 リッポーコン 3 四乗根 ヨンジョーコン 3 シグマ シグマ 1 総乗 ソージョー 0 パーシャル パーシャル 1 ナブラ ナブラ 1
デルタ デルタ 1 比例 ヒレー 0 ゆえに ユエニ 2 なぜならば ナゼナラバ 1 すべての スベテノ 1 存在する ソンザイスル 0 存在しない ソンザイシナイ 0
インテグラル インテグラル 4 二重積分 ニジューセキブン 4 三重積分 サンジューセキブン 5 周回積分 シューカイセキブン 5 面積分 メンセキブン 3 体積分 タイセキブン 3
属する ゾクスル 3 属さない ゾクサナイ 4 含む フクム 2 含まない フクマナイ 4 和集合 ワシューゴー 2 共通部分 キョーツーブブン 5 空集合 クーシューゴー 3
差集合 サシューゴー 2 部分集合 ブブンシューゴー 4 上位集合 ジョーイシューゴー 4 ではない デワナイ 1 かつ カツ 1 または マタワ 2 否定 ヒテー 0
ならば ナラバ 1 同値 ドーチ 1 平行 ヘーコー 0 平行でない ヘーコーデナイ 6 垂直 スイチョク 0 角 カク 1 直角 チョッカク 0 三角形 サンカクケー 3
直和 チョクワ 0 テンソル積 テンソルセキ 4 右矢印 ミギヤジルシ 3 左矢印 ヒダリヤジルシ 4 上矢印 ウエヤジルシ 3 下矢印 シタヤジルシ 3
双方向矢印 ソーホーコーヤジルシ 7 メス メス 1 オス オス 1 フラット フラット 2 ナチュラル ナチュラル 1 コピーライト コピーライト 4 登録商標 トーロクショーヒョー 5
毎 マイ 1 毎時 マイジ 1 毎分 マイフン 1 毎秒 マイビョー 1 毎日 マイニチ 1 パー パー 1 祝 シュク 1
"""

_FIRST_KEPT_CODE = 0xE100
_KEPT_WORD_FIELDS = _KEPT_WORD_TABLE.split()
_KEPT_WORDS = [
    KeptWord(surface, reading, int(accent))
    for surface, reading, accent in zip(_KEPT_WORD_FIELDS[::3], _KEPT_WORD_FIELDS[1::3], _KEPT_WORD_FIELDS[2::3], strict=True)
]
_CHARS_BY_SURFACE = {word.surface: chr(_FIRST_KEPT_CODE + number) for number, word in enumerate(_KEPT_WORDS)}
_SURFACES_BY_CODE = {ord(char): surface for surface, char in _CHARS_BY_SURFACE.items()}
KEPT_CHAR_RANGE = f"{chr(_FIRST_KEPT_CODE)}-{chr(_FIRST_KEPT_CODE + len(_KEPT_WORDS) - 1)}"  # all of them, for a class of characters
_KEPT_CHAR = re.compile(f"([{KEPT_CHAR_RANGE}])")


def keep_words(words: str) -> str:
    """Return words of the table, parted by spaces, as the characters that stand for them."""
    return "".join(_CHARS_BY_SURFACE[word] for word in words.split())


def write_kept_words(text: str) -> str:
    return text.translate(_SURFACES_BY_CODE)


def split_kept_words(text: str) -> list[str | KeptWord]:
    """Split the text into pieces, each either plain text or a kept word."""
    return [
        _KEPT_WORDS[ord(piece) - _FIRST_KEPT_CODE] if _KEPT_CHAR.fullmatch(piece) else piece for piece in _KEPT_CHAR.split(text) if piece
    ]


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


_WORD_BEHIND_DOTS = LazyPattern("….", r"(?:(?<=…)|(?<=\.\.\.))(?=[0-9A-Za-z０-９Ａ-Ｚａ-ｚ])")
_TOWN_BEHIND_PREFECTURE = LazyPattern("立", r"(?<=[一-龠][都道府県市])(?=立[一-龠]{1,2}[市町村](?![一-龠]))")


def mark_boundaries(text: str) -> str:
    """Return raw text with a sign of its own for every space between Japanese words, before 立山町 behind 富山県, which is no 県立, and behind dots.

    A number behind dots would be taken for their decimals.
    """
    text = _WORD_BEHIND_DOTS.sub(BOUNDARY_CHAR, _TOWN_BEHIND_PREFECTURE.sub(BOUNDARY_CHAR, text))
    text = _LETTER_SPACED.sub(lambda match: re.sub(r"\s", "", match[0]), text)
    return _SPACE_BETWEEN_JAPANESE.sub(BOUNDARY_CHAR, text)
