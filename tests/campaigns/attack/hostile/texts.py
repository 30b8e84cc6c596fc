"""Texts that nobody would read aloud, and texts that look as if somebody would."""

import random
import unicodedata
from collections.abc import Callable

PIECES = (
    "今日は", "雨が降る", "2026年11月22日", "ｶﾞｷﾞｸﾞ", "ヴァイオリン", "檜箱庵", "はい", "ー", "っ", "ゃ", "々", "ゝゞ", "〆切", "㈱",
    "①②③", "㍿", "㌔", "½", "Ⅻ", "𠮷野家", "葛󠄀城", "龘",
    "1,234,567.89", "-0.0001", "1e400", "９９９", "0" * 50, "1/2", "3:00", "25:61:61", "2026/13/45", "〒100-0001", "03-1234-5678",
    "+81(0)3", "100%", "¥1,000", "$5.00", "10kg", "5m²", "36.5℃",
    "1" * 40, "99999999999999999999円", "1.2.3.4", "192.168.0.1", "0x1F", "第1回", "3分の1", "マイナス5", "一二三", "壱億弐千万",
    "兆京垓", "1億2345万", "½杯", "10³", "x²+y²=z²", "1〜10", "A4", "5G",
    "https://example.com/あ?x=1&y=%E3%81%82#z", "http://", "www.", "a@b.co.jp", "user@@@", "file:///etc/passwd", "C:\\Windows\\x",
    "../../x", "#タグ", "@user", "//",
    "Hello", "iPhone15", "WiFi", "McDonald's", "e.g.", "R&B", "AAAAAAAA", "aaaa" * 30, "l'été", "straße", "İstanbul", "ﬁ", "ＡＢＣ",
    "DON'T", "x_y_z", "C++", "C#", ".NET", "Dr.", "U.S.A.",
    "😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇯🇵", "👍🏽", "☃️", "1️⃣", "♥", "♪", "※", "(^_^;)", "orz", "ｗｗｗ", "(笑)", "…", "‥", "！？", "!!!!!!",
    "。。。", "、、、", "「『【〔（", "）〕】』」", "・・・", "〜〜〜", "――", "－", "‐",
    "<speak>", "</speak>", "<break time='999999s'/>", "<prosody rate='x'>", "{{", "}}", "%s%n%x", "${x}", "`rm`", "\\n", "&amp;",
    "&#x1b;", "<!--", "]]>", "'; DROP TABLE", "[[", "|", "^", "~", "_", "*", "**太字**", "```",
    "안녕하세요", "你好", "Привет", "γεια", "שלום", "مرحبا", "สวัสดี", "नमस्ते", "ﷺ", "𝕳𝖊𝖑𝖑𝖔", "ꙮ", "་", "𒐫", "🜁", "⠿", "␀", "﷽",
    "*", "EOS", "BOS", "名詞,一般", "\"", "'", ",", ",,,,,,,,", "/A:-?+*", "xx^xx-sil+k=o", "0/5", "\ufffc", "\ufffd",
)  # fmt: skip
INVISIBLE = (
    *map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\xad", "\u061c", "\u115f", "\u180e", "\u200b", "\u200c", "\u200d",
    "\u200e", "\u202e", "\u202a", "\u2066",
    "\u2028", "\u2029", "\u2060", "\u3000", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\ufffe", "\uffff", "\ue000", "\uf8ff", "\U000e0001",
    "\U000e0100", "\U000f0000", "\U0010ffff",
)  # fmt: skip
HALVES = ("\ud800", "\udfff", "\udc80", "\ud83d", "\ude00", "\udcff")
LETTERS = "あいうえおかきくけこがぎぐげごんっゃゅょーアイウエオヴヷゔゖ漢字一右雨円王音下火花貝学気九休玉金空月犬見五口校左三山子四糸"
LONGEST, USUAL = 20_000, 150  # characters; long ones take long
RUNS = (" ", "\n", "\u3000", "0", "5,", "〜", "☆", "ぁ", "<!--", "<style>", "<b>", "m²", "- ", "a.", "(月) ", ":")


def _pieces(draw: random.Random) -> str:
    return "".join(draw.choice(PIECES) for _ in range(draw.choice((1, 1, 2, 3, 5, 12))))


def _anything(draw: random.Random) -> str:
    """Characters of all of Unicode, halves of pairs among them."""
    ranges = (range(0x250), range(0x3000, 0x3400), range(0x110000))
    return "".join(chr(draw.choice(draw.choice(ranges))) for _ in range(draw.choice((1, 3, 20))))


def _japanese(draw: random.Random) -> str:
    return "".join(draw.choice(LETTERS) for _ in range(draw.choice((1, 4, 15, 60))))


def _repeated(draw: random.Random) -> str:
    return draw.choice((*PIECES, *INVISIBLE, *LETTERS)) * draw.choice((2, 3, 5, 10, 30, 100))


def _stacked(draw: random.Random) -> str:
    """A letter under hundreds of marks."""
    marks = [chr(code) for code in (*range(0x300, 0x370), 0x3099, 0x309A, 0xFE0F, 0x200D)]
    return draw.choice("あかはウeЖ漢😀") + "".join(draw.choice(marks) for _ in range(draw.choice((1, 3, 300))))


def _number(draw: random.Random) -> str:
    digits = "".join(draw.choice("0123456789") for _ in range(draw.choice((1, 2, 3, 4, 5, 8, 17, 40))))
    unit = draw.choice(
        (
            "",
            "円",
            "%",
            "km/h",
            "人",
            "本",
            "月",
            "時",
            "分",
            "日",
            "年",
            "℃",
            "mm²",
            "GHz",
            "匹",
            "回目",
            "位",
            "-1",
            ".5",
            ",000",
            "/3",
            ":30",
            "e9",
            "万",
            "^2",
        )
    )
    return draw.choice(("", "-", "−", "+", "±", "約", "¥", "第", "No.", "#", "0", ".")) + digits + unit


def _other_form(draw: random.Random) -> str:
    return unicodedata.normalize(draw.choice(("NFC", "NFD", "NFKC", "NFKD")), _pieces(draw).encode("utf-8", "replace").decode())


PARTS: tuple[Callable[[random.Random], str], ...] = (
    _pieces,
    _pieces,
    _anything,
    _japanese,
    _repeated,
    _stacked,
    _number,
    _number,
    _other_form,
)


def hostile_text(draw: random.Random, longest: int = LONGEST) -> str:
    """One line or several; parts of all kinds, with what cannot be seen strewn between them."""
    text = "".join(draw.choice(PARTS)(draw) for _ in range(draw.choice((1, 1, 1, 2, 4))))
    for _ in range(draw.choice((0, 0, 0, 1, 3))):
        place = draw.randrange(len(text) + 1)
        text = text[:place] + draw.choice((*INVISIBLE, *HALVES)) + text[place:]
    if draw.random() < 0.003:  # whole: what takes the square of a text shows in long ones alone
        repeated = draw.choice((text[: draw.choice((1, 2, 9))] or "あ", *RUNS))
        return (repeated * (longest // len(repeated) + 1))[:longest]
    return text[:longest] if draw.random() < 0.02 else text[: min(longest, USUAL)]


def plain_bytes(text: str) -> bytes:
    """As it may come through a pipe: halves of pairs are bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogatepass")
