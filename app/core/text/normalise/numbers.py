"""Numbers: kanji numerals, decimals, powers of ten, fractions, ratios, signs, telephone numbers, ordinals, scores, enclosed ones."""

import re
import unicodedata
from decimal import Decimal

from app.core.text.normalise.characters import LazyPattern, keep_words
from app.core.text.normalise.english_words import LETTER_READINGS, SMALL_NUMBER_READINGS

_ROMAN_NUMERALS = {
    name: number for number, name in enumerate(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"], start=1)
}
_NUMERAL = LazyPattern("IVX", r"(?<![A-Za-z0-9])(?P<before>第?)(II|III|IV|VI|VII|VIII|IX|XI|XII)(?![A-Za-z0-9.])")
_NUMERAL_OF_NAME = LazyPattern("IVX", r"(?<=[ァ-ヶー一-龠])\s?(II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)(?![A-Za-z0-9.])")
_ANY_NUMERAL = r"(?:I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)"
_NUMERAL_LIST = LazyPattern("IVX", rf"(?<![A-Za-z0-9]){_ANY_NUMERAL}(?:\s?[,、，・/ ]\s?{_ANY_NUMERAL})+(?![A-Za-z0-9.'])")  # I・II・III
_NUMERAL_COUNTERS = "世章型期部巻類種級度編号条項話番回次丁組"  # Japanese numbers go with them
_ENGLISH_ORDINALS = {
    "1st": "ファースト", "2nd": "セカンド", "3rd": "サード", "4th": "フォース", "5th": "フィフス", "6th": "シックスス", "7th": "セブンス",
    "8th": "エイス", "9th": "ナインス", "10th": "テンス", "11th": "イレブンス", "12th": "トゥエルフス", "13th": "サーティーンス",
    "14th": "フォーティーンス", "15th": "フィフティーンス", "16th": "シックスティーンス", "17th": "セブンティーンス", "18th": "エイティーンス",
    "19th": "ナインティーンス", "20th": "トゥエンティース", "21st": "トゥエンティーファースト", "25th": "トゥエンティーフィフス",
    "30th": "サーティース", "40th": "フォーティース", "50th": "フィフティース", "100th": "ハンドレッドス",
}  # fmt: skip
_ORDINAL = LazyPattern("123456789", r"(?<![\d.A-Za-z])(?:" + "|".join(_ENGLISH_ORDINALS) + r")(?![A-Za-z0-9])", re.IGNORECASE)
_DECADES = dict(
    zip(
        (20, 30, 40, 50, 60, 70, 80, 90),
        ["トゥエンティー", "サーティー", "フォーティー", "フィフティー", "シックスティー", "セブンティー", "エイティー", "ナインティー"],
        strict=True,
    )
)
_DECADE = LazyPattern(  # 50s alone is seconds
    "sS",
    r"(?<![\d.A-Za-z'])(?:'(?P<short>[2-9]0)s|(?P<possessive>[2-9]0)'s|(?P<plain>[2-9]0)s(?=の?(?:[ァ-ヶ]{2}|曲|歌|音楽|風|映画|文化))"
    r"|(?P<year>(?:1[89]|20)\d0)'?s)(?![A-Za-z0-9])",
)
_ONE_ON_ONE = re.compile(r"(?<![\d.A-Za-z])([1-9])\s?on\s?([1-9])(?![A-Za-z0-9])", re.IGNORECASE)
_LETTER_NUMBER = re.compile(r"(?<![A-Za-z0-9-])([FMGAEJK])-?([1-3])(?![A-Za-z0-9.,%]|\s?[台万億円人個名])")
_TIME_THEN_HALF_DAY = re.compile(r"(?<![\d:])(\d{1,2}(?::\d{2})?(?:時(?:\d{1,2}分)?)?)\s?([ap])\.?m\.?(?![A-Za-z])")
_HALF_DAY_THEN_TIME = re.compile(r"(?<![A-Za-z\d])([AP])\.?M\.?\s?(?=\d{1,2}(?::\d{2}|時(?!間)))")
_NAME_THEN_SIZE = re.compile(r"(?<![A-Za-z])([A-Z]{2,5})(\d+(?:\.\d+)?)(?=\s?[KMGT]i?B(?![A-Za-z]))")
_LONGEST_ENGLISH = len(SMALL_NUMBER_READINGS)

KANJI_DIGITS = "零一二三四五六七八九"
_SMALL_KANJI_UNITS = ("", "十", "百", "千")
_LARGE_KANJI_UNITS = ("", "万", "億", "兆", "京", "垓")


def speak_half_days(text: str) -> str:
    """Convert times of a clock of twelve hours: 10:30pm, PM10:30 → 午後10:30."""
    text = _HALF_DAY_THEN_TIME.sub(lambda match: "午前" if match[1] == "A" else "午後", text)
    return _TIME_THEN_HALF_DAY.sub(
        lambda match: ("午前" if match[2] == "a" else "午後") + match[1] + ("" if ":" in match[1] or "時" in match[1] else "時"), text
    )


def speak_ordinals(text: str) -> str:
    """Return text with ordinal numbers as words."""
    text = _ORDINAL.sub(lambda match: _ENGLISH_ORDINALS[match[0].lower()], text)
    text = _DECADE.sub(_speak_decade, text)
    text = _ONE_ON_ONE.sub(lambda match: f"{SMALL_NUMBER_READINGS[int(match[1])]}オン{SMALL_NUMBER_READINGS[int(match[2])]}", text)
    text = _LETTER_NUMBER.sub(lambda match: f"{LETTER_READINGS[match[1].lower()]}{SMALL_NUMBER_READINGS[int(match[2])]}", text)
    text = _NAME_THEN_SIZE.sub(r"\1 \2", text)
    text = _NUMERAL_LIST.sub(_speak_numeral_list, text)
    text = _NUMERAL_OF_NAME.sub(lambda match: _speak_numeral(match, match[1]), text)
    return _NUMERAL.sub(lambda match: match["before"] + _speak_numeral(match, match[2]), text)


def _speak_decade(match: re.Match[str]) -> str:
    decade = match["short"] or match["possessive"] or match["plain"]
    return f" {_DECADES[int(decade)]}ズ " if decade else f"{match['year']}年代"


def _speak_numeral_list(match: re.Match[str]) -> str:
    """Read a list of Roman numerals, not of letters: I, X."""
    numerals = re.findall("[IVX]+", match[0])
    return "、".join(str(_ROMAN_NUMERALS[numeral]) for numeral in numerals) if any(len(numeral) > 1 for numeral in numerals) else match[0]


def convert_to_kanji(number: int) -> str:
    """Return the number in kanji, as it is spoken: 1204 → 千二百四."""
    if number == 0:
        return KANJI_DIGITS[0]
    groups: list[str] = []
    for large in _LARGE_KANJI_UNITS:
        number, group = divmod(number, 10_000)
        groups.append(_convert_group(group, large))
    if number:
        raise ValueError("number beyond 垓")
    return "".join(reversed(groups))


def _convert_group(group: int, large: str) -> str:
    text = ""
    for power in (3, 2, 1, 0):
        digit = group // 10**power % 10
        if digit:
            silent_one = digit == 1 and power and not (power == 3 and large)  # 千 but 一千万
            text += ("" if silent_one else KANJI_DIGITS[digit]) + _SMALL_KANJI_UNITS[power]
    return text + large if text else ""


def _speak_numeral(match: re.Match[str], roman: str) -> str:
    """Read a Roman numeral in English behind katakana (ファイナルファンタジーVII), in Japanese behind 第 and before what is counted."""
    number = _ROMAN_NUMERALS[roman]
    text, start, end = match.string, match.start(), match.end()
    counted = text[end : end + 1] in _NUMERAL_COUNTERS and end < len(text)
    behind_katakana = re.search(r"[ァ-ヶーA-Za-z]\s?$", text[max(0, start - 2) : start]) is not None
    return (
        convert_to_kanji(number) if counted or not behind_katakana or number >= _LONGEST_ENGLISH else f" {SMALL_NUMBER_READINGS[number]} "
    )


_COMPANY_FORMS = {"(株)": "株式会社", "（株）": "株式会社", "(有)": "有限会社", "（有）": "有限会社"}
_CIRCLED = "①-⑳⓪⓫-⓴⓵-⓾⓿❶-❿➀-➓㉈-㉏㉑-㉟㊱-㊿㊀-㊉🄋🄌"
_ROMAN_NUMERAL_CHARS = "Ⅰ-Ⅻⅰ-ⅻ"
_KEYCAP = "[0-9]\ufe0f?\u20e3"  # a digit and the sign that draws a key around it
_ENCLOSED_NUMBER = re.compile(f"([{_CIRCLED}]|{_KEYCAP})|Ⅹ+[Ⅰ-Ⅸ]?|ⅹ+[ⅰ-ⅸ]?|[{_ROMAN_NUMERAL_CHARS}]")
# What would join a number before it: another one, and behind a circle a kanji, which would be what it counts (②次に, but ②番).
_ITEMS = re.compile(rf"\s*[{_CIRCLED}]")  # ①りんご②みかん
_ITEM_END = re.compile("[ぁ-ゖァ-ヺー一-龠A-Za-z]")
_JOINS_NUMBER = rf"[0-9０-９{_CIRCLED}{_ROMAN_NUMERAL_CHARS}]"
_JOINS_CIRCLED = rf"{_JOINS_NUMBER}|(?!番(?![組号地犬人]))[一-龠]"


def speak_enclosed(text: str) -> str:
    """Return raw text with enclosed numbers in digits, parted by pauses where they would join their neighbours."""
    for written, spoken in _COMPANY_FORMS.items():
        text = text.replace(written, spoken)
    return _ENCLOSED_NUMBER.sub(_speak_number, text)


def _speak_number(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    joins = _JOINS_CIRCLED if match[1] and text[start - 1 : start] != "第" else _JOINS_NUMBER
    follows_item = match[1] and start and _ITEMS.match(text) and _ITEM_END.match(text, start - 1) is not None
    pause_before = "、" if text[start - 1 : start].isdecimal() or follows_item else ""
    pause_after = "、" if re.match(joins, text[end : end + 2]) else ""
    return pause_before + str(sum(int(unicodedata.numeric(sign, 0)) for sign in match[0])) + pause_after


_SCORE_IN_KANJI = re.compile(r"(?<![\d.,])(\d{1,3})\s?対\s?(\d{1,3})(?![\d.,])")
# 3-2 is a score where somebody wins or loses by it; a date, an address or a part number otherwise.
_SCORE = re.compile(
    r"(?<![\d./-])(\d{1,3})\s?-\s?(\d{1,3})(?![\d./-])"
    r"(?=で?(?:[^\d。、]{0,12}?)?(?:勝|敗|負|圧勝|快勝|辛勝|完勝|引き分け|引分|リード|下し|制し|破|逆転|スコア|接戦|大差)|の(?:ビハインド|まま|同点))"
)
_SCORE_READINGS = {0: "ゼロ", 4: "ヨン", 7: "ナナ", 9: "キュー"}  # in kanji they would join what follows
_SIZE_CROSS = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)")
_MINUS_SIGN = LazyPattern("-", r"(?<=[ぁ-ん一-龠々])-(?=\d)|(?<=ー)-(?=\d[\d.,]*(?:度|°|%|円|点|ポイント))")  # but サーバー-1
_NEGATIVE_AMOUNT = LazyPattern(
    "▲△", r"(?<![○×△□●▲◎☆★A-Za-z0-9])[▲△]\s?(?=[$¥€£]?\d[\d,.]*(?![\d,.]*[)）番号着枠]))"
)  # as accounts write it
_SHOGI_PIECES = {
    "歩": "フ", "香": "キョー", "桂": "ケー", "銀": "ギン", "金": "キン", "角": "カク", "飛": "ヒ", "玉": "ギョク", "王": "オー", "馬": "ウマ", "龍": "リュー", "竜": "リュー",
}  # fmt: skip
_KANJI_DIGIT_READINGS = dict(zip("一二三四五六七八九", ("イチ", "ニ", "サン", "ヨン", "ゴ", "ロク", "ナナ", "ハチ", "キュー"), strict=True))
_SHOGI_MOVE = LazyPattern(
    "".join(_SHOGI_PIECES),
    rf"(?<!\d)[▲△☗☖]?\s?([1-9])([一二三四五六七八九])([{''.join(_SHOGI_PIECES)}])(?=成|打|不成|[ぁ-んァ-ヶ、。!?▲△☗☖\s」』）)]|$)",
)
_RACING = re.compile("[◎○☆★]\\s?\\d")  # there they are marks of horses
_MARKS = LazyPattern("点", r"(?<![\d/.])(\d{1,3})/(\d{1,3})点")
_APPLAUSE = LazyPattern(
    "8",
    r"(?:(?:^|(?<=[。!?\s「『（]))8{4,}|(?:(?<=です)|(?<=ます)|(?<=した)|(?<=拍手)|(?<=れ様)|(?<=ごい)|(?<=とう))8{3,}|(?<=[ぁ-んァ-ヶー一-龠♪w])(?<![はがをにとのでも番号])8{5,})"
    r"(?=$|[。!?\sw」』）])",
    re.MULTILINE,
)
_CARET_POWER = re.compile(r"(?<![\d.A-Za-z])(\d{1,6})\^(-?)(\d{1,3})(?![\d.])")


def speak_scores(text: str) -> str:
    """Return text with 対 of scores, a minus behind Japanese, powers and sizes (1920x1080) as words."""
    text = _CARET_POWER.sub(lambda match: f"{match[1]}の{'−' if match[2] else ''}{match[3]}乗", text)
    text = _SCORE_IN_KANJI.sub(_speak_score, _SIZE_CROSS.sub("×", text))
    return _MINUS_SIGN.sub("−", _SCORE.sub(_speak_score, text))


def speak_marks_of_tests(text: str) -> str:
    """Return text with marks out of a full number of them (8/10点 → 10点中8点), and with a run of 8 alone as the applause of chats."""
    return _APPLAUSE.sub("パチパチパチ", _MARKS.sub(r"\2点中\1点", text))


def speak_negative_amounts(text: str) -> str:
    """Return text with ▲ or △ before an amount as a minus, and with moves of shogi as their digits and the piece."""
    text = _SHOGI_MOVE.sub(lambda match: f"{speak_digits(match[1])}{_KANJI_DIGIT_READINGS[match[2]]}{_SHOGI_PIECES[match[3]]}", text)
    return text if _RACING.search(text) else _NEGATIVE_AMOUNT.sub("−", text)


def _speak_score(match: re.Match[str]) -> str:
    return "タイ".join(_SCORE_READINGS.get(int(number)) or convert_to_kanji(int(number)) for number in match.groups())


_DIGIT_READINGS = ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュー")
_LONGEST_WRITTEN = 16  # digits; beyond that a power of ten is said as such

_COMMA_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_SCIENTIFIC = re.compile(r"(?<![A-Za-z\d.])(\d{1,9}(?:\.\d{1,12})?)[eE]([+-]?\d{1,3})(?![A-Za-z\d]|\.\d)")
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,9})/(\d{1,9})(?![\d/])")
_RATIO = re.compile(r"(?<![\d.])(\d{1,9}):(\d{1,9})(?::(\d{1,9}))?(?!\d)")
_NEGATIVE = re.compile(r"(?:(?<=^)|(?<=[\s(（、,=+×÷]))-(?=\d)")
_MINUS_OF_EQUATION = re.compile(r"(?<=\d)\s*-\s*(?=[\d.]+\s*=)")
_TELEPHONE = re.compile(
    r"(?<![\d-])(0\d{1,4})(?:-(\d{1,4})-|\s?\((\d{1,4})\)\s?-?)(\d{3,4})(?![\d-])"
    r"|(?<![\d-])\((0\d{1,4})\)\s?(\d{1,4})[- ]?(\d{4})(?![\d-])"
    r"|(?<![\d-])(0\d{1,3}) (\d{3,4}) (\d{4})(?![\d-])"
)
_INTERNATIONAL_NUMBER = re.compile(r"(?<![\d-])\+(\d{1,3})[- ]((?:\(0\))?\d{1,4})[- ](\d{3,4})[- ](\d{3,4})(?![\d-])")
_VERSION_NUMBER = re.compile(r"(?<!\d)(?<!\d\.)\d+(?:\.\d+){2,}(?!\d|\.\d)")
_POSTCODE = re.compile(r"(?<=郵便番号)\s*(\d{3})-(\d{4})(?!\d)")


