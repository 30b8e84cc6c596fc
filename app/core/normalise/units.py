"""Units and currencies behind or before a number."""

from __future__ import annotations

import re

from app.core.normalise.signs import CURRENCIES

_PREFIXES = {"p": "ピコ", "n": "ナノ", "μ": "マイクロ", "m": "ミリ", "c": "センチ", "d": "デシ", "h": "ヘクト", "k": "キロ", "K": "キロ",
             "M": "メガ", "G": "ギガ", "T": "テラ", "P": "ペタ", "E": "エクサ"}  # fmt: skip
_BINARY = {"Ki": "キビ", "Mi": "メビ", "Gi": "ギビ", "Ti": "テビ", "Pi": "ペビ", "Ei": "エクスビ"}
_BASES = {
    "m": ("メートル", "nμmck"), "g": ("グラム", "μmk"), "L": ("リットル", "μmcdk"), "l": ("リットル", "mcdk"), "t": ("トン", ""),
    "B": ("バイト", "kKMGTPE"), "b": ("ビット", "kKMGTPE"), "bit": ("ビット", "kKMGTPE"), "bps": ("ビーピーエス", "kKMGTPE"),
    "Hz": ("ヘルツ", "kKMGT"), "hz": ("ヘルツ", "kKMGT"), "A": ("アンペア", "μmk"), "V": ("ボルト", "mk"), "W": ("ワット", "mkMG"),
    "Wh": ("ワット時", "mkMG"), "Ah": ("アンペア時", "m"), "Pa": ("パスカル", "hkM"), "cal": ("カロリー", "k"), "J": ("ジュール", "k"),
    "s": ("秒", "pnμm"), "F": ("ファラド", "pnμ"), "Ω": ("オーム", "kM"),
}  # fmt: skip
_OTHERS = {
    "ha": "ヘクタール", "sec": "秒", "secs": "秒", "min": "分", "mins": "分", "h": "時間", "hr": "時間", "hrs": "時間", "d": "日", "dB": "デシベル", "lm": "ルーメン", "lx": "ルクス",
    "rpm": "アールピーエム", "fps": "エフピーエス", "dpi": "ディーピーアイ", "ppm": "ピーピーエム", "px": "ピクセル", "pt": "ポイント", "mol": "モル",
    "ft": "フィート", "lb": "ポンド", "lbs": "ポンド", "oz": "オンス", "mph": "マイル毎時", "kph": "キロメートル毎時", "bits": "ビット", "%": "パーセント",
}  # fmt: skip
_ONLY_IN_RATES = ("B", "b", "J", "F", "l")  # a letter alone behind a number is more often something else: 6B, 3F
_RATES = {
    "h": "毎時", "s": "毎秒", "sec": "毎秒", "min": "毎分", "d": "毎日", "L": "毎リットル", "m2": "毎平方メートル", "m3": "毎立方メートル",
}  # fmt: skip


def _table() -> dict[str, str]:
    units = dict(_OTHERS)
    for base, (name, prefixes) in _BASES.items():
        units[base] = name
        units |= {prefix + base: _PREFIXES[prefix] + name for prefix in prefixes}
    units |= {prefix + "B": name + "バイト" for prefix, name in _BINARY.items()}
    for length in ("m", "cm", "mm", "km"):
        units |= {length + "2": "平方" + units[length], length + "3": "立方" + units[length]}
    return units


_UNITS = _table()
_ANY_CASE = {unit.lower(): name for unit, name in reversed(_UNITS.items()) if len(unit) > 1}
_NUMBER = r"(?<![A-Za-z\d.,])((?:\d+,)*\d+(?:\.\d+)?)"
_WITH_UNIT = re.compile(_NUMBER + r"( ?)([A-Za-zμΩ%]{1,4}(?:[23](?!\d))?)(?:/([A-Za-z]{1,3}[23]?))?(?![A-Za-z'])")
_MONEY = "[" + re.escape("".join(CURRENCIES)) + "]"
_MONEY_FIRST = re.compile(rf"({_MONEY})\s?((?:\d+,)*\d+(?:\.\d+)?[千万億兆]*)")
_MONEY_LAST = re.compile(rf"(?<=[\d千万億兆])\s?({_MONEY})")


def speak_units(text: str) -> str:
    """Text with units in words where they follow a number, and currencies behind their amount."""
    text = _MONEY_FIRST.sub(lambda match: match[2] + CURRENCIES[match[1]], text)
    text = _MONEY_LAST.sub(lambda match: CURRENCIES[match[1]], text)
    # Twice, because in 1h5s the second number only stands free once the first unit is a word.
    return _WITH_UNIT.sub(_with_unit, _WITH_UNIT.sub(_with_unit, text))


def _with_unit(match: re.Match[str]) -> str:
    number, space, unit, per = match.groups()
    name = _UNITS.get(unit) or _ANY_CASE.get(unit.lower() if len(unit) > 1 else "")
    rate = _RATES.get(per or "")
    alone = unit in _ONLY_IN_RATES or (space and len(unit) == 1 and unit not in "mgLVW")
    if name is None or (per and not rate) or (alone and not rate):
        return match[0]
    return number + name + (rate or "")
