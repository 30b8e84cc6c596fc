"""Units and currencies behind or before a number; what is measured by what (mg/dL, kcal/100g); degrees."""

from __future__ import annotations

import re

from app.core.normalise.kept_words import keep
from app.core.normalise.rare import RarePattern
from app.core.normalise.signs import CURRENCIES

_PREFIXES = {"p": "ピコ", "n": "ナノ", "μ": "マイクロ", "m": "ミリ", "c": "センチ", "d": "デシ", "h": "ヘクト", "k": "キロ", "K": "キロ",
             "M": "メガ", "G": "ギガ", "T": "テラ", "P": "ペタ", "E": "エクサ"}  # fmt: skip
_BINARY = {"Ki": "キビ", "Mi": "メビ", "Gi": "ギビ", "Ti": "テビ", "Pi": "ペビ", "Ei": "エクスビ"}
_BASES = {
    "m": ("メートル", "nμmck"), "g": ("グラム", "μmk"), "L": ("リットル", "μmcdk"), "l": ("リットル", "μmcdk"), "t": ("トン", ""),
    "B": ("バイト", "kKMGTPE"), "b": ("ビット", "kKMGTPE"), "bit": ("ビット", "kKMGTPE"), "bps": ("ビーピーエス", "kKMGTPE"),
    "Hz": ("ヘルツ", "kKMGT"), "hz": ("ヘルツ", "kKMGT"), "A": ("アンペア", "μmk"), "V": ("ボルト", "mk"), "W": ("ワット", "mkMG"),
    "Wh": ("ワット時", "mkMG"), "Ah": ("アンペア時", "m"), "Pa": ("パスカル", "hkM"), "cal": ("カロリー", "k"), "J": ("ジュール", "k"),
    "s": ("秒", "pnμm"), "F": ("ファラド", "pnμ"), "Ω": ("オーム", "kM"),
}  # fmt: skip
_OF_THIS_CASE = {  # in other letters they are something else: NG, SV, EV
    "g": ("グラム", "pn"), "mol": ("モル", "pnμm"), "Eq": ("イクイバレント", "m"), "Sv": ("シーベルト", "nμm"), "Bq": ("ベクレル", "kMG"),
    "N": ("ニュートン", "mk"), "eV": ("エレクトロンボルト", "kMG"), "cd": ("カンデラ", ""), "rad": ("ラジアン", "m"), "U": ("ユニット", "mk"),
}  # fmt: skip
_OTHERS = {
    "ha": "ヘクタール", "sec": "秒", "secs": "秒", "min": "分", "mins": "分", "h": "時間", "hr": "時間", "hrs": "時間", "d": "日", "dB": "デシベル", "lm": "ルーメン", "lx": "ルクス",
    "rpm": "アールピーエム", "fps": "エフピーエス", "dpi": "ディーピーアイ", "ppm": "ピーピーエム", "px": "ピクセル", "pt": "ポイント", "mol": "モル", "IU": "アイユー",
    "ft": "フィート", "lb": "ポンド", "lbs": "ポンド", "oz": "オンス", "mph": "マイル" + keep("毎時"), "kph": "キロメートル" + keep("毎時"), "bits": "ビット", "%": "パーセント",
}  # fmt: skip
_ONLY_IN_RATES = ("B", "b", "J", "F", "l", "N", "U", "Eq", "cd", "rad")  # alone behind a number it is more often something else: 6B, 3F
_RATES = {
    "h": "毎時", "hr": "毎時", "s": "毎秒", "sec": "毎秒", "s2": "毎秒 毎秒", "min": "毎分", "d": "毎日", "day": "毎日", "L": "毎", "m2": "毎", "m3": "毎",
}  # fmt: skip


