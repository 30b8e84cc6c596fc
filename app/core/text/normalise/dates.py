"""Dates and times of day."""

from __future__ import annotations

import calendar
import re

from app.core.text.normalise.lazy_pattern import LazyPattern

ERAS = {"M": "明治", "T": "大正", "S": "昭和", "H": "平成", "R": "令和"}
SIMPLE_FRACTIONS = frozenset(("1/2", "1/3", "2/3", "1/4", "3/4"))

_WEEKDAY_IN_BRACKETS = LazyPattern("(（", r"(?<=[\d日])\s*[(（]\s*([月火水木金土日])\s*[)）]")
_BARE_WEEKDAY = r"[(（]([月火水木金土日])[)）]"
_WEEKDAY_RANGE = LazyPattern("(（", rf"{_BARE_WEEKDAY}\s*[〜~-]\s*{_BARE_WEEKDAY}")
_WEEKDAY_LIST = LazyPattern(
    "(（",
    rf"{_BARE_WEEKDAY}(?=\s*+(?:[と・、,〜]\s*+)?[(（][月火水木金土日][)）])|(?<=[)）ツカイクンド][と・、,]){_BARE_WEEKDAY}|(?<=[)）]){_BARE_WEEKDAY}",
)
_WEEKDAY_NAMES = dict(zip("月火水木金土日", ("ゲツ", "カ", "スイ", "モク", "キン", "ド", "ニチ"), strict=True))
_ERA_DATE = re.compile(rf"(?<![A-Za-z0-9])([MTSHR]|{'|'.join(ERAS.values())})(\d{{1,2}})([./-])(\d{{1,2}})\3(\d{{1,2}})(?![\d./]|-\d)")
_ERA_YEAR = LazyPattern("年", r"(?<![A-Za-z0-9])([MTSHR])\s?(\d{1,2}|元)(?=年(?!生(?!ま)|[目間代]))")
_LAST_YEARS = {"M": 45, "T": 15, "S": 64, "H": 31, "R": 99}
_NUMERIC_DATE = re.compile(r"(?<![\d/.-])(\d{4}|\d{2})([-/.])(\d{1,2})\2(\d{1,2})(?![\d.]*\d|[/-]\d)")
_YEAR_MONTH = re.compile(r"(?<![\d/.-])((?:1[89]|2[01])\d\d)([/-])(\d{1,2})(?!\d|-\d)")
_MONTH_DAY = re.compile(r"(?<![\d/.-])(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)")
_ZERO_PADDED = re.compile(r"(?<![\d.])0+((?!0)\d++|0)(?=年|月|日|時|分|秒)")
_CLOCK_TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-7]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_HOURS_MINUTES = re.compile(r"(?<![\d.])([01]?\d|2[0-7])時([0-5]?\d)分(?:([0-5]?\d)秒)?(?!\d)")
_ZERO_OF_HALF_DAY = re.compile("(?<=午前|午後|深夜)0時(?!間)")  # 00時 is spelled as a clock shows it, and read so: ゼロジ
_MIDNIGHT = re.compile(r"(?<![\d.])0時(?!間)")


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
