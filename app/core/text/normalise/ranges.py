"""Dates, times of day, and ranges: a dash between two numbers of a kind is から (10:00-12:00, 5-8%, 4/1-4/5); so is a wave that no number follows (9時〜).

A bare pair (3-2) is none, nor are scores, addresses, telephone numbers and the numbers of parts.
"""

import calendar
import re
from math import prod

from app.core.text.normalise.characters import CURRENCIES, LazyPattern
from app.core.text.normalise.measurement_units import find_base_unit

# No 番, 号 or 組: with these 3-2 is an address or a class.
_COUNTER_LIST = """
年度 年代 年間 年生 年目 年 か月 カ月 ヶ月 ヵ月 箇月 月 週間 週目 週 日間 日目 日 時間 時 分間 分 秒間 秒 円 銭 ドル ユーロ ウォン ポンド 元 歳 才 代 人前 人分 人 名様 名 世帯 個 枚 本
冊 匹 頭 羽 台 回目 回 度 倍 階 位 点 件 話 巻 章 節 問 頁 ページ 行目 行 列目 列 段 杯 皿 切れ 粒 滴 割引 割 丁目 限 泊 畳 帖 坪 周年 周 級 曲 社 店 箱 袋 通 着 足 つ 作 文字 字 語
票 種類 種 カ所 か所 ヶ所 箇所 カ国 か国 ヶ国 世紀 世代 小節 拍 便 試合 セット シーズン ポイント パーセント キロ センチ ミリ メートル グラム トン リットル カロリー ヘクタール % °
"""
COUNTERS = frozenset(_COUNTER_LIST.split())
COUNTER_PATTERN = "|".join(sorted(COUNTERS, key=len, reverse=True))  # for a pattern, the longest first

_COUNTER_FAMILIES = (
    ("年度", "年代", "年", "月", "日"),
    ("時", "分", "秒"),
    ("秒", "分", "時間", "日", "週間", "か月", "カ月", "ヶ月", "ヵ月", "年"),
    ("歳", "か月", "カ月", "ヶ月", "ヵ月"),
    ("円", "銭"),
)

ERAS = {"M": "明治", "T": "大正", "S": "昭和", "H": "平成", "R": "令和"}
SIMPLE_FRACTIONS = frozenset(("1/2", "1/3", "2/3", "1/4", "3/4"))

_WEEKDAY_IN_BRACKETS = LazyPattern("(（", r"(?<=[\d日])\s*[(（]\s*([月火水木金土日])\s*[)）]")
_BARE_WEEKDAY = r"[(（]([月火水木金土日])[)）]"
_WEEKDAY_RANGE = LazyPattern("(（", rf"{_BARE_WEEKDAY}\s*[〜~-]\s*{_BARE_WEEKDAY}")
_WEEKDAY_LIST = LazyPattern(
    "(（",
    rf"{_BARE_WEEKDAY}(?=\s*+(?:[と・、,〜]\s*+)?[(（][月火水木金土日][)）])|(?<=[)）ツカイクンド][と・、,]){_BARE_WEEKDAY}|(?<=[)）]){_BARE_WEEKDAY}",
)
_ERA_DATE = re.compile(rf"(?<![A-Za-z0-9])([MTSHR]|{'|'.join(ERAS.values())})(\d{{1,2}})([./-])(\d{{1,2}})\3(\d{{1,2}})(?![\d./]|-\d)")
_ERA_YEAR = LazyPattern("年", r"(?<![A-Za-z0-9])([MTSHR])\s?(\d{1,2}|元)(?=年(?!生(?!ま)|[目間代]))")
_LAST_YEARS = {"M": 45, "T": 15, "S": 64, "H": 31, "R": 99}
_NUMERIC_DATE = re.compile(r"(?<![\d/.-])(\d{4}|\d{2})([-/.])(\d{1,2})\2(\d{1,2})(?![\d.]*\d|[/-]\d)")
_YEAR_MONTH = re.compile(r"(?<![\d/.-])((?:1[89]|2[01])\d\d)([/-])(\d{1,2})(?!\d|-\d)")
_MONTH_DAY = re.compile(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)")
# Behind one of these words a pair is a fraction; a date before all others: 1/8に, 4/1から, 5/1号.
_COUNTS_FRACTION = re.compile(
    "拍子|の?(?:確率|割合|縮尺|人|大きさ|長さ|値段|速さ|量|時間|面積|濃度|モデル)|個|倍|玉|本(?!日)|枚|杯|缶|袋|丁|束|株|切れ|カップ|サイズ|スケール"
    "|リットル|程度|くらい|ぐらい|ほど|以下|以上|未満"
)
_ZERO_PADDED = re.compile(r"(?<![\d.])0+((?!0)\d++|0)(?=年|月|日|時|分|秒)")
_CLOCK_TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-7]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_HOURS_MINUTES = re.compile(r"(?<![\d.])([01]?\d|2[0-7])時([0-5]?\d)分(?:([0-5]?\d)秒)?(?!\d)")
_ZERO_OF_HALF_DAY = re.compile("(?<=午前|午後|深夜)0時(?!間)")  # 00時 is spelled as a clock shows it, and read so: ゼロジ
_MIDNIGHT = re.compile(r"(?<![\d.])0時(?!間)")