_BATTING_AVERAGE = LazyPattern("率", r"(?<=率)\s?0?\.(\d{3})(?!\d)")
_BODY_TEMPERATURE = LazyPattern("度", r"(?<![緯経\d.])(3[4-9]|4[0-2])度([1-9])分(?![角間])")
_RACE_TIME = LazyPattern("秒", r"(?<=\d)秒(\d{2})(?=$|[^\d.秒年月日人個本回点年度台名歳])")
_INCIDENT_DIGITS = _KANJI_DIGIT_READINGS | dict(zip("123456789", _KANJI_DIGIT_READINGS.values(), strict=True))
_INCIDENT = LazyPattern(
    "・",
    r"(?<![\d一-九・])(?:[一二三四五六七八九]・[一二三四五六七八九]{2}(?=事件|クーデター|革命|運動)|[1-9]・[1-9]{2}(?=事件|同時|テロ|の|以降|以後|から|を|が|は|で|$|[、。!?]))",
)
_VERSE = LazyPattern("五", r"五・七・五(?:・七・七)?")


def _speak_batting_average(match: re.Match[str]) -> str:
    return "".join(f"{KANJI_DIGITS[int(digit)]}{unit}" for digit, unit in zip(match[1], "割分厘", strict=True) if digit != "0") or "ゼロ"