def _multiples(bases: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {prefix + base: _PREFIXES.get(prefix, "") + name for base, (name, prefixes) in bases.items() for prefix in ("", *prefixes)}


def _table() -> dict[str, str]:
    units = _OTHERS | _multiples(_BASES)
    units |= {prefix + "B": name + "バイト" for prefix, name in _BINARY.items()}
    for length in ("m", "cm", "mm", "km"):
        units |= {length + "2": "平方" + units[length], length + "3": "立方" + units[length]}
    return units


_IN_ANY_CASE = _table()
_ANY_CASE = {unit.lower(): name for unit, name in reversed(_IN_ANY_CASE.items()) if len(unit) > 1}
_UNITS = _IN_ANY_CASE | _multiples(_OF_THIS_CASE)
_BASE_OF = {prefix + base: name for base, (name, prefixes) in (_BASES | _OF_THIS_CASE).items() for prefix in _PREFIXES | {"": ""}}
_NUMBER = r"(?<![A-Za-z\d.,])((?:\d+,)*\d+(?:\.\d+)?)"
_PER = r"/\d{0,4}[A-Za-zμ]{1,4}[23]?"
_WITH_UNIT = re.compile(_NUMBER + rf"( ?)([A-Za-zμΩ%]{{1,4}}(?:[23](?!\d))?)((?:{_PER}){{0,2}})(?![A-Za-z'])")
_COUNTED_PER = RarePattern("/", rf"(?<=[\d万億千])(円|ドル|人|個|本|回|件|枚|台|頭|匹|羽|株|粒)({_PER})(?![A-Za-z\d])")
_COMPOUND = RarePattern("/", rf"(?<![A-Za-z\d/.])([A-Za-zμ]{{1,4}}[23]?)((?:{_PER}){{1,2}})(?![A-Za-z\d/.])")
_DEGREES = RarePattern("°", r"(?:([-−]?(?:\d+,)*\d+(?:\.\d+)?)\s?)?°([CF])(?![A-Za-z])")
_MONEY = "[" + re.escape("".join(CURRENCIES)) + "]"
_MONEY_FIRST = re.compile(rf"({_MONEY})\s?((?:\d+,)*\d+(?:\.\d+)?[千万億兆]*)")
_MONEY_LAST = re.compile(rf"(?<=[\d千万億兆])\s?({_MONEY})")


def base_unit(unit: str) -> str | None:
    """What the unit is a multiple of, by name; None where it is no unit that can stand alone."""
    return None if unit in _ONLY_IN_RATES or unit not in _UNITS else _BASE_OF.get(unit, _UNITS[unit])


def speak_units(text: str) -> str:
    """Text with units in words where they follow a number, and currencies behind their amount."""
    text = _DEGREES.sub(_degrees, text)
    text = _MONEY_FIRST.sub(lambda match: match[2] + CURRENCIES[match[1]], text)
    text = _MONEY_LAST.sub(lambda match: CURRENCIES[match[1]], text)
    text = _COUNTED_PER.sub(lambda match: f"{match[1]}{per}" if (per := _rate(match[2])) else match[0], text)
    # Twice, because in 1h5s the second number only stands free once the first unit is a word.
    return _COMPOUND.sub(_compound, _WITH_UNIT.sub(_with_unit, _WITH_UNIT.sub(_with_unit, text)))


def _degrees(match: re.Match[str]) -> str:
    fahrenheit = "華氏" if match[2] == "F" else ""
    return f"{fahrenheit}{match[1]}度" if match[1] else fahrenheit or "度"


def _with_unit(match: re.Match[str]) -> str:
    number, space, unit, per = match.groups()
    name = _name(unit)
    if name and per and _is_alike(unit, per):  # 8GB/256GB are two sizes
        return f"{number}{name}{per}"
    rate = _rate(per)
    alone = unit in _ONLY_IN_RATES or (space and len(unit) == 1 and unit not in "mgLVW")
    if name is None or (per and not rate) or (alone and not rate):
        return match[0]
    return number + name + rate


def _compound(match: re.Match[str]) -> str:
    """Units of something else, at least one of them too long to be a letter: mg/dL, but neither A/B nor cm/mm."""
    unit, per = match.groups()
    rate = _rate(per)
    is_one = unit in _UNITS and rate and max(map(len, (unit, *per.split("/")))) > 1 and not _is_alike(unit, per)
    return _UNITS[unit] + rate if is_one else match[0]


def _name(unit: str) -> str | None:
    return _UNITS.get(unit) or (_ANY_CASE.get(unit.lower()) if len(unit) > 1 else None)


def _is_alike(unit: str, per: str) -> bool:
    """Both measure the same thing."""
    other = per.lstrip("/0123456789")
    return unit == other or _BASE_OF.get(unit, unit) == _BASE_OF.get(other, other)


def _rate(per: str) -> str:
    """What stands behind the strokes of a rate; empty where something in it is no unit."""
    spoken = ""
    for count, unit in re.findall(r"/(\d*)([A-Za-zμ]+[23]?)", per):
        if not count and unit in _RATES:
            spoken += keep(_RATES[unit]) + (_UNITS[unit] if _RATES[unit] == "毎" else "")
        elif unit in _UNITS:
            spoken += keep("パー") + count + _UNITS[unit]
        else:
            return ""
    return spoken