def is_same_counter_family(counter: str, following: str) -> bool:
    """Return whether the text behind the second number begins with what the first one counts, or with another measure of the same thing."""
    return following.startswith((counter, *(relative for family in _COUNTER_FAMILIES if counter in family for relative in family)))


_DASH_CHARS = "-—−ー"
_RANGE_DASH = rf"(?:\s?[{_DASH_CHARS}]\s|[{_DASH_CHARS}])"  # a space before it alone means the sign of a number
_RANGE_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?)"
_KANJI_SCALES = {"百": 100, "千": 1000, "万": 10**4, "億": 10**8, "兆": 10**12}
_SCALE = f"[{''.join(_KANJI_SCALES)}]*"
_OPTIONAL_CURRENCY = "[" + re.escape("".join(CURRENCIES)) + "]?"
_ERA_NAMES = "明治|大正|昭和|平成|令和"
_NOTHING_PRECEDES = rf"(?<![\d.,/:A-Za-z{_DASH_CHARS}])"
_NOTHING_FOLLOWS = rf"(?![\d/:A-Za-z{_DASH_CHARS}]|[.,]\d)"

_OPTIONAL_WEEKDAY = r"(?:\s?[(（][月火水木金土日](?:曜日?)?[)）]|[月火水木金土日]曜日?)?"
_RANGE_DATE = r"(?:\d{4}/\d{1,2}/\d{1,2}|\d{4}-\d{1,2}-\d{1,2}|\d{4}\.\d{1,2}\.\d{1,2}|\d{2}/\d{1,2}/\d{1,2}|\d{4}/\d{1,2}|\d{1,2}/\d{1,2})"
_DATE_RANGE = LazyPattern(
    _DASH_CHARS,
    rf"{_NOTHING_PRECEDES}({_RANGE_DATE})({_OPTIONAL_WEEKDAY}){_RANGE_DASH}({_RANGE_DATE})(?={_OPTIONAL_WEEKDAY}{_NOTHING_FOLLOWS}(.{{0,3}}))",
)
_DAY_BEHIND_DATE = LazyPattern(
    _DASH_CHARS, rf"(?<=/)(\d{{1,2}})({_OPTIONAL_WEEKDAY}){_RANGE_DASH}(\d{{1,2}})(?=\s?[(（][月火水木金土日])"
)  # 4/1(土)-2(日)
_RANGE_TIME = r"(?:\d{1,2}:\d\d(?::\d\d)?|\d{1,2})(?:\s?[apAP]\.?[mM]\.?)?"
_TIME_RANGE = LazyPattern(
    _DASH_CHARS,
    rf"(?:(?<![\d.,/:A-Za-z])|(?<=[AP]M)|(?<=[AP]M ))({_RANGE_TIME}){_RANGE_DASH}(?=(?:午前|午後|翌|深夜|[AP]M\s?)?({_RANGE_TIME}|\d{{1,2}}時){_NOTHING_FOLLOWS})",
)
_YEAR_RANGE = LazyPattern(_DASH_CHARS, rf"{_NOTHING_PRECEDES}((?:1[89]|20)\d\d){_RANGE_DASH}(?=((?:1[89]|20)\d\d){_NOTHING_FOLLOWS})")
_GROUPED_RANGE = LazyPattern(
    _DASH_CHARS, rf"{_NOTHING_PRECEDES}(\d{{1,3}}(?:,\d{{3}})+){_RANGE_DASH}(?=\d{{1,3}}(?:,\d{{3}})+{_NOTHING_FOLLOWS})"
)
_PAGE_RANGE = LazyPattern(
    "pP", rf"(?<![A-Za-z])[pP]{{1,2}}(?:\.\s?(\d+)(?:{_RANGE_DASH}[pP]{{0,2}}\.?(\d+))?|(\d+){_RANGE_DASH}[pP]?(\d+)){_NOTHING_FOLLOWS}"
)
_UNIT_LAST_RANGE = LazyPattern(
    _DASH_CHARS,
    rf"{_NOTHING_PRECEDES}({_RANGE_NUMBER})({_SCALE}){_RANGE_DASH}"
    rf"(?=(第|{_ERA_NAMES})?({_RANGE_NUMBER})({_SCALE})(?:({COUNTER_PATTERN})|\s?([A-Za-zμΩ]{{1,4}}[23]?)(?![A-Za-z]))?(.{{0,3}}))",
)
_UNIT_TWICE_RANGE = LazyPattern(
    _DASH_CHARS,
    rf"(?<![\d.,])({_OPTIONAL_CURRENCY})({_RANGE_NUMBER})([^\d\s、。,.!?！？()（）「」—−-]{{0,8}}?){_OPTIONAL_WEEKDAY}({_RANGE_DASH})"
    rf"(?=(?:第|約|翌|午前|午後|早朝|深夜|朝|夜|西暦|{_ERA_NAMES})?({_OPTIONAL_CURRENCY})({_RANGE_NUMBER})([^\d\s、。,.!?！？()（）「」—−-]{{0,8}})(.{{0,3}}))",
)
_RANGE_OF_WEEKDAYS = LazyPattern(
    "-—−〜", r"(?<![一-龠々\d])([月火水木金土日])(曜日?)?(\s?[-—−〜]\s?)([月火水木金土日])(曜日?)?(?![一-龠々ァ-ヶ])"
)


