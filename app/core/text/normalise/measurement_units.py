"""Units and currencies behind or before a number; what is measured by what (mg/dL, kcal/100g); degrees."""

import re

from app.core.text.normalise.characters import CURRENCIES, LazyPattern, keep_words

_METRIC_PREFIXES = {"p": "ピコ", "n": "ナノ", "μ": "マイクロ", "m": "ミリ", "c": "センチ", "d": "デシ", "h": "ヘクト", "k": "キロ", "K": "キロ",
             "M": "メガ", "G": "ギガ", "T": "テラ", "P": "ペタ", "E": "エクサ"}  # fmt: skip
_BINARY_PREFIXES = {"Ki": "キビ", "Mi": "メビ", "Gi": "ギビ", "Ti": "テビ", "Pi": "ペビ", "Ei": "エクスビ"}
_BASE_UNITS = {
    "m": ("メートル", "nμmck"), "g": ("グラム", "μmk"), "L": ("リットル", "μmcdk"), "l": ("リットル", "μmcdk"), "t": ("トン", ""),
    "B": ("バイト", "kKMGTPE"), "b": ("ビット", "kKMGTPE"), "bit": ("ビット", "kKMGTPE"), "bps": ("ビーピーエス", "kKMGTPE"),
    "Hz": ("ヘルツ", "kKMGT"), "hz": ("ヘルツ", "kKMGT"), "A": ("アンペア", "μmk"), "V": ("ボルト", "mk"), "W": ("ワット", "mkMG"),
    "Wh": ("ワット時", "mkMG"), "Ah": ("アンペア時", "m"), "Pa": ("パスカル", "hkM"), "cal": ("カロリー", "k"), "J": ("ジュール", "k"),
    "s": ("秒", "pnμm"), "F": ("ファラド", "pnμ"), "Ω": ("オーム", "kM"),
}  # fmt: skip
_CASE_SENSITIVE_BASES = {  # in other letters they are something else: NG, SV, EV
    "g": ("グラム", "pn"), "mol": ("モル", "pnμm"), "Eq": ("イクイバレント", "m"), "Sv": ("シーベルト", "nμm"), "Bq": ("ベクレル", "kMG"),
    "N": ("ニュートン", "mk"), "eV": ("エレクトロンボルト", "kMG"), "cd": ("カンデラ", ""), "rad": ("ラジアン", "m"), "U": ("ユニット", "mk"),
}  # fmt: skip
_UNSCALED_UNITS = {
    "ha": "ヘクタール", "sec": "秒", "secs": "秒", "min": "分", "mins": "分", "h": "時間", "hr": "時間", "hrs": "時間", "d": "日", "dB": "デシベル", "lm": "ルーメン", "lx": "ルクス",
    "rpm": "アールピーエム", "fps": "エフピーエス", "dpi": "ディーピーアイ", "ppm": "ピーピーエム", "px": "ピクセル", "pt": "ポイント", "mol": "モル", "IU": "アイユー",
    "ft": "フィート", "lb": "ポンド", "lbs": "ポンド", "oz": "オンス", "mph": "マイル" + keep_words("毎時"), "kph": "キロメートル" + keep_words("毎時"), "bits": "ビット", "%": "パーセント",
}  # fmt: skip
_RATE_ONLY_UNITS = ("B", "b", "J", "F", "l", "N", "U", "Eq", "cd", "rad")  # alone behind a number it is more often something else: 6B, 3F
_RATE_READINGS = {
    "h": "毎時", "hr": "毎時", "s": "毎秒", "sec": "毎秒", "s2": "毎秒 毎秒", "min": "毎分", "d": "毎日", "day": "毎日", "L": "毎", "m2": "毎", "m3": "毎",
}  # fmt: skip