def speak_digits(digits: str) -> str:
    """Return each digit by its name, as in telephone numbers."""
    return "".join(_DIGIT_READINGS[int(digit)] for digit in digits)


def speak_numbers(text: str) -> str:
    """Return text with the shapes of numbers resolved that the dictionary would read as something else."""
    text = _BATTING_AVERAGE.sub(_speak_batting_average, text)
    text = _BODY_TEMPERATURE.sub(lambda match: f"{match[1]}度{_KANJI_DIGIT_READINGS[KANJI_DIGITS[int(match[2])]]}ブ", text)
    text = _RACE_TIME.sub(lambda match: f"秒{speak_digits(match[1])}", text)
    text = _INCIDENT.sub(lambda match: "".join(_INCIDENT_DIGITS[digit] for digit in match[0] if digit != "・"), text)
    text = _VERSE.sub(lambda match: match[0].replace("七", "シチ").replace("五", "ゴ"), text)
    text = _POSTCODE.sub(lambda match: f"{speak_digits(match[1])}の{speak_digits(match[2])}", text)
    text = _INTERNATIONAL_NUMBER.sub(
        lambda match: "+" + "、".join(speak_digits(group.replace("(0)", "")) for group in match.groups()), text
    )
    text = _TELEPHONE.sub(lambda match: "、".join(speak_digits(group) for group in match.groups() if group), text)
    text = _COMMA_GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    text = _SCIENTIFIC.sub(_speak_scientific, text)
    text = _FRACTION.sub(lambda match: f"{convert_to_kanji(int(match[2]))}ぶんの{convert_to_kanji(int(match[1]))}", text)
    text = _RATIO.sub(lambda match: "タイ".join(convert_to_kanji(int(number)) for number in match.groups() if number), text)
    text = _VERSION_NUMBER.sub(lambda match: match[0].replace(".", "テン"), text)
    return _MINUS_OF_EQUATION.sub(keep_words("ひく"), _NEGATIVE.sub("−", text))


def _speak_scientific(match: re.Match[str]) -> str:
    digits, _, decimals = f"{Decimal(f'{match[1]}e{match[2]}'):f}".partition(".")
    if len(digits) > _LONGEST_WRITTEN or len(decimals) > _LONGEST_WRITTEN:
        return f"{match[1]}×10の{'−' if match[2].startswith('-') else ''}{match[2].lstrip('+-')}乗"
    return convert_to_kanji(int(digits)) + ("点" + "".join(KANJI_DIGITS[int(digit)] for digit in decimals) if decimals else "")