def speak_eras(text: str) -> str:
    """Return text with the initials of eras in full: H30年, R6.4.1."""
    return _ERA_YEAR.sub(_speak_era_year, _ERA_DATE.sub(_speak_era_date, text))


def speak_dates(text: str) -> str:
    """Return text with dates as 年月日, times as 時分秒 in kanji."""
    text = _ZERO_OF_HALF_DAY.sub("レイジ", text)
    text = _WEEKDAY_IN_BRACKETS.sub(r"\1曜日", text)
    text = _WEEKDAY_RANGE.sub(lambda match: f"{_WEEKDAY_NAMES[match[1]]}から{_WEEKDAY_NAMES[match[2]]}", text)
    text = _WEEKDAY_LIST.sub(lambda match: _WEEKDAY_NAMES[match[1] or match[2] or match[3]], text)
    text = _NUMERIC_DATE.sub(_speak_date, text)
    text = _YEAR_MONTH.sub(lambda match: f"{match[1]}年{int(match[3])}月" if 1 <= int(match[3]) <= 12 else match[0], text)
    text = _MONTH_DAY.sub(_speak_month_day, text)
    return _ZERO_PADDED.sub(r"\1", text)


def speak_times(text: str) -> str:
    """Return text with times of day as 時分秒; nought is 零, and minutes that are nought are left out."""
    text = _CLOCK_TIME.sub(_speak_time, text)
    return _MIDNIGHT.sub("零時", _HOURS_MINUTES.sub(_speak_time, text))


def _is_day(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]


def _speak_era_date(match: re.Match[str]) -> str:
    year, month, day = int(match[2]), int(match[4]), int(match[5])
    return f"{ERAS.get(match[1], match[1])}{year}年{month}月{day}日" if year and _is_day(2000, month, day) else match[0]


def _speak_era_year(match: re.Match[str]) -> str:
    return f"{ERAS[match[1]]}{match[2]}" if match[2] == "元" or 1 <= int(match[2]) <= _LAST_YEARS[match[1]] else match[0]


def _speak_date(match: re.Match[str]) -> str:
    year, month, day = int(match[1]), int(match[3]), int(match[4])
    if len(match[1]) == 2:
        if match[2] == ".":
            return match[0]
        year += 1900 if year >= 50 else 2000
    return f"{year}年{month}月{day}日" if year and _is_day(year, month, day) else match[0]


def _speak_month_day(match: re.Match[str]) -> str:
    is_fraction = match[0] in SIMPLE_FRACTIONS and not match.string.startswith(tuple("月火水木金土日"), match.end())
    is_fraction = is_fraction or _COUNTS_FRACTION.match(match.string, match.end()) is not None
    month, day = int(match[1]), int(match[2])
    return f"{month}月{day}日" if _is_day(2000, month, day) and not is_fraction else match[0]