def _build_multiples(bases: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {
        prefix + base: _METRIC_PREFIXES.get(prefix, "") + name for base, (name, prefixes) in bases.items() for prefix in ("", *prefixes)
    }


def _build_unit_table() -> dict[str, str]:
    units = _UNSCALED_UNITS | _build_multiples(_BASE_UNITS)
    units |= {prefix + "B": name + "バイト" for prefix, name in _BINARY_PREFIXES.items()}
    for length in ("m", "cm", "mm", "km"):
        units |= {length + "2": "平方" + units[length], length + "3": "立方" + units[length]}
    return units


_UNITS_AS_WRITTEN = _build_unit_table()
_UNITS_BY_LOWER_CASE = {unit.lower(): name for unit, name in reversed(_UNITS_AS_WRITTEN.items()) if len(unit) > 1}
_UNIT_READINGS = _UNITS_AS_WRITTEN | _build_multiples(_CASE_SENSITIVE_BASES)
_BASES_BY_UNIT = {
    prefix + base: name
    for base, (name, prefixes) in (_BASE_UNITS | _CASE_SENSITIVE_BASES).items()
    for prefix in _METRIC_PREFIXES | {"": ""}
}
_NUMBER_BEFORE_UNIT = r"(?<![A-Za-z\d.,])((?:\d+,)*\d+(?:\.\d+)?)"
_RATE_TAIL = r"/\d{0,4}[A-Za-zμ]{1,4}[23]?"
_NUMBER_WITH_UNIT = re.compile(_NUMBER_BEFORE_UNIT + rf"( ?)([A-Za-zμΩ%]{{1,4}}(?:[23](?!\d))?)((?:{_RATE_TAIL}){{0,2}})(?![A-Za-z'])")
_COUNTED_PER = LazyPattern("/", rf"(?<=[\d万億千])(円|ドル|人|個|本|回|件|枚|台|頭|匹|羽|株|粒)({_RATE_TAIL})(?![A-Za-z\d])")
_COMPOUND_UNIT = LazyPattern("/", rf"(?<![A-Za-z\d/.])([A-Za-zμ]{{1,4}}[23]?)((?:{_RATE_TAIL}){{1,2}})(?![A-Za-z\d/.])")
_DEGREES = LazyPattern("°", r"(?:((?:[-−]|(?<!\d)(?<!\d,))(?:\d++,)*+\d++(?:\.\d++)?)\s?)?°([CF])(?![A-Za-z])")
_CURRENCY_CLASS = "[" + re.escape("".join(CURRENCIES)) + "]"
_CURRENCY_THEN_AMOUNT = re.compile(rf"({_CURRENCY_CLASS})\s?((?:\d+,)*\d+(?:\.\d+)?[千万億兆]*)")
_AMOUNT_THEN_CURRENCY = re.compile(rf"(?<=[\d千万億兆])\s?({_CURRENCY_CLASS})")


def find_base_unit(unit: str) -> str | None:
    """Return the name of what the unit is a multiple of; None if it is no unit, or only used in rates."""
    return None if unit in _RATE_ONLY_UNITS or unit not in _UNIT_READINGS else _BASES_BY_UNIT.get(unit, _UNIT_READINGS[unit])


def speak_units(text: str) -> str:
    """Return text with units in words where they follow a number, and currencies behind their amount."""
    text = _DEGREES.sub(_speak_degrees, text)
    text = _CURRENCY_THEN_AMOUNT.sub(lambda match: match[2] + CURRENCIES[match[1]], text)
    text = _AMOUNT_THEN_CURRENCY.sub(lambda match: CURRENCIES[match[1]], text)
    text = _COUNTED_PER.sub(lambda match: f"{match[1]}{per}" if (per := _speak_rate(match[2])) else match[0], text)
    # Twice, because in 1h5s the second number is only separate once the first unit is a word.
    return _COMPOUND_UNIT.sub(_speak_compound, _NUMBER_WITH_UNIT.sub(_speak_with_unit, _NUMBER_WITH_UNIT.sub(_speak_with_unit, text)))


def _speak_degrees(match: re.Match[str]) -> str:
    fahrenheit = "華氏" if match[2] == "F" else ""
    return f"{fahrenheit}{match[1]}度" if match[1] else fahrenheit or "度"


def _speak_with_unit(match: re.Match[str]) -> str:
    number, space, unit, per = match.groups()
    name = _UNIT_READINGS.get(unit) or (_UNITS_BY_LOWER_CASE.get(unit.lower()) if len(unit) > 1 else None)
    if name and per and _is_same_measure(unit, per):  # 8GB/256GB are two sizes
        return f"{number}{name}{per}"
    rate = _speak_rate(per)
    alone = unit in _RATE_ONLY_UNITS or (space and len(unit) == 1 and unit not in "mgLVW")
    if name is None or (per and not rate) or (alone and not rate):
        return match[0]
    return number + name + rate


def _speak_compound(match: re.Match[str]) -> str:
    """Return the words of compound units, at least one of them too long to be a letter: mg/dL, but neither A/B nor cm/mm."""
    unit, per = match.groups()
    rate = _speak_rate(per)
    is_one = unit in _UNIT_READINGS and rate and max(map(len, (unit, *per.split("/")))) > 1 and not _is_same_measure(unit, per)
    return _UNIT_READINGS[unit] + rate if is_one else match[0]


def _is_same_measure(unit: str, per: str) -> bool:
    per_unit = per.lstrip("/0123456789")
    return unit == per_unit or _BASES_BY_UNIT.get(unit, unit) == _BASES_BY_UNIT.get(per_unit, per_unit)


def _speak_rate(per: str) -> str:
    """Return the words for what follows the slashes of a rate; empty if something in it is no unit."""
    spoken = ""
    for count, unit in re.findall(r"/(\d*)([A-Za-zμ]+[23]?)", per):
        if not count and unit in _RATE_READINGS:
            spoken += keep_words(_RATE_READINGS[unit]) + (_UNIT_READINGS[unit] if _RATE_READINGS[unit] == "毎" else "")
        elif unit in _UNIT_READINGS:
            spoken += keep_words("パー") + count + _UNIT_READINGS[unit]
        else:
            return ""
    return spoken