def _speak_time(match: re.Match[str]) -> str:
    hour, minute, second = match.groups()
    text = _strip_zeros(hour) + "時"
    if second is not None or int(minute):
        text += _strip_zeros(minute) + "分"
    return text + (_strip_zeros(second) + "秒" if second is not None else "")


def _strip_zeros(number: str) -> str:
    return number.lstrip("0") or "零"


_WEEKDAY_NAMES = dict(zip("月火水木金土日", ("ゲツ", "カ", "スイ", "モク", "キン", "ド", "ニチ"), strict=True))
_OPEN_RANGE = LazyPattern(
    "〜",
    rf"(?<!〜)(?<![\d.,:/])({_OPTIONAL_CURRENCY})(\d[\d,.:/]*)({_SCALE}(?:{COUNTER_PATTERN}|[A-Za-zμ]{{1,4}}[23]?(?![A-Za-z]))?)半?(?:(?<!\d)\d+分)?({_OPTIONAL_WEEKDAY})\s?〜(?![〜ー])"
    r"(?=(\s|\d|$|[。、，,)）」』】\]・|]|(?:です|でし|でご|[のでにともが])(?![ぁ-んー〜]))?([!！])?)",
    re.MULTILINE,
)
_OPEN_WEEKDAY_RANGE = LazyPattern("〜", r"([月火水木金土日]曜日?)\s?〜(?=\s|$|[。、，,)）」』】\]・|])", re.MULTILINE)

# The number alone would be read otherwise: 9-17時 is 9時から17時.
_SAID_TWICE = {"月": "月", "日": "日", "日間": "日", "日目": "日目", "時": "時", "つ": "つ"}
_ONE_OR_TWO = ("1", "2")  # 1-2人
_CYCLIC_UNITS = ("月", "日", "時")  # the second number may be the smaller one: 22-5時
_SIGNED_UNITS = ("度", "°", "%", "パーセント", "円", "ドル")  # 1月-5度
_LATIN_UNIT = re.compile("[A-Za-zμΩ]+[23]?")
_MEASURE_WORDS = re.compile("カップ|インチ|サイズ|程度|ほど|くらい|ぐらい|[量個本倍枚丁袋缶]")  # 1/4-1/2カップ
_SHORT_KANJI = re.compile("[一-龠々]{1,2}")
_EQUATION_TAIL = re.compile(r"[^\d=]{0,6}=")
_SUBTRACTION_TAIL = re.compile(r"[^\d=]{0,6}=|[^\d=]{1,6}は\s?\d")  # where the second number is the smaller one


def speak_ranges(text: str) -> str:
    """Return text with dashes of ranges as から."""
    text = _OPEN_WEEKDAY_RANGE.sub(r"\1から", _RANGE_OF_WEEKDAYS.sub(_speak_weekdays, text))
    if not any(map(str.isdecimal, text)):
        return text
    text = _DATE_RANGE.sub(_speak_date_range, text)
    text = _DAY_BEHIND_DATE.sub(r"\1\2から\3日", text)
    text = _TIME_RANGE.sub(_speak_time_range, text)
    text = _PAGE_RANGE.sub(_speak_pages, text)
    text = _UNIT_LAST_RANGE.sub(_speak_bare_first, text)
    text = _UNIT_TWICE_RANGE.sub(_speak_unit_first, text)
    text = _YEAR_RANGE.sub(lambda match: f"{match[1]}から" if match[1] < match[2] else match[0], text)
    return _OPEN_RANGE.sub(_speak_open_range, _GROUPED_RANGE.sub(r"\1から", text))


def _speak_date_range(match: re.Match[str]) -> str:
    first, weekday, last, behind = match.groups()
    if _MEASURE_WORDS.match(behind) and {first, last} <= SIMPLE_FRACTIONS:
        return f"{first}から{last}"
    return f"{_expand_date(first)}{weekday}から{_expand_date(last)}"


def _expand_date(date: str) -> str:
    """Expand a date in a range, for 1/3 alone would be a third."""
    month, _, day = date.partition("/")
    return f"{month}月{day}日" if len(month) < 3 and day.isdecimal() and 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else date


def _speak_time_range(match: re.Match[str]) -> str:
    """Read a range of times of day, both with minutes, or with am and pm."""
    has_minutes = ":" in match[1] and (":" in match[2] or "時" in match[2])
    return f"{match[1]}から" if has_minutes or match[1].lower().rstrip(".").endswith("m") else match[0]


def _speak_pages(match: re.Match[str]) -> str:
    first, last = match[1] or match[3], match[2] or match[4]
    return f"{first}から{last}ページ" if last else f"{first}ページ"


def _speak_weekdays(match: re.Match[str]) -> str:
    first, first_long, dash, last, last_long = match.groups(default="")
    is_month_and_day = {first, last} == {"月", "日"} and "〜" not in dash
    if first == last or bool(first_long) != bool(last_long) or (is_month_and_day and not first_long):
        return match[0]
    return f"{first}{first_long}から{last}{last_long}" if first_long else f"{_WEEKDAY_NAMES[first]}から{_WEEKDAY_NAMES[last]}"


def _speak_bare_first(match: re.Match[str]) -> str:
    """Read a range whose first number has no unit of its own: 5-8個, 1,000-2,000円, 2-3万, 第1-第3."""
    first, scale, prefix, last, last_scale, counter, unit, behind = match.groups(default="")
    if _is_code(first) or _is_code(last) or not (counter or find_base_unit(unit) or last_scale or prefix):
        return match[0]
    rises = _compute_value(first, scale or last_scale) < _compute_value(last, last_scale)
    is_short_year = counter.startswith("年") and len(first) == 4 and len(last) == 2  # 2023-25年
    if _EQUATION_TAIL.match(behind) or not (rises or is_short_year or counter in _CYCLIC_UNITS):
        return match[0]
    again = "人" if counter == "人" and first in _ONE_OR_TWO and not scale else _SAID_TWICE.get(counter, "")
    return f"{first}{scale}{again}から"


def _speak_unit_first(match: re.Match[str]) -> str:
    """Read a range whose first number has a unit: 1000円-2000円, 9時-17時, $10-20, 100m-1km."""
    money, first, unit, dash, last_money, last, following, behind = match.groups()
    before, unit = match[0].removesuffix(dash), unit.removesuffix("半")
    if money:
        bare = not last_money and not _LATIN_UNIT.match(following)
        return f"{before}から{money if bare else ''}" if bare or last_money == money else match[0]
    is_long_vowel = dash == "ー" and re.search("[ァ-ヶ]$", unit) and unit not in COUNTERS  # 5メーター5
    if not unit or is_long_vowel:
        return match[0]
    scale, last_scale = _find_scale(unit), _find_scale(following)
    unit, following_unit = unit.removeprefix(scale), following.removeprefix(last_scale)
    latin = _LATIN_UNIT.match(following_unit)
    if latin:
        is_range = find_base_unit(unit) is not None and find_base_unit(unit) == find_base_unit(latin[0])
    else:
        is_range = is_same_counter_family(unit, following_unit) if following_unit else bool(last_scale and not unit)
    if not is_range:
        is_part_number = unit in COUNTERS or _SHORT_KANJI.fullmatch(unit)  # 2年-3組, 10勝-5敗
        return f"{before}、" if is_part_number and not following_unit.startswith(_SIGNED_UNITS) else match[0]
    falls = _compute_value(first, scale or (last_scale if not unit else "")) > _compute_value(last, last_scale)
    subtracts = _SUBTRACTION_TAIL if falls else _EQUATION_TAIL
    return f"{before}{'−' if subtracts.match(following_unit + behind) else 'から'}"


def _speak_open_range(match: re.Match[str]) -> str:
    """Read an open range: prices begin at an amount anywhere (1000円〜), other quantities at a phrase's end (9時〜); もう9時〜！ is drawn out."""
    money, number, counter, weekday, _, cry = match.groups(default="")
    unit = _LATIN_UNIT.search(counter)
    is_counted = (find_base_unit(unit[0]) is not None if unit else counter) or weekday or ":" in number or "/" in number
    is_price = money or counter.endswith(("円", "ドル"))
    follows = is_price or (is_counted and not cry and match.end(5) > -1)
    return match[0].rstrip().removesuffix("〜").rstrip() + "から" if follows else match[0]


def _is_code(number: str) -> bool:
    return number.startswith("0") and number[1:2].isdecimal()


def _find_scale(text: str) -> str:
    return text[: len(text) - len(text.lstrip("".join(_KANJI_SCALES)))]


def _compute_value(number: str, scale: str) -> float:
    return float(number.replace(",", "")) * prod(_KANJI_SCALES[scale_sign] for scale_sign in scale)
